//! The real process: killed, restarted, stopped.

use remembrancer::api::AgentId;
use remembrancer::clock::SystemClock;
use remembrancer::db::lock_key;
use remembrancer::testing::{TestDatabases, World};
use sqlx::{Connection, PgConnection};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Polls of a state before a test gives up: 60 s in all.
const POLLS: usize = 600;
const POLL: Duration = Duration::from_millis(100);

struct Process {
    child: Child,
    address: String,
}

impl Process {
    async fn start(world: &World) -> Self {
        let port = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = format!("127.0.0.1:{}", port());
        let urls = world.engine.urls();
        let child = Command::new(env!("CARGO_BIN_EXE_remembrancer"))
            .arg("serve")
            .env("AGENT_MEMORY_DATABASE_URL", &urls.agent_memory)
            .env("SHARED_KB_DATABASE_URL", &urls.shared_kb)
            .env("INTERNAL_SHARED_DATABASE_URL", &urls.internal_shared)
            .env("LISTEN_ADDR", &address)
            .env("METRICS_ADDR", format!("127.0.0.1:{}", port()))
            .env_remove("PUBLIC_URL")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut process = Self { child, address };
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
    fn curl(&self, path: &str, arguments: &[&str]) -> Option<String> {
        let url = format!("http://{}{path}", self.address);
        let output = Command::new("curl").args(["-sSf", "--max-time", "30", &url]).args(arguments).output().unwrap();
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn remember(&self, key: &str, content: &str) -> Option<String> {
        let input = serde_json::json!({ "topic_raw": "t", "content": content, "source": { "platform": "slack" } }).to_string();
        let bearer = format!("Authorization: Bearer {key}");
        self.curl("/api/tools/agent_memory_remember", &["-H", &bearer, "-H", "Content-Type: application/json", "-d", &input])
    }
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
    let answer = process.remember(&world.atlas_key, "The kettle is in the left cupboard.");
    assert!(answer.is_some(), "remember does not wait for the relay");
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
async fn two_servers_on_one_set_of_databases_start_and_serve_together() {
    let world = World::on(TestDatabases::fresh(&SystemClock).await).await;
    let (one, other) = tokio::join!(Process::start(&world), Process::start(&world));
    assert!(one.remember(&world.atlas_key, "The lift is out of order.").unwrap().contains("\"unchanged\":false"));
    assert!(other.remember(&world.atlas_key, "The lift is out of order.").unwrap().contains("\"unchanged\":true"));
}

#[tokio::test]
async fn a_server_that_gets_sigterm_stops_cleanly() {
    let world = World::on(TestDatabases::fresh(&SystemClock).await).await;
    let mut process = Process::start(&world).await;
    assert!(process.remember(&world.atlas_key, "The printer is on the second floor.").is_some());
    let signalled = Command::new("kill").args(["-TERM", &process.child.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    assert!(process.child.wait().unwrap().success(), "SIGTERM is a clean end");
}

#[test]
fn a_wrong_variable_stops_the_start_and_is_named() {
    let output = Command::new(env!("CARGO_BIN_EXE_remembrancer")).arg("serve").env("LISTEN_ADDR", "somewhere").output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && message.contains("LISTEN_ADDR") && message.contains("127.0.0.1:3000"), "{message}");
}
