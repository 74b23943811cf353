//! What a hook leaves for later: which session is to be captured. A process of its own sends it, so that the host does not wait.

use super::input::Input;
use super::place::Place;
use super::rules::{Capture, Rules};
use super::state::{Kind, State, digest};
use super::{COMMAND, Event, Failure, Host};
use clap::ValueEnum;
use db::clock::{Clock, SystemClock};
use extract::Role;
use extract::transcript::session::{self, Filter, Said};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use words::guard;

/// A session that is to be captured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    pub host: Host,
    pub session: String,
    /// The folder in which the agent works.
    pub folder: PathBuf,
    /// What the folder was when the hook was called: it may be gone later, and its rules with it. Absent if they could not be read.
    pub place: Option<Place>,
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
    /// The name of what is kept of it. Each file has its own: one that forks a session may name the same session, and a host may name none.
    pub fn name(&self) -> String {
        let file = match &self.transcript {
            Transcript::File(path) => path.display().to_string(),
            Transcript::Messages(_) => String::new(),
        };
        digest(&format!("{} {} {file}", self.host.id(), self.session))
    }

    /// Where the agent worked, with the rules of then and those of now.
    ///
    /// # Errors
    /// When rules cannot be read: they may forbid something.
    pub fn place(&self) -> Result<Place, Failure> {
        let known = self.place.clone();
        if !self.folder.is_dir() {
            return known.ok_or_else(|| "the folder of a session is gone, and with it its rules: nothing is sent".into());
        }
        let now = Place::of(&self.folder)?;
        Ok(match known {
            Some(known) => known.tightened(now),
            None => now,
        })
    }
}

/// Leaves a job. It takes the place of those that wait for the same session, and keeps their rules.
///
/// # Errors
/// When the hook names no session, or the job cannot be written.
pub fn leave(host: Host, input: &Input, state: &State) -> Result<(), Failure> {
    let transcript = match (&input.messages, &input.transcript) {
        (Some(_), _) => Transcript::Messages(String::new()),
        (None, Some(path)) => Transcript::File(path.clone()),
        (None, None) => return Err("the host names no file of the session, so nothing is captured".into()),
    };
    let (session, folder, place) = (input.session.clone(), input.folder.clone(), Place::of(&input.folder));
    let mut job = Job { host, session, folder, place: None, transcript, failures: 0 };
    let waiting: Vec<String> = state.names(Kind::Jobs).into_iter().filter(|name| name.starts_with(&job.name())).collect();
    let earlier = waiting.iter().filter_map(|name| state.get::<Job>(Kind::Jobs, name)?.place).reduce(Place::tightened);
    let place = match (place, earlier) {
        (Ok(place), Some(earlier)) => Ok(place.tightened(earlier)),
        // What they forbade is not sent because the rules cannot be read now.
        (Err(_), Some(earlier)) if input.messages.is_none() => Ok(earlier),
        (place, _) => place,
    };
    // Each hook has a job of its own: one that comes while another is done is not lost.
    let name = format!("{}-{}", job.name(), SystemClock.id().simple());
    if let Some(messages) = &input.messages {
        let place = place.as_ref().map_err(ToString::to_string)?;
        state.put(Kind::Messages, &name, &kept(messages.clone(), &place.rules))?;
        job.transcript = Transcript::Messages(name.clone());
    }
    job.place = place.ok();
    state.put(Kind::Jobs, &name, &job)?;
    waiting.iter().for_each(|name| done(name, state));
    Ok(())
}

/// What is kept of the messages of a host that has no file: what the rules allow, without secrets. Where they allow nothing, it is known
/// which messages there were.
fn kept(messages: Vec<Value>, rules: &Rules) -> Vec<Said> {
    let names = |text: &str| rules.forbid(text);
    let mut said = session::messages(messages, &mut Filter { names: &names, calls: BTreeSet::new() });
    said.retain(|one| rules.capture != Capture::Words || one.role != Role::Machine);
    for one in &mut said {
        let text = std::mem::take(&mut one.text);
        if rules.capture != Capture::Nothing {
            one.text = guard::without_secrets(text);
        }
    }
    said
}

/// Removes a job, with the messages that were left with it.
pub fn done(name: &str, state: &State) {
    state.remove(Kind::Messages, name);
    state.remove(Kind::Jobs, name);
}

/// Starts a process that works behind the host, and outlives it and this one.
///
/// # Errors
/// When it cannot be started.
pub fn start(host: Host, event: Event) -> Result<(), Failure> {
    let event = event.to_possible_value().ok_or("the event has no name")?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args([COMMAND, event.get_name(), "--host", host.id()]).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Nobody waits for it.
    tokio::process::Command::from(command).spawn()?;
    Ok(())
}
