//! The JSON of a hook, as the hosts send it.

use super::{Failure, Host};
use crate::cli::connect::hosts;
use extract::transcript::session::own_words;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tokio::io::{AsyncReadExt, copy, sink, stdin};

/// Largest input, in bytes: the messages of a session, where the host sends them.
const INPUT_MAX: u64 = 16 * 1024 * 1024;

/// What a hook is told. Hosts name the same things differently.
#[derive(Debug, PartialEq)]
pub struct Input {
    /// The host's name of the session; that of the folder where the host gives none.
    pub session: String,
    /// The folder in which the agent works.
    pub folder: PathBuf,
    /// The file of the session.
    pub transcript: Option<PathBuf>,
    /// What the person typed.
    pub prompt: Option<String>,
    /// Whether the session goes on with what it holds already.
    pub resumed: bool,
    /// The messages of the session, from a host that keeps no file.
    pub messages: Option<Vec<Value>>,
}

impl Input {
    /// Reads standard input to its end.
    pub async fn read(host: Host) -> Result<Self, Failure> {
        let (mut bytes, mut input) = (Vec::new(), stdin());
        (&mut input).take(INPUT_MAX).read_to_end(&mut bytes).await?;
        // A host may fail if nobody reads all that it writes.
        if copy(&mut input, &mut sink()).await? > 0 {
            return Err(format!("the hook's JSON is longer than {INPUT_MAX} bytes").into());
        }
        let value = serde_json::from_slice(&bytes).map_err(|error| format!("the hook's JSON cannot be read: {error}"))?;
        Self::of(value, host)
    }

    /// The input in a value.
    pub fn of(mut value: Value, host: Host) -> Result<Self, Failure> {
        let messages = match value.get_mut("messages").map(Value::take) {
            Some(Value::Array(messages)) => Some(messages),
            _ => None,
        };
        let text = |names: &[&str]| names.iter().find_map(|name| value.get(*name)?.as_str()).filter(|text| !text.is_empty());
        let folder = text(&["cwd", "directory"]).or_else(|| value.pointer("/workspace_roots/0")?.as_str());
        let folder = folder.map_or_else(std::env::current_dir, |folder| Ok(PathBuf::from(folder)))?;
        let session = text(&["session_id", "sessionId", "sessionID", "conversation_id"]);
        let transcript = text(&["transcript_path", "transcriptPath"]).map(PathBuf::from);
        Ok(Self {
            transcript: transcript.or_else(|| of_environment(host)).or_else(|| usual(host, session?)),
            session: session.map_or_else(|| folder.display().to_string(), str::to_owned),
            prompt: text(&["prompt", "initialPrompt", "initial_prompt"]).map(|prompt| own_words(prompt).to_owned()),
            resumed: text(&["source"]) == Some("resume"),
            folder,
            messages,
        })
    }
}

/// The file of the session in the variable in which Cursor names it, too.
fn of_environment(host: Host) -> Option<PathBuf> {
    let path = std::env::var_os("CURSOR_TRANSCRIPT_PATH").filter(|path| host == Host::Cursor && !path.is_empty())?;
    Some(PathBuf::from(path))
}

/// Where a host that does not name the file of a session keeps it.
fn usual(host: Host, session: &str) -> Option<PathBuf> {
    let is_name = session.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let folder = host.folder(&hosts::Places::of_this_user().ok().filter(|_| is_name)?);
    match host {
        Host::Copilot => Some(folder.join("session-state").join(session).join("events.jsonl")),
        Host::Cursor => of_cursor(&folder, session),
        _ => None,
    }
}

/// The file of a session of Cursor, whose command line names none. The folder of a project has a name that does not tell which project it
/// is, so each is looked into; the editor gives each session a folder of its own.
fn of_cursor(folder: &Path, session: &str) -> Option<PathBuf> {
    let file = format!("{session}.jsonl");
    let projects = fs::read_dir(folder.join("projects")).ok()?.filter_map(Result::ok);
    let sessions = projects.map(|project| project.path().join("agent-transcripts"));
    sessions.flat_map(|sessions| [sessions.join(session).join(&file), sessions.join(&file)]).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::of_cursor;
    use std::fs;

    #[test]
    fn a_session_of_cursor_is_found_in_any_project() {
        let folder = tempfile::tempdir().unwrap();
        let make = |path: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            path
        };
        make("projects/home-vera-harbour/agent-transcripts/c-1/subagents/c-3.jsonl");
        let of_editor = make("projects/home-idris-ferry/agent-transcripts/c-1/c-1.jsonl");
        let of_terminal = make("projects/home-idris-ferry/agent-transcripts/c-2.jsonl");
        assert_eq!(of_cursor(folder.path(), "c-1"), Some(of_editor));
        assert_eq!(of_cursor(folder.path(), "c-2"), Some(of_terminal));
        assert_eq!(of_cursor(folder.path(), "c-3"), None);
        assert_eq!(of_cursor(&folder.path().join("projects"), "c-1"), None);
    }
}
