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
mod settings;
mod spool;
mod state;
#[cfg(test)]
mod tests;

use super::Failure;
use clap::{Args, ValueEnum};
use input::Input;
use settings::Settings;
use state::State;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

/// Milliseconds that an answer may take. A person waits 300 at most, and a process needs some of them to start.
const ANSWER: u64 = 250;
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

/// A program in which a coding agent works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Host {
    ClaudeCode,
    Codex,
    Cursor,
    Gemini,
    #[value(name = "opencode")]
    OpenCode,
    Copilot,
}

/// Runs a hook. The exit status is always 0.
pub async fn run(options: Hook) -> ExitCode {
    let label = format!("{:?} of {:?}", options.event, options.host);
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
    let task = tokio::spawn(answer(options));
    let answered = match tokio::time::timeout(limit(), task).await {
        Ok(ended) => ended.map_err(Failure::from).flatten(),
        Err(_) => Err(format!("the answer took longer than {} ms", limit().as_millis()).into()),
    };
    match answered {
        Ok(text) => print(&text),
        Err(problem) => note(&label, &problem.to_string()),
    }
    // A host that keeps the input open must not keep this process.
    std::process::exit(0)
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
    if matches!(options.event, Event::PreCompact | Event::Stop | Event::SessionEnd) && !settings::is_off() {
        // Before all else, so that nothing is lost while a local server starts.
        spool::leave(options.host, &input, &state)?;
        return Ok(String::new());
    }
    let Some(settings) = Settings::read(options.host, &state)? else { return Ok(String::new()) };
    match options.event {
        Event::SessionStart => recall::at_start(options.host, &input, &settings, &state).await,
        Event::Prompt => recall::at_prompt(options.host, &input, &settings, &state).await,
        _ => Ok(String::new()),
    }
}
