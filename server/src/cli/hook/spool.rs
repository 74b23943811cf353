//! What a hook leaves for later: which session is to be captured. A process of its own sends it, so that the host does not wait.

use super::input::Input;
use super::state::{Kind, State, digest};
use super::{COMMAND, Event, Failure, Host};
use clap::ValueEnum;
use db::clock::{Clock, SystemClock};
use serde::{Deserialize, Serialize};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A session that is to be captured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    pub host: Host,
    pub session: String,
    /// The folder in which the agent works.
    pub folder: PathBuf,
    pub transcript: Transcript,
    /// How often it failed for a reason other than the server.
    #[serde(default)]
    pub failures: u32,
}

/// Where the words of a session are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transcript {
    /// A file of the host.
    File(PathBuf),
    /// A file of the state, by its name.
    Messages(String),
}

impl Job {
    /// The name of the session's files.
    pub fn name(&self) -> String {
        digest(&format!("{:?} {}", self.host, self.session))
    }
}

/// Leaves a job, and starts the process that does it.
///
/// # Errors
/// When the hook names no session, or the job cannot be written.
pub fn leave(host: Host, input: &Input, state: &State) -> Result<(), Failure> {
    // Each hook has a job of its own: one that comes while another is done is not lost.
    let name = SystemClock.id().simple().to_string();
    let transcript = match (&input.messages, &input.transcript) {
        (Some(messages), _) => {
            state.put(Kind::Messages, &name, messages)?;
            Transcript::Messages(name.clone())
        }
        (None, Some(path)) => Transcript::File(path.clone()),
        (None, None) => return Err("the host names no file of the session, so nothing is captured".into()),
    };
    let job = Job { host, session: input.session.clone(), folder: input.folder.clone(), transcript, failures: 0 };
    state.put(Kind::Jobs, &name, &job)?;
    start(host, Event::Deliver)
}

/// Starts a process that works behind the host, and outlives it and this one.
///
/// # Errors
/// When it cannot be started.
pub fn start(host: Host, event: Event) -> Result<(), Failure> {
    let (host, event) =
        (host.to_possible_value().ok_or("the host has no name")?, event.to_possible_value().ok_or("the event has no name")?);
    let mut command = Command::new(std::env::current_exe()?);
    command.args([COMMAND, event.get_name(), "--host", host.get_name()]).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Nobody waits for it.
    tokio::process::Command::from(command).spawn()?;
    Ok(())
}
