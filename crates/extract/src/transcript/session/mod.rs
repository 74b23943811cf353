//! The sessions of coding agents, read while they are written: what was said since the last reading, with the ids of the messages.
//!
//! A session of Claude Code, Codex, Cursor and Copilot is a file of lines, one of Gemini may be one document. A line that is not complete
//! is left for the next reading, one that nobody knows is skipped, and no file is held in memory as a whole.

mod shape;
#[cfg(test)]
mod tests;

pub use shape::own_words;

use super::{Message, json};
use crate::{Role, parts};
use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{self, BufRead, Read};

/// Longest line that is read, in bytes. A longer one is skipped.
pub const LINE_MAX: u64 = 8 * 1024 * 1024;
/// Bytes after which a reading ends; the next one continues there.
pub const WINDOW: u64 = 4 * 1024 * 1024;
/// Largest file that is one document, in bytes.
pub const DOCUMENT_MAX: u64 = 16 * 1024 * 1024;
/// Most bytes that are kept of what a tool answered.
pub const EVIDENCE_MAX: usize = 2 * 1024;
/// Most calls of tools whose answers are withheld from later readings.
const CALLS_MAX: usize = 1000;
/// The speaker of what a tool was asked or answered.
const TOOL: &str = "tool";

/// What somebody says in a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// The host's id of the message, the same in every copy of it; absent where the host gives none.
    pub id: Option<String>,
    /// A person, the agent, or a machine: what tools were asked and answered is evidence and nobody's words.
    pub role: Role,
    pub at: Option<DateTime<FixedOffset>>,
    pub text: String,
}

/// A part of a session.
#[derive(Debug, Default, PartialEq)]
pub struct Window {
    /// In the order of the session.
    pub said: Vec<Said>,
    /// Bytes that were read; the next reading begins after them.
    pub bytes: u64,
    /// Whether there is nothing more to read for now.
    pub ended: bool,
    /// Lines that are too long or no JSON.
    pub skipped: usize,
}

/// What is left out: messages that name something that must not be kept, and what a tool answered when it was asked for such a thing.
pub struct Filter<'a> {
    /// Whether a text names something that must not be kept.
    pub names: &'a dyn Fn(&str) -> bool,
    /// The calls of tools that named it; pass them on to the next reading, because their answers may come later.
    pub calls: BTreeSet<String>,
}

/// Reads the next part of a file of lines.
///
/// # Errors
/// When the file cannot be read.
pub fn lines(input: &mut impl BufRead, filter: &mut Filter<'_>) -> io::Result<Window> {
    let (mut entries, mut window) = (Vec::new(), Window::default());
    while window.bytes < WINDOW {
        let mut line = Vec::new();
        let mut length = Read::take(&mut *input, LINE_MAX).read_until(b'\n', &mut line)? as u64;
        let is_whole = line.ends_with(b"\n");
        let is_too_long = !is_whole && length == LINE_MAX;
        if is_too_long {
            length += input.skip_until(b'\n')? as u64;
            line.clear();
        }
        match json::line(&String::from_utf8_lossy(&line)) {
            Some(entry) => entries.push(entry),
            // The end, or a line that is still being written.
            None if !is_whole && !is_too_long => {
                window.ended = true;
                break;
            }
            None => window.skipped += 1,
        }
        window.bytes += length;
    }
    window.said = messages(entries, filter);
    Ok(window)
}

/// Reads a session that is one document with a list of messages. It is read from its beginning each time.
///
/// # Errors
/// When the file cannot be read, is larger than [`DOCUMENT_MAX`], or holds no list of messages (it may be half written).
pub fn document(input: &mut impl Read, filter: &mut Filter<'_>) -> io::Result<Window> {
    let mut bytes = Vec::new();
    let length = Read::take(&mut *input, DOCUMENT_MAX + 1).read_to_end(&mut bytes)? as u64;
    if length > DOCUMENT_MAX {
        return Err(io::Error::other("the session is too large to be read as one document"));
    }
    let mut document: Value = serde_json::from_slice(&bytes)?;
    let Some(Value::Array(entries)) = document.get_mut("messages").map(Value::take) else {
        return Err(io::Error::other("the session holds no list of messages"));
    };
    Ok(Window { said: messages(entries, filter), bytes: 0, ended: true, skipped: 0 })
}

/// What the messages of a session say, in the form of any host.
pub fn messages(entries: Vec<Value>, filter: &mut Filter<'_>) -> Vec<Said> {
    let mut entries: Vec<Value> = entries.into_iter().map(shape::known).collect();
    entries.iter_mut().for_each(|entry| filter.withhold(entry));
    let (mut said, mut last, mut number) = (Vec::new(), None, 0);
    for (place, message) in json::of_session(&entries) {
        number = if last == Some(place) { number + 1 } else { 0 };
        last = Some(place);
        let id = entries.get(place).and_then(id).map(|id| if number == 0 { id.to_owned() } else { format!("{id}#{number}") });
        said.extend(kept(id, message).filter(|one| !(filter.names)(&one.text)));
    }
    said
}

/// The host's id of an entry.
fn id(entry: &Value) -> Option<&str> {
    ["/uuid", "/id", "/payload/id"].iter().find_map(|path| entry.pointer(path)?.as_str())
}

/// A message as it is kept: nothing of the host's own notes, and the beginning of what a tool answered.
fn kept(id: Option<String>, message: Message) -> Option<Said> {
    let Message { speaker, role, at, text } = message;
    let mut text = text.trim().to_owned();
    if text.is_empty() || (role == Role::Machine && speaker != TOOL) {
        return None;
    }
    if role == Role::Machine && text.len() > EVIDENCE_MAX {
        text.truncate(parts::boundary(&text, 0, EVIDENCE_MAX));
        text.push_str(" […]");
    }
    Some(Said { id, role, at: at.map(|said| said.at), text })
}

impl Filter<'_> {
    /// Takes calls out of an entry that name what must not be kept, and their answers.
    fn withhold(&mut self, entry: &mut Value) {
        if let Some(Value::Array(blocks)) = shape::blocks(entry) {
            blocks.retain(|block| !self.withholds(block));
        }
        if let Some(payload) = entry.get_mut("payload").filter(|payload| payload.get("call_id").is_some())
            && self.withholds(payload)
        {
            payload.take();
        }
    }

    fn withholds(&mut self, block: &Value) -> bool {
        let Some(call) = call(block) else { return false };
        if self.calls.contains(call) {
            return true;
        }
        let names = holds(block, self.names);
        if names {
            if self.calls.len() >= CALLS_MAX {
                self.calls.pop_first();
            }
            self.calls.insert(call.to_owned());
        }
        names
    }
}

/// The call that a block makes or answers.
fn call(block: &Value) -> Option<&str> {
    let field = match block.get("type").and_then(Value::as_str) {
        Some("tool_use") => "id",
        Some("tool_result") => "tool_use_id",
        _ => "call_id",
    };
    block.get(field)?.as_str()
}

/// Whether a text in a value names what must not be kept.
fn holds(value: &Value, names: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => names(text),
        Value::Array(items) => items.iter().any(|item| holds(item, names)),
        Value::Object(fields) => fields.values().any(|field| holds(field, names)),
        _ => false,
    }
}
