//! The real process: killed, restarted, stopped.

use db::clock::{Clock, SystemClock};
use db::embedded::{Embedded, Options};
use db::{DatabaseUrls, create_databases, drop_databases, lock_key, migrate};
use foundation::identity;
use foundation::testing::{FakeClock, TestDatabases, World};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Connection, PgConnection};
use std::collections::HashSet;
use std::fs;
use std::io::{self, Read};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wire::{AgentId, CapturePolicy, Promotion, SensitiveMatters};

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
        let port = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let (address, metrics) = (format!("127.0.0.1:{}", port()), format!("127.0.0.1:{}", port()));
        let child = Command::new(env!("CARGO_BIN_EXE_remembrancer"))
            .arg("serve")
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
    let mut process = Process::start(&world).await;
    assert!(process.remember(&world.atlas_key, "The printer is on the second floor.").is_some());
    assert!(Command::new("kill").args(["-TERM", &process.child.id().to_string()]).status().unwrap().success());
    assert!(process.child.wait().unwrap().success(), "SIGTERM is a clean end");
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
fn postmaster(directory: &Path) -> Option<String> {
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
    let mut process = Process::with(&variables).await;
    let halted = postmaster(directory).unwrap();
    signal_all("STOP", &halted);
    let readyz = format!("http://{}/readyz", process.address);
    // An answer from before the halt may serve for another second.
    until("the readiness that says so", || {
        let readiness = Command::new("curl").args(["-sS", "--max-time", "30", &readyz]).output().unwrap().stdout;
        String::from_utf8_lossy(&readiness).contains("does not answer")
    })
    .await;
    assert!(Command::new("kill").args(["-TERM", &process.child.id().to_string()]).status().unwrap().success());
    assert!(!process.child.wait().unwrap().success(), "its Postgres could not be stopped");
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

/// Runs a command of the program in a folder, with these settings alone.
fn command(folder: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_remembrancer"));
    command
        .args(arguments)
        .current_dir(folder)
        .env_remove("DATABASE_URL")
        .env_remove("DATA_DIR")
        .env_remove("PUBLIC_URL")
        .env_remove("RUST_LOG");
    command.envs(variables.iter().copied()).output().unwrap()
}

/// The sentence of a command that fails.
fn refusal(output: &Output) -> String {
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{message}");
    message.lines().last().unwrap_or_default().to_owned()
}

/// Commands that need databases and must not make any.
const NO_MAKERS: [&[&str]; 7] = [
    &["tenant", "create", "zephyr", "--name", "Zephyr"],
    &["agent", "create", "atlas", "--tenant", "zephyr", "--name", "Atlas"],
    &["operator", "reset-password", "vera@zephyr.example"],
    &["export", "--tenant", "zephyr"],
    &["audit", "verify", "--tenant", "zephyr"],
    &["worker"],
    &["backup", "monday"],
];

#[test]
fn a_command_in_a_folder_without_data_says_where_it_looked_and_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let here = fs::canonicalize(folder.path()).unwrap();
    let questions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/retrieval/updates.jsonl");
    let eval: &[&str] = &["eval", "retrieval", questions.to_str().unwrap()];
    for arguments in NO_MAKERS.iter().copied().chain([eval]) {
        for (variables, setting, place) in [
            (&[][..], "DATA_DIR is «.local»", ".local/postgres"),
            (&[("DATA_DIR", "no/data")][..], "DATA_DIR is «no/data»", "no/data/postgres"),
        ] {
            let sentence = refusal(&command(&here, variables, arguments));
            let place = here.join(place).display().to_string();
            for words in ["there is no database in", &place, setting, "DATABASE_URL", "remembrancer migrate"] {
                assert!(sentence.contains(words), "{arguments:?}: {sentence}");
            }
            assert_eq!(fs::read_dir(&here).unwrap().count(), 0, "{arguments:?} left something behind");
        }
    }
}

#[tokio::test]
async fn a_command_never_makes_the_databases_of_a_url_but_migrate_does() {
    let folder = tempfile::tempdir().unwrap();
    let there = TestDatabases::fresh(&SystemClock).await;
    let absent = format!("{}_absent", PgConnectOptions::from_str(&there.agent_memory).unwrap().get_database().unwrap());
    let urls = TestDatabases::urls(&absent);
    let variables = [
        ("AGENT_MEMORY_DATABASE_URL", urls.agent_memory.as_str()),
        ("SHARED_KB_DATABASE_URL", urls.shared_kb.as_str()),
        ("INTERNAL_SHARED_DATABASE_URL", urls.internal_shared.as_str()),
    ];
    for arguments in NO_MAKERS {
        let sentence = refusal(&command(folder.path(), &variables, arguments));
        let named = format!("has no database {absent}_agent_memory");
        for words in [named.as_str(), "correct DATABASE_URL or AGENT_MEMORY_DATABASE_URL", "remembrancer migrate"] {
            assert!(sentence.contains(words), "{arguments:?}: {sentence}");
        }
        assert!(PgConnection::connect(&urls.agent_memory).await.is_err(), "{arguments:?} made a database");
    }
    assert!(command(folder.path(), &variables, &["migrate"]).status.success());
    let made = command(folder.path(), &variables, NO_MAKERS[0]);
    drop_databases(&urls).await.unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

#[tokio::test]
async fn the_command_line_changes_what_it_names_of_the_capture_policy() {
    let (world, folder) = (World::new().await, tempfile::tempdir().unwrap());
    let urls = databases(&world);
    let variables: Vec<(&str, &str)> = urls.iter().map(|(name, url)| (*name, url.as_str())).collect();
    let run =
        |options: &[&str]| command(folder.path(), &variables, &[&["tenant", "capture", world.tenant_slug.as_str()], options].concat());
    let policy = async || identity::policy(&world.engine, &world.system).await.unwrap();
    let shown = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();

    let before = run(&[]);
    assert!(shown(&before).contains("--episodes automatic --profile review") && shown(&before).contains("--health 0"), "{before:?}");
    assert_eq!(policy().await, CapturePolicy::default());
    let changed =
        run(&["--decisions", "automatic", "--confidence-min", "0.75", "--faith", "30", "--money", "forever", "--shared-profiles", "true"]);
    assert!(changed.status.success() && shown(&changed).contains("--health 0 --faith 30 --politics 0 --money forever"), "{changed:?}");
    let expected = CapturePolicy {
        decisions: Promotion::Automatic,
        confidence_min: 0.75,
        sensitive: SensitiveMatters { faith: Some(30), money: None, ..SensitiveMatters::default() },
        shared_profiles: true,
        ..CapturePolicy::default()
    };
    assert_eq!(policy().await, expected);
    for (options, words) in
        [(["--confidence-min", "7"], "from 0 to 1"), (["--episodes", "never"], "automatic, review"), (["--health", "soon"], "forever")]
    {
        let refused = run(&options);
        let message = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && message.contains(words), "{message}");
    }
    assert_eq!(policy().await, expected);
}

#[tokio::test]
async fn the_command_line_makes_an_agent_with_the_id_that_it_has_elsewhere() {
    let (world, folder) = (World::new().await, tempfile::tempdir().unwrap());
    let urls = databases(&world);
    // It needs no model, so it reads none.
    let model = ("REMEMBRANCER_MODEL_DIR", "/no/such/folder");
    let variables: Vec<(&str, &str)> = urls.iter().map(|(name, url)| (*name, url.as_str())).chain([model]).collect();
    let id = AgentId(world.clock.id());
    let text = id.to_string();
    let create = |slug| {
        let tenant = world.tenant_slug.as_str();
        command(folder.path(), &variables, &["agent", "create", slug, "--tenant", tenant, "--name", "Zephyr", "--id", &text])
    };
    let made = create("zephyr");
    assert!(made.status.success(), "{made:?}");
    assert_eq!(String::from_utf8_lossy(&made.stdout), format!("agent zephyr {id}\n"));
    assert_eq!(identity::agent_by_slug(&world.engine, &world.system, "zephyr").await.unwrap().id, id);
    assert!(refusal(&create("breeze")).ends_with(&format!("the id {id} belongs to the agent zephyr already")));
}

#[tokio::test]
async fn the_command_line_lists_the_embedding_models_and_refuses_a_change_that_cannot_be() {
    let clock = FakeClock::default();
    let (world, folder) = (World::on(TestDatabases::fresh(&clock).await).await, tempfile::tempdir().unwrap());
    let urls = databases(&world);
    let nowhere = ("REMEMBRANCER_MODEL_DIR", "/no/such/folder");
    let variables: Vec<(&str, &str)> = urls.iter().map(|(name, url)| (*name, url.as_str())).chain([nowhere]).collect();
    let run = |arguments: &[&str]| command(folder.path(), &variables, &[&["model"], arguments].concat());

    let list = || String::from_utf8_lossy(&run(&["list"]).stdout).into_owned();
    let before = list();
    let of = |name: &str| before.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert!(of("multilingual-e5-small").contains("in use") && of("multilingual-e5-small").contains("memories 0 of 0"), "{before}");
    assert!(of("all-MiniLM-L6-v2").contains("available"), "{before}");
    let refused: [(&[&str], &str); 6] = [
        (&["add", "all-maxilm"], "which the registry does not have"),
        (&["add", "all-MiniLM-L6-v2"], "REMEMBRANCER_MODEL_DIR must be a folder"),
        (&["switch", "all-MiniLM-L6-v2"], "run 'remembrancer model add all-MiniLM-L6-v2' first"),
        (&["compare", "all-MiniLM-L6-v2"], "run 'remembrancer model add all-MiniLM-L6-v2' first"),
        (&["rollback"], "there is nothing to go back to"),
        (&["drop", "multilingual-e5-small"], "is the current model"),
    ];
    for (arguments, words) in refused {
        let message = refusal(&run(arguments));
        assert!(message.contains(words), "{arguments:?}: {message}");
    }
    assert_eq!(list(), before);
}

/// The folder of the model that new databases begin with.
const MULTILINGUAL: &str = "multilingual-e5-small";

/// A folder of models whose tokenizer is that of a model, and whose weights are cut after so many bytes.
fn models(tokenizer: &str, weights: u64) -> tempfile::TempDir {
    let (there, models) = (std::env::var_os("REMEMBRANCER_MODEL_DIR").unwrap(), tempfile::tempdir().unwrap());
    let (there, folder) = (Path::new(&there), models.path().join(MULTILINGUAL));
    fs::create_dir(&folder).unwrap();
    fs::copy(there.join(tokenizer).join("tokenizer.json"), folder.join("tokenizer.json")).unwrap();
    let mut cut = fs::File::open(there.join(MULTILINGUAL).join("e5-small-q4.bin")).unwrap().take(weights);
    io::copy(&mut cut, &mut fs::File::create(folder.join("e5-small-q4.bin")).unwrap()).unwrap();
    models
}

/// Variables, and the words of the sentence about them.
type Case<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str]);

/// What a start prints that fails for its settings.
fn refused_start(variables: &[(&str, &str)]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_remembrancer"))
        .arg("serve")
        .env_remove("DATABASE_URL")
        .env_remove("RUST_LOG")
        .envs([("LISTEN_ADDR", "127.0.0.1:0"), ("METRICS_ADDR", "127.0.0.1:0")])
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    assert!(!output.status.success(), "{variables:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[tokio::test]
async fn a_wrong_setting_stops_the_start_with_a_sentence_that_names_it_and_says_what_to_do() {
    let urls = TestDatabases::fresh(&SystemClock).await;
    let good = urls.agent_memory.strip_suffix("_agent_memory").unwrap();
    let as_user =
        |user: &str| PgConnectOptions::from_str(good).unwrap().username(user).password("no-such-password").to_url_lossy().to_string();
    let (wrong_password, stranger) = (as_user("postgres"), as_user("no_such_user"));
    let empty = tempfile::tempdir().unwrap();
    let empty = empty.path().to_str().unwrap();
    let text = tempfile::NamedTempFile::new().unwrap();
    fs::write(text.path(), "this is no library").unwrap();
    let text = text.path().to_str().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let (cut, other) = (models(MULTILINGUAL, 5_000_000), models("all-minilm-l6-v2", 0));
    let (cut, other) = (cut.path().to_str().unwrap(), other.path().to_str().unwrap());
    let cases: &[Case<'_>] = &[
        (&[("LISTEN_ADDR", "somewhere")], &["LISTEN_ADDR is «somewhere»", "127.0.0.1:3000"]),
        (&[("RUST_LOG", "a=b=c")], &["RUST_LOG", "must be a filter"]),
        (&[("KB_DIR", "no/such/folder"), ("KB_TENANT", "acme")], &["KB_DIR is «no/such/folder»", "a folder that exists"]),
        (&[("KB_DIR", empty)], &["KB_TENANT", "because KB_DIR is set"]),
        (&[("SKILLS_DIR", "no/such/folder")], &["SKILLS_DIR", "a folder that exists"]),
        (&[("APP_DATABASE_URL", "postgres://a@b/c")], &["APP_DATABASE_URL", "DATABASE_URL is not set"]),
        (&[("DATABASE_URL", "postgres://localhost")], &["DATABASE_URL", "postgres://user:password@host:port/base"]),
        (
            &[("DATABASE_URL", "postgres://vera@127.0.0.1:1/acme")],
            &["Postgres at 127.0.0.1:1 cannot be reached", "DATABASE_URL", "start it"],
        ),
        (&[("DATABASE_URL", &wrong_password)], &["refuses the user postgres", "correct user and password in DATABASE_URL"]),
        (&[("DATABASE_URL", good), ("SYSTEM_DATABASE_URL", &stranger)], &["(SYSTEM_DATABASE_URL) is refused", "correct user and password"]),
        (&[("DATABASE_URL", good), ("REMEMBRANCER_MODEL_DIR", empty)], &["REMEMBRANCER_MODEL_DIR", "scripts/fetch.sh"]),
        (
            &[("DATABASE_URL", good), ("EMBEDDING_MODEL", "text-embedding-3-small")],
            &["EMBEDDING_MODEL is «text-embedding-3-small»", "multilingual-e5-small and all-MiniLM-L6-v2"],
        ),
        (
            &[("DATABASE_URL", good), ("REMEMBRANCER_ONNXRUNTIME", "/no/such/library.so")],
            &["/no/such/library.so", "REMEMBRANCER_ONNXRUNTIME", "scripts/fetch.sh"],
        ),
        (&[("DATABASE_URL", good), ("REMEMBRANCER_ONNXRUNTIME", text)], &[text, "REMEMBRANCER_ONNXRUNTIME", "scripts/fetch.sh"]),
        (&[("LISTEN_ADDR", &taken)], &["address already in use", "set LISTEN_ADDR to another address"]),
        (&[("METRICS_ADDR", &taken)], &["address already in use", "set METRICS_ADDR to another address"]),
        (&[("DATA_DIR", text)], &[text, "cannot be used", "set DATA_DIR to a folder"]),
        (&[("DATABASE_URL", good), ("REMEMBRANCER_MODEL_DIR", cut)], &["e5-small-q4.bin: the file is cut short", "REMEMBRANCER_MODEL_DIR"]),
        (&[("DATABASE_URL", good), ("REMEMBRANCER_MODEL_DIR", other)], &["it is that of another model", "REMEMBRANCER_MODEL_DIR"]),
        (&[("DATA_DIR", empty), ("REMEMBRANCER_PG0", "/no/such/pg0")], &["pg0 at /no/such/pg0", "scripts/fetch.sh", "DATABASE_URL"]),
    ];
    for (variables, words) in cases {
        let message = refused_start(variables);
        let last = message.lines().last().unwrap_or_default();
        for words in *words {
            assert!(last.contains(words), "{variables:?}: {message}");
        }
        for internal in ["sqlx", "src/", "os error", "error returned from database", "no-such-password", "panicked"] {
            assert!(!last.contains(internal), "{variables:?}: {message}");
        }
    }
}
