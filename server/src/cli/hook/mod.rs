//! `remembrancer hook`: what the host of a coding agent calls when a session starts, at each prompt, and when a session ends.
//!
//! It never stops its host: whatever happens, it ends with 0 within [`limit`], and what went wrong is one line in its log. What it
//! captures goes to the server later, from a process of its own ([`deliver`]).

mod answer;
mod client;
mod deliver;
mod git;
mod input;
mod local;
mod place;
mod project;
mod recall;
mod rules;
mod session;
pub mod settings;
mod spool;
mod state;
#[cfg(test)]
mod tests;

use super::Failure;
use super::host::Host;
use clap::{Args, ValueEnum};
use input::Input;
use serde_json::Value;
use settings::Settings;
use state::State;
use std::io::Write;
use std::process::{ExitCode, exit};
use std::thread::{Builder, sleep};
use std::time::Duration;

/// Milliseconds that an answer may take. A person waits 300 at most, and a process needs some of them to start.
const ANSWER: u64 = 250;
/// Milliseconds that a hook has at least for what it leaves to be captured, which may be lost for good. Hosts give their hooks ten seconds.
const LEAVE: u64 = 5_000;
/// How long the line of the log may take when the time is over.
const NOTE: Duration = Duration::from_millis(50);
/// The name of the command.
const COMMAND: &str = "hook";

/// The arguments of a hook.
#[derive(Args)]
pub struct Hook {
    /// What happened in the session; its JSON comes on standard input
    event: Event,
    /// The program that calls
    #[arg(long)]
    host: Host,
}

/// What a host says happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Event {
    SessionStart,
    Prompt,
    PreCompact,
    Stop,
    SessionEnd,
    /// Sends what earlier hooks left.
    #[value(hide = true)]
    Deliver,
    /// Runs a server for this user.
    #[value(hide = true)]
    Keep,
}

impl Event {
    /// Whether the session is captured then.
    fn is_captured(self) -> bool {
        matches!(self, Self::PreCompact | Self::Stop | Self::SessionEnd)
    }
}

/// Runs a hook. The exit status is always 0.
pub async fn run(options: Hook) -> ExitCode {
    let label = format!("{:?} of {}", options.event, options.host.label());
    // It may see texts from here on.
    if let Err(problem) = settings::guard_words() {
        note(&label, &problem.to_string());
        return ExitCode::SUCCESS;
    }
    let behind = match options.event {
        Event::Deliver => Some(tokio::spawn(deliver::run(options.host))),
        Event::Keep => Some(tokio::spawn(local::keep(options.host))),
        _ => None,
    };
    if let Some(task) = behind {
        if let Err(problem) = task.await.map_err(Failure::from).flatten() {
            note(&label, &problem.to_string());
        }
        return ExitCode::SUCCESS;
    }
    let least = Duration::from_millis(if options.event.is_captured() { LEAVE } else { 0 });
    end_after(limit().max(least), label.clone());
    match tokio::spawn(answer(options)).await.map_err(Failure::from).flatten() {
        Ok(text) => print(&text),
        Err(problem) => note(&label, &problem.to_string()),
    }
    // A host that keeps the input open must not keep this process.
    exit(0)
}

/// Ends this process when the time is over, from a thread of its own: a disk that hangs holds up the others.
fn end_after(limit: Duration, label: String) {
    // Where the system gives no thread, nothing can be read either, and the answer ends by itself.
    let _ = Builder::new().spawn::<_, ()>(move || {
        sleep(limit);
        // The log may be on that disk.
        let _ = Builder::new().spawn(move || note(&label, &format!("the answer took longer than {} ms", limit.as_millis())));
        sleep(NOTE);
        exit(0)
    });
}

/// How long an answer may take: `REMEMBRANCER_HOOK_MILLISECONDS` for servers that are far away.
fn limit() -> Duration {
    let set = settings::variable("REMEMBRANCER_HOOK_MILLISECONDS").and_then(|text| text.parse().ok());
    Duration::from_millis(set.unwrap_or(ANSWER))
}

/// Whether this process was called as a hook. Its arguments may be those of a later version, and no error of them may stop the host.
pub fn is_called() -> bool {
    std::env::args_os().nth(1).is_some_and(|name| name == COMMAND)
}

/// Leaves a session of the past to be captured, as a hook with this JSON leaves one that ends.
///
/// # Errors
/// When it cannot be written down.
pub fn leave(host: Host, hook: Value) -> Result<(), Failure> {
    spool::leave(host, &Input::of(hook, host)?, &State::open()?)
}

/// Starts the process that captures what was left.
///
/// # Errors
/// When it cannot be started.
pub fn start_delivery(host: Host) -> Result<(), Failure> {
    spool::start(host, Event::Deliver)
}

/// Writes a line to the log of hooks, if there is a place for it.
pub fn note(label: &str, problem: &str) {
    // Nobody else can be told.
    let _ = State::open().map(|state| state.log(label, problem));
}

fn print(text: &str) {
    let mut out = std::io::stdout();
    // A host that no longer reads has ended.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

async fn answer(options: Hook) -> Result<String, Failure> {
    let input = Input::read(options.host).await?;
    let state = State::open()?;
    if options.event.is_captured() && !settings::is_off() {
        // Before all else, so that nothing is lost while a local server starts.
        spool::leave(options.host, &input, &state)?;
        spool::start(options.host, Event::Deliver)?;
        return Ok(String::new());
    }
    let Some(settings) = Settings::read(options.host, &state)? else { return Ok(String::new()) };
    match options.event {
        Event::SessionStart => recall::at_start(options.host, &input, &settings, &state).await,
        Event::Prompt => recall::at_prompt(options.host, &input, &settings, &state).await,
        _ => Ok(String::new()),
    }
}
