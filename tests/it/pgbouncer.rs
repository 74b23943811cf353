//! The real PgBouncer in front of Postgres, where it is installed.

use crate::pooler::through;
use crate::support::{Run, contents, remember, settle};
use db::{DatabaseUrls, Databases, Logins, Patience, backup};
use foundation::Settings;
use foundation::testing::{Fake, FakeClock, TestDatabases, World, fact};
use sqlx::ConnectOptions;
use sqlx::postgres::PgConnectOptions;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

/// How long a test waits before it fails.
const PATIENCE: Duration = Duration::from_secs(60);
/// The first version that knows prepared statements in every session.
const PREPARES: (u32, u32) = (1, 21);

/// The program; absent, with a sentence, where it is not installed.
fn program() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    // Debian has it where only root looks.
    let folders = env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    let program = folders.map(|folder| folder.join("pgbouncer")).find(|file| file.is_file());
    if program.is_none() {
        eprintln!("skipped: pgbouncer is not installed");
    }
    program
}

fn version(program: &Path) -> (u32, u32) {
    let output = Command::new(program).arg("--version").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let version = text.split_whitespace().nth(1).unwrap();
    let mut numbers = version.split('.').map(|number| number.parse().unwrap());
    (numbers.next().unwrap(), numbers.next().unwrap())
}

/// A PgBouncer that ends with the test.
struct PgBouncer {
    child: Child,
    port: u16,
    _folder: TempDir,
}

impl PgBouncer {
    /// In front of the Postgres of `url`, with the settings of docs/operations.md and `mode`.
    async fn start(program: &Path, url: &str, mode: &str) -> Self {
        let options = PgConnectOptions::from_str(url).unwrap();
        let (host, postgres, user) = (options.get_host(), options.get_port(), options.get_username());
        let password = options.to_url_lossy().password().map(|password| format!(" password={password}")).unwrap_or_default();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let configuration = format!(
            "[databases]\n* = host={host} port={postgres} user={user}{password}\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n\
             ignore_startup_parameters = extra_float_digits,options\ndefault_pool_size = 25\nmax_client_conn = 100\n{mode}\n"
        );
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("pgbouncer.ini");
        fs::write(&file, configuration).unwrap();
        let mut command = Command::new(program);
        if rustix::process::geteuid().is_root() {
            // It does not work as root.
            command.args(["-u", "nobody"]);
        }
        let child = command.arg("-q").arg(&file).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut started = Self { child, port, _folder: folder };
        let listening = async {
            while TcpStream::connect(("127.0.0.1", port)).is_err() {
                assert!(started.child.try_wait().unwrap().is_none(), "PgBouncer ended at its start");
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, listening).await.unwrap();
        started
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The pools of a server that logs in through `pooled`, and whose owner does not.
fn pools(owner: &DatabaseUrls, pooled: &DatabaseUrls) -> Databases {
    let logins = Logins { app: Some(pooled.clone()), system: Some(pooled.clone()), ..Logins::default() };
    Databases::connect(owner, &logins, Patience { connection: PATIENCE, lookup: PATIENCE, statement: PATIENCE, replica: PATIENCE }).unwrap()
}

#[tokio::test]
async fn a_pool_of_sessions_serves_everything() {
    let Some(program) = program() else { return };
    let urls = TestDatabases::fresh(&FakeClock::default()).await;
    let pgbouncer = PgBouncer::start(&program, &urls.agent_memory, "pool_mode = session").await;
    let pooled = through(&urls, pgbouncer.port);
    db::migrate(&pooled).await.unwrap();
    pools(&urls, &pooled).prove().await.unwrap();
    let fake = Fake::new();
    let world = World::with(pooled, Arc::new(fake.clone()), fake, Settings::default()).await;
    remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    settle(&world).await;
    assert_eq!(contents(&world, &world.atlas, "tea").await, ["Vera likes tea"]);
    let mut listener = world.engine.db().memory.system().listener().await.unwrap();
    listener.listen("rmb_test").await.unwrap();
    sqlx::query("select pg_notify('rmb_test', 'work')").run(&urls.agent_memory).await;
    let announced = timeout(PATIENCE, listener.recv()).await.expect("an announcement arrives").unwrap();
    assert_eq!(announced.payload(), "work");
}

#[tokio::test]
async fn a_pool_of_transactions_is_refused_with_a_sentence_unless_it_keeps_prepared_statements() {
    let Some(program) = program() else { return };
    let urls = TestDatabases::fresh(&FakeClock::default()).await;
    let prepares = version(&program) >= PREPARES;
    let forgets = if prepares { "pool_mode = transaction\nmax_prepared_statements = 0" } else { "pool_mode = transaction" };
    let pgbouncer = PgBouncer::start(&program, &urls.agent_memory, forgets).await;
    let pooled = through(&urls, pgbouncer.port);
    // What one command prepares, the next one finds: each is refused in the same words.
    for _ in 0..2 {
        let refused = db::migrate(&pooled).await.unwrap_err().to_string();
        assert!(refused.contains("pool_mode = transaction") && refused.contains("nothing was changed"), "{refused}");
        let inspected = db::inspect(&pooled).await;
        assert!(inspected.iter().all(|one| one.facts.as_ref().is_ok_and(|facts| !facts.is_one_session)), "{inspected:?}");
        if let Err(refused) = backup::require_whole(&pooled).await {
            assert!(refused.to_string().contains("pool_mode = transaction"), "{refused}");
        }
    }
    let refused = pools(&urls, &pooled).prove().await.unwrap_err().to_string();
    assert!(refused.contains("(APP_DATABASE_URL)") && refused.contains("max_prepared_statements"), "{refused}");
    if prepares {
        let keeps = "pool_mode = transaction\nmax_prepared_statements = 100";
        let pgbouncer = PgBouncer::start(&program, &urls.agent_memory, keeps).await;
        pools(&urls, &through(&urls, pgbouncer.port)).prove().await.unwrap();
    }
}

#[tokio::test]
async fn a_database_that_a_pooler_does_not_reach_is_refused_with_a_sentence() {
    let Some(program) = program() else { return };
    let absent = TestDatabases::urls("rmb_test_absent");
    let pgbouncer = PgBouncer::start(&program, &absent.agent_memory, "pool_mode = session").await;
    let refused = db::migrate(&through(&absent, pgbouncer.port)).await.unwrap_err().to_string();
    assert!(refused.contains("rmb_test_absent_agent_memory") && refused.contains("DATABASE_URL"), "{refused}");
}
