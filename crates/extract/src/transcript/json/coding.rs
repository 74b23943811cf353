//! The sessions of Claude Code and Codex, one line each for a message, a tool's answer or a note of the program.
//!
//! Claude Code keeps a message in `message`. Codex keeps twice what is said: as the model reads it (`response_item`), together with
//! instructions of the program in the role of the user, and as the person sees it (`event_msg`).

use super::{File, Message, Object, Reading, Role, flag, list, message, moment, responses, role, string, text, words};
use serde_json::Value;

/// Fields of which each line has one.
#[rustfmt::skip]
const FIELDS: &[&str] = &[
    "git", "isSidechain", "leafUuid", "messageId", "parentUuid", "payload", "record_type", "sessionId", "session_id", "uuid",
];
/// Lines that are not part of the conversation with the person: notes, the work of subagents, and summaries of what was said.
const ASIDE: &[&str] = &["isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage", "isVisibleInTranscriptOnly"];
/// How texts begin that the program writes in the role of the user.
#[rustfmt::skip]
const PROGRAM: &[&str] = &[
    "# AGENTS.md instructions", "[Request interrupted by user", "Caveat: The messages below",
    "This session is being continued from a previous conversation",
];
/// The first line of what an editor adds before the person's words, and the line that ends it.
const EDITOR: (&str, &str) = ("# Context from my IDE setup:", "## My request for Codex:");

/// Whether an entry is a line of a session.
pub fn knows(entry: &Object) -> bool {
    let has = FIELDS.iter().any(|field| entry.contains_key(*field));
    !entry.contains_key("role") && (string(entry, &["type"]) == Some("summary") || (has && is_line(entry)))
}

fn is_line(entry: &Object) -> bool {
    ["type", "record_type", "git"].iter().any(|field| entry.contains_key(*field))
}

/// What Codex shows to the person.
pub fn shown(entry: &Object) -> Option<(Role, &str)> {
    let payload = entry.get("payload").filter(|_| string(entry, &["type"]) == Some("event_msg"))?.as_object()?;
    Some((role(shown_by(payload)?), asked(string(payload, &["message"])?)))
}

/// Who says what an event shows; `None` for one that shows no message.
fn shown_by(payload: &Object) -> Option<&'static str> {
    match string(payload, &["type"])? {
        "user_message" => Some("user"),
        "agent_message" => Some("assistant"),
        _ => None,
    }
}

/// What a line says.
pub fn read(entry: &Object, file: &File) -> Reading {
    if ASIDE.iter().any(|field| flag(entry, field)) || string(entry, &["parent_tool_use_id"]).is_some() {
        return Ok(Vec::new());
    }
    let (kind, at) = (string(entry, &["type"]).unwrap_or_default(), moment::of(entry));
    let held = |field: &str| entry.get(field).and_then(Value::as_object).ok_or_else(|| format!("`{field}` is missing or not an object"));
    match kind {
        "user" | "assistant" => {
            let held = held("message")?;
            let said_by = string(held, &["role"]).unwrap_or(kind);
            says(message(said_by, role(said_by), at, ""), held)
        }
        "event_msg" => {
            let payload = held("payload")?;
            let Some(said_by) = shown_by(payload) else { return Ok(Vec::new()) };
            Ok(vec![message(said_by, role(said_by), at, asked(text(payload, "message")?))])
        }
        "response_item" => {
            let payload = held("payload")?;
            if responses::knows(payload) {
                return Ok(responses::read(payload, file)?.into_iter().map(|one| Message { at, ..one }).collect());
            }
            let said_by = string(payload, &["role"]).unwrap_or_default();
            let mut messages = says(message(said_by, role(said_by), at, ""), payload)?;
            messages.retain(|one| !file.shown.contains(&(one.role, one.text.trim())));
            // If the words of the person are shown, all of them are: the rest is the program's.
            let is_programs = |one: &Message| file.shows_person && one.role == Role::Person;
            Ok(messages.into_iter().map(|one| if is_programs(&one) { program(one) } else { one }).collect())
        }
        _ => Ok(Vec::new()),
    }
}

/// What a message says: first what the program put into it, and what tools answered.
fn says(speaker: Message, held: &Object) -> Reading {
    let of_program = |block: &&Value| speaker.role == Role::Person && words(block).is_some_and(is_programs);
    let (notes, own): (Vec<&Value>, Vec<&Value>) = list::blocks(held.get("content"))?.into_iter().partition(of_program);
    let mut messages: Vec<Message> =
        notes.into_iter().filter_map(words).map(|text| program(Message { text: text.to_owned(), ..speaker.clone() })).collect();
    messages.extend(list::says(speaker, own)?.into_iter().map(|one| Message { text: asked(&one.text).to_owned(), ..one }));
    Ok(messages)
}

fn program(message: Message) -> Message {
    Message { speaker: "system".into(), role: Role::Machine, ..message }
}

/// Whether the program wrote a text in the role of the user: it begins with a known sentence, or with a tag such as
/// `<environment_context>`.
fn is_programs(text: &str) -> bool {
    let text = text.trim_start();
    let tag = text.strip_prefix('<').and_then(|rest| rest.split(['>', ' ', '\n']).next());
    tag.is_some_and(|tag| tag.starts_with(|c: char| c.is_ascii_lowercase()) && tag.contains(['-', '_']))
        || PROGRAM.iter().any(|begin| text.starts_with(begin))
}

/// The person's words, without what their editor put in front of them.
fn asked(text: &str) -> &str {
    let request = text.trim_start().strip_prefix(EDITOR.0).and_then(|rest| rest.split_once(EDITOR.1));
    request.map_or(text, |(_, request)| request).trim()
}
