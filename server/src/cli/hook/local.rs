//! A server for people who run none: the first hook starts it on their own data, and it stops when no hook called for a while.
//!
//! It is the agent `local` of the tenant `local`, as `remembrancer mcp` without a key is, so tools and hooks share a memory.

use super::settings::{data_dir, variable};
use super::state::{Kind, State};
use super::{Event, Failure, Host, spool};
use crate::serve::wait_for_signal;
use reqwest::{Client, StatusCode};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};

/// The name of the server's file.
const NAME: &str = "server";
/// How long it runs without a hook, in seconds; `REMEMBRANCER_HOOK_IDLE_SECONDS` sets another time.
const IDLE: u64 = 30 * 60;
/// How long the first start may take, which makes the databases. No command of it takes longer, nor does the end.
const START: Duration = Duration::from_secs(180);
/// How long a start that failed is not repeated.
const PAUSE: Duration = Duration::from_secs(10 * 60);
/// How often the state of the server is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// The rights of the key.
const SCOPES: &str = "memory:read,capture:write,commons:write,kb:read";
/// Variables that the server gets. Those of the host may be meant for the program that the person works on: a `DATABASE_URL` of theirs must
/// not become the database of their memory.
pub const VARIABLES: &[&str] = &[
    "HOME",
    "PATH",
    "USER",
    "LANG",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "LEPTOS_SITE_ROOT",
    "GUARD_WORDS",
    "REMEMBRANCER_PG0",
    "REMEMBRANCER_MODEL_DIR",
    "REMEMBRANCER_ONNXRUNTIME",
];

/// The server of this user.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Local {
    /// Empty while it does not run.
    pub url: String,
    /// Empty before the first start.
    pub key: String,
    /// Whether its last start failed.
    failed: bool,
}

/// The server, if it runs. If it does not, it is started, for the hooks to come.
///
/// # Errors
/// A sentence that says that it is starting, or did not start.
pub fn find(host: Host, state: &State) -> Result<Local, Failure> {
    state.touch()?;
    let known = state.get::<Local>(Kind::Local, NAME).unwrap_or_default();
    // Whoever holds the lock keeps the server.
    if state.try_lock("keeper")?.is_none() {
        return if known.url.is_empty() { Err("the local server is starting".into()) } else { Ok(known) };
    }
    if known.failed && state.age(&state.path(Kind::Local, NAME)) < PAUSE {
        return Err("the local server did not start: try 'remembrancer doctor'".into());
    }
    spool::start(host, Event::Keep)?;
    Err("the local server is being started".into())
}

/// Runs the server until it is idle, unless another process does.
///
/// # Errors
/// When it does not start, or ends by itself.
pub async fn keep(host: Host) -> Result<(), Failure> {
    let state = State::open()?;
    // The hook that started this process may still hold the lock.
    sleep(LOOK).await;
    let Some(_alone) = state.try_lock("keeper")? else { return Ok(()) };
    let kept = serve(host, &state).await;
    let known = state.get::<Local>(Kind::Local, NAME).unwrap_or_default();
    state.put(Kind::Local, NAME, &Local { url: String::new(), failed: kept.is_err(), ..known })?;
    kept
}

async fn serve(host: Host, state: &State) -> Result<(), Failure> {
    let program = Program::of_this_user()?;
    let mut local = state.get::<Local>(Kind::Local, NAME).unwrap_or_default();
    // An address from before a crash may be somebody else's now.
    local.url.clear();
    state.put(Kind::Local, NAME, &local)?;
    let [address, metrics] = free()?;
    // It ends with its input, which ends with this process, however that ends.
    let mut command = program.command(&["serve", "--until-input-ends"]);
    command.env("LISTEN_ADDR", address.to_string()).env("METRICS_ADDR", metrics.to_string()).stdin(Stdio::piped());
    let mut server = command.spawn()?;
    local.url = format!("http://{address}");
    let ended = attend(&mut server, &program, local, host, state).await;
    let stopped = stop(server).await;
    ended.and(stopped)
}

/// Makes the server known to the hooks, and waits until it is idle.
async fn attend(server: &mut Child, program: &Program, mut local: Local, host: Host, state: &State) -> Result<(), Failure> {
    ready(server, &local.url).await?;
    if local.key.is_empty() || is_refused(&local).await? {
        local.key = program.key().await?;
    }
    state.put(Kind::Local, NAME, &local)?;
    spool::start(host, Event::Deliver)?;
    tokio::select! {
        ended = idle(server, state) => ended,
        signalled = wait_for_signal() => signalled,
    }
}

/// Waits until no hook called for a while.
async fn idle(server: &mut Child, state: &State) -> Result<(), Failure> {
    let seconds = variable("REMEMBRANCER_HOOK_IDLE_SECONDS").and_then(|text| text.parse().ok()).unwrap_or(IDLE);
    while state.age(&state.used()) <= Duration::from_secs(seconds) {
        if server.try_wait()?.is_some() {
            return Err("the local server ended".into());
        }
        sleep(LOOK).await;
    }
    Ok(())
}

/// Waits until the server answers.
async fn ready(server: &mut Child, url: &str) -> Result<(), Failure> {
    let client = client()?;
    let end = Instant::now() + START;
    while Instant::now() < end {
        if server.try_wait()?.is_some() {
            return Err("the local server ended at its start: try 'remembrancer doctor'".into());
        }
        if client.get(format!("{url}/readyz")).timeout(LOOK).send().await.is_ok_and(|answer| answer.status().is_success()) {
            return Ok(());
        }
        sleep(LOOK).await;
    }
    Err("the local server did not become ready".into())
}

/// Whether the server does not know the key: its data were removed, or the key was revoked.
async fn is_refused(local: &Local) -> Result<bool, Failure> {
    let answer = client()?.get(format!("{}/api/projects", local.url)).bearer_auth(&local.key).timeout(START).send().await;
    Ok(answer.is_ok_and(|answer| answer.status() == StatusCode::UNAUTHORIZED))
}

fn client() -> Result<Client, Failure> {
    // An error means that the process has chosen its cryptography already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Ok(Client::builder().no_proxy().build()?)
}

/// Ends the server's input, so that it finishes its work and stops its Postgres. One that hangs is killed.
async fn stop(mut server: Child) -> Result<(), Failure> {
    drop(server.stdin.take());
    timeout(START, server.wait()).await??;
    Ok(())
}

/// Two addresses that nobody listens on.
fn free() -> std::io::Result<[SocketAddr; 2]> {
    let (one, other) = (TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?);
    Ok([one.local_addr()?, other.local_addr()?])
}

/// This program, on the data of this user.
struct Program {
    path: PathBuf,
    data: PathBuf,
    variables: Vec<(&'static str, OsString)>,
}

impl Program {
    fn of_this_user() -> Result<Self, Failure> {
        let variables = VARIABLES.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))).collect();
        Ok(Self { path: std::env::current_exe()?, data: data_dir()?, variables })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.path);
        command.args(arguments).env_clear().envs(self.variables.iter().map(|(name, value)| (name, value))).env("DATA_DIR", &self.data);
        // The folder of the host may go while the server runs.
        command.current_dir("/").kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Makes the agent and a key in the databases of the server, which runs.
    async fn key(&self) -> Result<String, Failure> {
        // Both exist if `remembrancer mcp` ran before; what else is wrong, the key says.
        let _ = self.run(&["tenant", "create", "local", "--name", "Local", "--one-person"]).await;
        let _ = self.run(&["agent", "create", "local", "--tenant", "local", "--name", "Local agent"]).await;
        let made = self.run(&["key", "create", "local", "--tenant", "local", "--name", "hooks", "--scopes", SCOPES]).await?;
        Ok(made.lines().next_back().ok_or("the command line printed no key")?.to_owned())
    }

    /// What a command prints.
    async fn run(&self, arguments: &[&str]) -> Result<String, Failure> {
        let output = timeout(START, self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).output()).await??;
        if !output.status.success() {
            let problem = String::from_utf8_lossy(&output.stderr);
            return Err(format!("remembrancer {}: {}", arguments.join(" "), problem.lines().next_back().unwrap_or_default()).into());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}
