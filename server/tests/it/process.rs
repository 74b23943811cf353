//! The real process: killed, restarted, stopped.

use db::clock::SystemClock;
use db::embedded::{Embedded, Options};
use db::{DatabaseUrls, create_databases, lock_key, migrate};
use foundation::testing::{TestDatabases, World};
use sqlx::{Connection, PgConnection};
use std::collections::HashSet;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wire::AgentId;

/// Polls of a state before a test fails: 60 s in all.
pub const POLLS: usize = 600;
pub const POLL: Duration = Duration::from_millis(100);

pub struct Process {
    child: Child,
    pub address: String,
    pub metrics: String,
}

/// The variables that lead a server to the databases of a world.
pub fn databases(world: &World) -> Vec<(&'static str, String)> {
    let urls = world.engine.urls();
    vec![
        ("AGENT_MEMORY_DATABASE_URL", urls.agent_memory.clone()),
        ("SHARED_KB_DATABASE_URL", urls.shared_kb.clone()),
        ("INTERNAL_SHARED_DATABASE_URL", urls.internal_shared.clone()),
    ]
}

impl Process {
    pub async fn start(world: &World) -> Self {
        Self::with(&databases(world)).await
    }

    async fn with(variables: &[(&'static str, String)]) -> Self {
        Self::by(Command::new(env!("CARGO_BIN_EXE_remembrancer")).arg("serve"), variables).await
    }

    /// Starts a server by a command whose process becomes the server.
    pub async fn by(command: &mut Command, variables: &[(&'static str, String)]) -> Self {
        let port = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let (address, metrics) = (format!("127.0.0.1:{}", port()), format!("127.0.0.1:{}", port()));
        let child = command
            .env_remove("DATABASE_URL")
            .env_remove("PUBLIC_URL")
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .env("LISTEN_ADDR", &address)
            .env("METRICS_ADDR", &metrics)
            .env("RATE_LIMIT_PER_MINUTE", "1000000")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut process = Self { child, address, metrics };
        for _ in 0..POLLS {
            assert!(process.child.try_wait().unwrap().is_none(), "the server ended at its start");
            if process.curl("/readyz", &[]).is_some() {
                return process;
            }
            tokio::time::sleep(POLL).await;
        }
        panic!("the server did not become ready");
    }

    /// The body of a successful answer.
    pub fn curl(&self, path: &str, arguments: &[&str]) -> Option<String> {
        get(&self.address, path, arguments)
    }

    /// The body of an answer, of a refusal as well.
    pub fn body(&self, path: &str, arguments: &[&str]) -> String {
        let url = format!("http://{}{path}", self.address);
        let answer = Command::new("curl").args(["-sS", "--max-time", "30", &url]).args(arguments).output().unwrap();
        String::from_utf8_lossy(&answer.stdout).into_owned()
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether the metrics say that a database answers.
    fn says_up(&self, database: &str) -> bool {
        let metrics = get(&self.metrics, "/metrics", &[]).unwrap();
        metrics.lines().find(|line| line.starts_with("remembrancer_database_up") && line.contains(database)).unwrap().ends_with(" 1")
    }

    pub fn remember(&self, key: &str, content: &str) -> Option<String> {
        let input = serde_json::json!({ "topic_raw": "t", "content": content, "source": { "platform": "slack" } });
        self.call(key, "agent_memory_remember", &input)
    }

    /// The answer of a tool that did not fail.
    pub fn call(&self, key: &str, tool: &str, input: &serde_json::Value) -> Option<String> {
        let (bearer, input) = (format!("Authorization: Bearer {key}"), input.to_string());
        self.curl(&format!("/api/tools/{tool}"), &["-H", &bearer, "-H", "Content-Type: application/json", "-d", &input])
    }

    /// Ends it as an administrator does, and says whether that was clean.
    pub fn stop(mut self) -> bool {
        assert!(Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap().success());
        self.child.wait().unwrap().success()
    }

    /// Ends it as a crash does.
    pub fn kill(&self) {
        assert!(Command::new("kill").args(["-9", &self.child.id().to_string()]).status().unwrap().success());
    }
}

pub fn get(address: &str, path: &str, arguments: &[&str]) -> Option<String> {
    let url = format!("http://{address}{path}");
    let output = Command::new("curl").args(["-sSf", "--max-time", "30", &url]).args(arguments).output().unwrap();
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn audit_rows(control: &mut PgConnection, world: &World, action: &str) -> i64 {
    let Ok(AgentId(agent)) = world.atlas.agent_id() else { panic!("atlas is an agent") };
    sqlx::query_scalar("select count(*) from audit_log where agent_id = $1 and action = $2")
        .bind(agent)
        .bind(action)
        .fetch_one(control)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_kill_between_commit_and_relay_loses_no_audit_row() {
    let world = World::on(TestDatabases::fresh(&SystemClock).await).await;
    let mut control = PgConnection::connect(&world.engine.urls().internal_shared).await.unwrap();
    let process = Process::start(&world).await;

    // Holding the lock of the chain keeps the relay from delivering: the commit is done, the delivery is not.
    let mut holder = PgConnection::connect(&world.engine.urls().internal_shared).await.unwrap();
    let chain = lock_key(&[b"audit", world.system.tenant_id.0.as_bytes()]);
    sqlx::query("select pg_advisory_lock($1)").bind(chain).execute(&mut holder).await.unwrap();
    assert!(process.remember(&world.atlas_key, "The kettle is in the left cupboard.").is_some(), "remember does not wait for the relay");
    drop(process); // SIGKILL
    assert_eq!(audit_rows(&mut control, &world, "memory.remembered").await, 0, "nothing was delivered yet");
    holder.close().await.unwrap();

    let _again = Process::start(&world).await;
    for _ in 0..POLLS {
        if audit_rows(&mut control, &world, "memory.remembered").await == 1 {
            return;
        }
        tokio::time::sleep(POLL).await;
    }
    panic!("the audit row never came");
}

#[tokio::test]
async fn a_server_stops_cleanly_when_whoever_started_it_is_gone() {
    let world = World::on(TestDatabases::fresh(&SystemClock).await).await;
    let mut child = Command::new(env!("CARGO_BIN_EXE_remembrancer"))
        .args(["serve", "--until-input-ends"])
        .env_remove("DATABASE_URL")
        .env_remove("PUBLIC_URL")
        .envs(databases(&world))
        .env("LISTEN_ADDR", "127.0.0.1:0")
        .env("METRICS_ADDR", "127.0.0.1:0")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[tokio::test]
async fn a_server_that_gets_sigterm_stops_cleanly() {
    let world = World::on(TestDatabases::fresh(&SystemClock).await).await;
    let process = Process::start(&world).await;
    assert!(process.remember(&world.atlas_key, "The printer is on the second floor.").is_some());
    assert!(process.stop(), "SIGTERM is a clean end");
}

/// Writes as fast as it can until it is stopped, and records what was acknowledged.
pub struct Writer {
    stop: Arc<AtomicBool>,
    acknowledged: Arc<Mutex<Vec<String>>>,
    refused: Arc<AtomicUsize>,
    thread: std::thread::JoinHandle<()>,
}

impl Writer {
    pub fn start(process: &Arc<Process>, key: &str, name: &str) -> Self {
        let (stop, acknowledged, refused) =
            (Arc::<AtomicBool>::default(), Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicUsize>::default());
        let (process, key, name) = (Arc::clone(process), key.to_owned(), name.to_owned());
        let (stopped, kept, failed) = (Arc::clone(&stop), Arc::clone(&acknowledged), Arc::clone(&refused));
        let thread = std::thread::spawn(move || {
            for number in 0.. {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                let content = format!("Parcel {number} of {name} is at the gate.");
                match process.remember(&key, &content) {
                    Some(_) => kept.lock().unwrap().push(content),
                    None => {
                        failed.fetch_add(1, Ordering::SeqCst);
                    }
                }
            }
        });
        Self { stop, acknowledged, refused, thread }
    }

    pub fn written(&self) -> usize {
        self.acknowledged.lock().unwrap().len()
    }

    pub fn end(self) -> Vec<String> {
        self.stop.store(true, Ordering::SeqCst);
        self.thread.join().unwrap();
        std::mem::take(&mut *self.acknowledged.lock().unwrap())
    }
}

pub async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..POLLS {
        if holds() {
            return;
        }
        tokio::time::sleep(POLL).await;
    }
    panic!("{what} never happened");
}

/// A project that exists is refused with 409: only its key makes it harmless to send it again.
fn create_project(process: &Process, key: &str, number: usize) -> Option<String> {
    let body = serde_json::json!({ "slug": format!("p{number}"), "name": format!("Project {number}") }).to_string();
    let headers =
        [format!("Authorization: Bearer {key}"), format!("Idempotency-Key: project-{number}"), "Content-Type: application/json".into()];
    let [bearer, once, media_type] = &headers;
    process.curl("/api/projects", &["-H", bearer, "-H", once, "-H", media_type, "-d", &body])
}

#[tokio::test]
async fn writes_with_a_key_are_carried_out_once_however_often_the_server_is_killed() {
    let world = World::on(TestDatabases::fresh(&SystemClock).await).await;
    // The answers of the projects that were sent; nothing for those that the kill cut off.
    let mut sent: Vec<Option<String>> = Vec::new();
    for _ in 0..3 {
        let process = Arc::new(Process::start(&world).await);
        for (number, first) in sent.iter_mut().enumerate() {
            let answer = create_project(&process, &world.atlas_key, number).unwrap();
            assert_eq!(first.get_or_insert_with(|| answer.clone()), &answer);
        }
        let (from, answers) = (sent.len(), Arc::<Mutex<Vec<Option<String>>>>::default());
        let (writing, key, kept) = (Arc::clone(&process), world.atlas_key.clone(), Arc::clone(&answers));
        let writer = std::thread::spawn(move || {
            for number in from.. {
                let answer = create_project(&writing, &key, number);
                let ended = answer.is_none();
                kept.lock().unwrap().push(answer);
                if ended {
                    return;
                }
            }
        });
        until("some projects", || answers.lock().unwrap().len() > 5).await;
        process.kill();
        writer.join().unwrap();
        sent.append(&mut answers.lock().unwrap());
    }
    let process = Process::start(&world).await;
    for (number, first) in sent.iter().enumerate() {
        let answer = create_project(&process, &world.atlas_key, number).unwrap();
        assert!(first.as_ref().is_none_or(|first| *first == answer), "{answer}");
    }
    let mut owner = PgConnection::connect(&world.engine.urls().agent_memory).await.unwrap();
    let there: i64 = sqlx::query_scalar("select count(*) from projects").fetch_one(&mut owner).await.unwrap();
    assert_eq!(usize::try_from(there).unwrap(), sent.len());
}

/// The first line of the file in which Postgres notes its process.
pub fn postmaster(directory: &Path) -> Option<String> {
    fs::read_to_string(directory.join("data/postmaster.pid")).ok()?.lines().next().map(str::to_owned)
}

/// Kills Postgres while a server writes, and lets `recover` bring it back; every acknowledged write is there afterwards.
async fn survives(process: Process, world: &World, directory: &Path, recover: impl AsyncFnOnce(&[Writer])) {
    let process = Arc::new(process);
    let writers = ["Vera", "Idris"].map(|name| Writer::start(&process, &world.atlas_key, name));
    until("a first write", || writers.iter().all(|writer| writer.written() > 3)).await;
    let killed = postmaster(directory);
    assert!(Command::new("kill").args(["-9", killed.as_deref().unwrap()]).status().unwrap().success());
    recover(&writers).await;
    until("another Postgres", || postmaster(directory).is_some_and(|pid| Some(pid) != killed)).await;
    let before: Vec<usize> = writers.iter().map(Writer::written).collect();
    until("another write", || writers.iter().zip(&before).all(|(writer, before)| writer.written() > before + 3)).await;
    // Each of the three databases is asked for itself, and each comes back when its own connections do.
    until("readiness", || process.curl("/readyz", &[]).is_some() && process.says_up("agent_memory")).await;
    let acknowledged: Vec<String> = writers.into_iter().flat_map(Writer::end).collect();
    let mut owner = PgConnection::connect(&world.engine.urls().agent_memory).await.unwrap();
    let kept: HashSet<String> =
        sqlx::query_scalar("select content from agent_memory_versions").fetch_all(&mut owner).await.unwrap().into_iter().collect();
    let lost: Vec<_> = acknowledged.iter().filter(|content| !kept.contains(*content)).collect();
    assert!(lost.is_empty(), "{lost:?} of {}", acknowledged.len());
}

/// Sends a signal to the first process of Postgres and to those that it started.
fn signal_all(name: &str, postmaster: &str) {
    let children = Command::new("pgrep").args(["-P", postmaster]).output().unwrap().stdout;
    let children = String::from_utf8(children).unwrap();
    assert!(Command::new("kill").arg(format!("-{name}")).args(children.split_whitespace().chain([postmaster])).status().unwrap().success());
}

/// A Postgres that takes connections and never answers: the server says so, stops in time, and does not start in silence.
async fn survives_a_halt(scratch: &tempfile::TempDir, directory: &Path) {
    let variables = [
        ("DATA_DIR", scratch.path().display().to_string()),
        ("STATEMENT_TIMEOUT_SECONDS", "1".to_owned()),
        ("SHUTDOWN_SECONDS", "1".to_owned()),
    ];
    let process = Process::with(&variables).await;
    let halted = postmaster(directory).unwrap();
    signal_all("STOP", &halted);
    // An answer from before the halt may serve for another second.
    until("the readiness that says so", || process.body("/readyz", &[]).contains("does not answer")).await;
    assert!(!process.stop(), "its Postgres could not be stopped");
    let start = Command::new(env!("CARGO_BIN_EXE_remembrancer"))
        .args(["audit", "verify", "--tenant", "acme"])
        .env_remove("DATABASE_URL")
        .env("DATA_DIR", scratch.path())
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&start.stderr).into_owned();
    assert!(!start.status.success() && message.contains(&format!("kill -CONT {halted}")), "{message}");
    signal_all("CONT", &halted);
}

#[tokio::test]
async fn a_postgres_that_is_killed_under_the_server_costs_nothing_that_was_acknowledged() {
    let scratch = tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o755)).tempdir().unwrap();
    let directory = scratch.path().join("postgres");
    let binary = std::env::var_os("REMEMBRANCER_PG0").unwrap().into();
    let settings = vec![("shared_buffers".into(), "16MB".into())];
    let postgres = Embedded::start(Options { binary, data_dir: directory.clone(), port: None, settings }).await.unwrap();
    let (server, _) = postgres.url().rsplit_once('/').unwrap();
    let urls = DatabaseUrls::derive(&format!("{server}/remembrancer")).unwrap();
    create_databases(&urls).await.unwrap();
    migrate(&urls).await.unwrap();
    let world = World::on(urls).await;

    // A Postgres that the server does not own: the server reports that it is down, and continues when it is back.
    let process = Process::start(&world).await;
    let address = process.metrics.clone();
    for path in ["/metrics", "/healthz", "/readyz"] {
        assert!(get(&address, path, &[]).is_some() && get(&address, path, &["-H", "Host: localhost"]).is_some(), "{path}");
        assert!(get(&address, path, &["-H", "Host: rebound.example"]).is_none(), "{path} answers another site's name");
    }
    survives(process, &world, &directory, async |writers| {
        until("a refusal", || writers.iter().all(|writer| writer.refused.load(Ordering::SeqCst) > 0)).await;
        until("the metrics that say so", || {
            get(&address, "/metrics", &[]).unwrap().lines().any(|line| line == "remembrancer_database_up{database=\"agent_memory\"} 0")
        })
        .await;
        assert!(postgres.revive().await.unwrap());
    })
    .await;

    // The server's own Postgres: the server starts it again.
    world.engine.db().close().await;
    postgres.stop().await.unwrap();
    survives(Process::with(&[("DATA_DIR", scratch.path().display().to_string())]).await, &world, &directory, async |_| {}).await;
    survives_a_halt(&scratch, &directory).await;
    // A killed server leaves Postgres to the next start; here the test stops it.
    let options =
        Options { binary: std::env::var_os("REMEMBRANCER_PG0").unwrap().into(), data_dir: directory, port: None, settings: vec![] };
    Embedded::start(options).await.unwrap().stop().await.unwrap();
}
