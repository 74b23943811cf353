//! The JSON of a hook, as the hosts send it.

use super::{Failure, Host};
use crate::cli::connect::hosts;
use extract::transcript::session::own_words;
use serde_json::Value;
use std::path::PathBuf;
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
            transcript: transcript.or_else(|| usual(host, session?)),
            session: session.map_or_else(|| folder.display().to_string(), str::to_owned),
            prompt: text(&["prompt", "initialPrompt", "initial_prompt"]).map(|prompt| own_words(prompt).to_owned()),
            resumed: text(&["source"]) == Some("resume"),
            folder,
            messages,
        })
    }
}

/// Where a host that does not name the file of a session keeps it.
fn usual(host: Host, session: &str) -> Option<PathBuf> {
    let is_name = session.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let places = hosts::Places::of_this_user().ok().filter(|_| host == Host::Copilot && is_name)?;
    Some(host.folder(&places).join("session-state").join(session).join("events.jsonl"))
}
