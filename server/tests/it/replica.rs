//! A replica of the databases: a standby of their own Postgres whose replay is halted, which ends a read, and which is stopped.

use crate::console::{form, sign_in};
use crate::harness::{Log, Site, subscribed};
use crate::process::{POLL, POLLS, postmaster};
use axum::http::{HeaderName, StatusCode, header};
use db::clock::Clock;
use db::embedded::{Embedded, Options};
use db::{DatabaseUrls, Logins, Planned, Replicas, create_databases, migrate};
use foundation::testing::{Fake, FakeClock, PASSWORD, World, fact};
use foundation::{Engine, Error, OpContext, Settings};
use models::Embedder;
use remembrancer::memories;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tracing::Level;
use wire::MemoryFilter;

const HOUR: Duration = Duration::from_secs(3600);

/// A Postgres that ends with this, also when a test fails.
struct Ends(String);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-INT", &self.0]).stderr(Stdio::null()).status();
    }
}

/// A standby of a Postgres.
struct Standby {
    /// The folder of Postgres' programs.
    programs: PathBuf,
    data: PathBuf,
    /// A superuser's, of the database `postgres`.
    url: String,
}

impl Standby {
    /// Copies a Postgres whose data is in `data`, and starts the copy in `folder`. It waits for no read that is in the way of a change.
    async fn of(primary: &str, data: &Path, folder: &Path) -> Self {
        let programs = PathBuf::from(answer(primary, "select setting from pg_config where name = 'BINDIR'").await);
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let url = PgConnectOptions::from_str(primary).unwrap().port(port).to_url_lossy().to_string();
        let (owner, copy) = (fs::metadata(data).unwrap(), folder.join("standby"));
        fs::create_dir(&copy).unwrap();
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o700)).unwrap();
        chown(&copy, Some(owner.uid()), Some(owner.gid())).unwrap();
        let standby = Self { programs, data: copy, url };
        assert!(standby.run("pg_basebackup", &["--dbname", primary, "--write-recovery-conf", "--checkpoint=fast"]), "it is not copied");
        let options = format!("-p {port} -c max_standby_streaming_delay=0");
        let log = standby.data.join("standby.log").display().to_string();
        assert!(standby.run("pg_ctl", &["start", "--log", &log, "--wait", "--silent", "--options", &options]), "it does not start");
        standby
    }

    /// Runs one of Postgres' programs on the data, as its owner; whether it succeeded.
    fn run(&self, name: &str, arguments: &[&str]) -> bool {
        let mut command = Command::new(self.programs.join(name));
        command.args(arguments).arg("--pgdata").arg(&self.data).env("LD_LIBRARY_PATH", self.programs.join("../lib")).current_dir("/");
        if rustix::process::geteuid().is_root() {
            let owner = fs::metadata(&self.data).unwrap();
            command.uid(owner.uid()).gid(owner.gid());
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).status().is_ok_and(|status| status.success())
    }

    /// Waits until everything is there that the primary has now.
    async fn catch_up(&self, primary: &str) {
        let position = answer(primary, "select pg_logical_emit_message(true, 'test', 'here')::text").await;
        self.until(&format!("select (pg_last_wal_replay_lsn() >= '{position}'::pg_lsn)::text"), "true").await;
    }

    /// Lets nothing more arrive.
    async fn halt(&self) {
        answer(&self.url, "select pg_wal_replay_pause()::text").await;
        self.until("select pg_get_wal_replay_pause_state()", "paused").await;
    }

    async fn until(&self, question: &str, expected: &str) {
        for _ in 0..POLLS {
            if answer(&self.url, question).await == expected {
                return;
            }
            tokio::time::sleep(POLL).await;
        }
        panic!("«{question}» never became {expected}");
    }
}

impl Drop for Standby {
    fn drop(&mut self) {
        if self.data.join("postmaster.pid").exists() {
            self.run("pg_ctl", &["stop", "--mode=immediate", "--silent"]);
        }
    }
}

async fn answer(url: &str, question: &str) -> String {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let answer = sqlx::query_scalar(AssertSqlSafe(question.to_owned())).fetch_one(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    answer
}

/// The list of memories, as a browser with these cookies gets it.
async fn listed(site: &Site, cookies: &str, more: &[(HeaderName, &str)]) -> String {
    let headers = [&[(header::COOKIE, cookies), (header::ACCEPT, "text/html")][..], more].concat();
    let page = site.get("/memories", &headers).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    page.text
}

/// Settings that use replicas, which may lag behind for as long as the test runs.
fn reading(replicas: Replicas) -> Settings {
    let logins = Logins { replicas, ..Logins::default() };
    Settings { logins, replica_age: HOUR, lookup_budget: Duration::from_secs(60), ..Settings::default() }
}

/// Another server on the databases of a world.
async fn another(world: &World, replicas: Replicas) -> Engine {
    let embedder: Arc<dyn Embedder> = Arc::new(world.embedder.clone());
    let clock: Arc<dyn Clock> = Arc::<FakeClock>::clone(&world.clock);
    Engine::open(world.engine.urls().clone(), embedder, clock, reading(replicas)).await.unwrap()
}

/// What a browser sees while nothing more arrives at the replica.
async fn shows_what_its_reader_changed(site: &Site, standby: &Standby, primary: &str) {
    let world = &site.world;
    let ferry = memories::remember(&world.engine, &world.atlas, fact("ferry", "The ferry leaves at nine.")).await.unwrap();
    let (_, idle) = sign_in(site, &world.login, PASSWORD).await;
    let (signed_in, busy) = sign_in(site, &world.login, PASSWORD).await;
    let changed = signed_in.cookies().into_iter().find(|cookie| cookie.starts_with("rmb-changed=")).unwrap();
    // From now on a read needs what the primary has now.
    listed(site, &idle, &[]).await;
    standby.catch_up(primary).await;
    standby.halt().await;

    memories::remember(&world.engine, &world.atlas, fact("tram", "The tram leaves at ten.")).await.unwrap();
    let before = listed(site, &idle, &[]).await;
    assert!(before.contains("ferry leaves") && !before.contains("tram leaves"), "a list comes from the replica");
    let bearer = format!("Bearer {}", world.atlas_key);
    let own = site.get("/api/memories", &[(header::AUTHORIZATION, &bearer)]).await;
    assert!(own.text.contains("tram leaves"), "an agent reads from the primary: {}", own.text);
    let refreshed = listed(site, &idle, &[(HeaderName::from_static("rmb-refresh"), "1")]).await;
    assert!(refreshed.contains("tram leaves"), "what refreshes a page because of a change shows it");

    let deleted = form(site, "delete_memories", &busy, &format!("ids={}&reason=because", ferry.memory_id)).await;
    assert!(deleted.cookies().contains(&changed), "{deleted:?}");
    let after = listed(site, &format!("{busy}; {changed}"), &[]).await;
    assert!(!after.contains("ferry leaves") && after.contains("tram leaves"), "people see what they changed");
    assert!(listed(site, &idle, &[]).await.contains("ferry leaves"), "the replica is still where it was");
}

/// A read that the replica ends, because it is in the way of a change, runs again on the primary.
async fn is_read_again(world: &World, ctx: &OpContext) {
    let reads = Mutex::new(Vec::new());
    let (noted, primary) = (&reads, world.engine.urls().agent_memory.as_str());
    let read = |mut tx: db::Tx| async move {
        let is_replica: bool = sqlx::query_scalar("select pg_is_in_recovery()").fetch_one(&mut *tx).await?;
        noted.lock().unwrap().push(is_replica);
        let memories: i64 = sqlx::query_scalar("select count(*) from agent_memories").fetch_one(&mut *tx).await?;
        if is_replica {
            let mut owner = PgConnection::connect(primary).await.unwrap();
            let lock = "begin; lock table agent_memories in access exclusive mode; commit";
            sqlx::raw_sql(lock).execute(&mut owner).await.unwrap();
            owner.close().await.unwrap();
            sqlx::query("select pg_sleep(60)").execute(&mut *tx).await?;
        }
        tx.commit().await?;
        Ok::<_, Error>(memories)
    };
    assert_eq!(ctx.read(&world.engine.db().memory, Planned::ByPostgres, read).await.unwrap(), 2);
    assert_eq!(*reads.lock().unwrap(), [true, false]);
}

#[tokio::test]
async fn lists_are_read_from_a_replica_and_never_lack_what_their_reader_changed() {
    let scratch = tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o755)).tempdir().unwrap();
    let directory = scratch.path().join("postgres");
    let binary = std::env::var_os("REMEMBRANCER_PG0").unwrap().into();
    let settings = vec![("shared_buffers".into(), "16MB".into()), ("fsync".into(), "off".into())];
    let primary = Embedded::start(Options { binary, data_dir: directory.clone(), port: None, settings }).await.unwrap();
    let _ends = Ends(postmaster(&directory).unwrap());
    let databases = |url: &str| DatabaseUrls::derive(&format!("{}/remembrancer", url.rsplit_once('/').unwrap().0)).unwrap();
    let urls = databases(primary.url());
    create_databases(&urls).await.unwrap();
    migrate(&urls).await.unwrap();
    let standby = Standby::of(primary.url(), &directory.join("data"), scratch.path()).await;
    let replicas = Replicas::from(databases(&standby.url));

    let fake = Fake::new();
    let world = World::with(urls.clone(), Arc::new(fake.clone()), fake, reading(replicas.clone())).await;
    let site = Site::on(world.clone(), &[]);
    shows_what_its_reader_changed(&site, &standby, primary.url()).await;
    answer(&standby.url, "select pg_wal_replay_resume()::text").await;
    let ctx = OpContext { may_lag: true, ..world.vera.clone() };
    is_read_again(&world, &ctx).await;
    for (database, facts) in world.engine.db().replicas().await {
        assert!(facts.is_ok_and(|facts| !facts.has_feedback), "{database}");
    }

    // A primary is no replica, and a replica that is gone is not missed.
    let mistaken = another(&world, Replicas::from(urls)).await;
    for (_, facts) in mistaken.db().replicas().await {
        assert_eq!(facts.unwrap_err(), "it is no replica but a primary");
    }
    drop(standby);
    let alone = another(&world, replicas).await;
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_max_level(Level::WARN).with_ansi(false).with_writer(move || writer.clone()).finish();
    let twice = async {
        for _ in 0..2 {
            assert_eq!(memories::browse(&alone, &ctx, &MemoryFilter::default()).await.unwrap().rows.len(), 1);
        }
    };
    subscribed(twice, subscriber).await;
    let warnings: Vec<_> = log.lines().into_iter().filter(|line| line.contains("the replica is not read")).collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert_eq!(alone.ready().await.map_err(|(database, error)| format!("{database}: {error}")), Ok(0));
    assert!(alone.db().replicas().await.into_iter().all(|(_, facts)| facts.is_err()));

    for engine in [&world.engine, &mistaken, &alone] {
        engine.db().close().await;
    }
    primary.stop().await.unwrap();
}
