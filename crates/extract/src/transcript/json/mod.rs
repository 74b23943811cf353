//! JSON as programs export it: conversations of ChatGPT and Claude, chats of Slack, Discord and Telegram, messages of the chat APIs, and
//! the logs of coding agents.
//!
//! A file is taken apart into entries. Each entry is read by the first reader that knows its shape, so a file may mix formats.

mod chatgpt;
mod claude;
mod coding;
mod discord;
mod foreign;
mod gemini;
mod list;
mod responses;
mod slack;
mod syntax;
mod telegram;
#[cfg(test)]
mod tests;

use super::stamp::Moment;
use super::{Message, ReadError, moment, role};
use crate::Role;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

type Object = serde_json::Map<String, Value>;
/// The messages of an entry: none if nobody says anything in it. An error if it cannot be read.
type Reading = Result<Vec<Message>, String>;

/// How the entries of a format are recognised and read.
struct Reader {
    knows: fn(&Object) -> bool,
    read: fn(&Object, &File) -> Reading,
}

/// The message list of the chat APIs is what no other reader knows.
const READERS: &[Reader] = &[
    Reader { knows: chatgpt::knows, read: chatgpt::read },
    Reader { knows: claude::knows, read: claude::read },
    Reader { knows: coding::knows, read: coding::read },
    Reader { knows: slack::knows, read: slack::read },
    Reader { knows: discord::knows, read: discord::read },
    Reader { knows: telegram::knows, read: telegram::read },
    Reader { knows: responses::knows, read: responses::read },
    Reader { knows: gemini::knows, read: gemini::read },
    Reader { knows: |_| true, read: list::read },
];
/// Fields that hold the messages of a conversation.
const CONVERSATIONS: &[&str] = &["messages", "chat_messages", "mapping"];
/// Fields that hold the messages of a request or an answer. Messages have fields of these names too, and a `type`.
const REQUESTS: &[&str] = &["input", "output", "contents"];
/// The speaker of a title.
const CONVERSATION: &str = "Conversation";
/// The speaker of what a tool was asked or answered.
const TOOL: &str = "tool";

/// The messages of a list, and how many of its entries are none.
#[derive(Debug, PartialEq)]
pub struct List {
    pub messages: Vec<Message>,
    /// Entries that cannot be read. They are left out, so that one of them does not cost the others.
    pub skipped: usize,
}

/// A part of a file.
enum Entry<'a> {
    /// A conversation begins.
    Title(Message),
    /// What a person asks in one string, without an object around it.
    Prompt(&'a str),
    Value(&'a Value),
}

/// What a reader needs to know of the other entries of a file.
struct File<'a> {
    /// Names by the ids of Slack.
    names: HashMap<&'a str, &'a str>,
    /// What Codex shows to the person.
    shown: HashSet<(Role, &'a str)>,
    /// Whether the words of the person are among it.
    shows_person: bool,
}

/// The messages of a JSON source; `None` if the text is no JSON.
///
/// # Errors
/// When the text begins like JSON and is none, or has no messages.
pub fn messages(text: &str) -> Result<Option<List>, ReadError> {
    if !syntax::begins_like_json(text) {
        return Ok(None);
    }
    let found = syntax::values(&syntax::without_halves(text))?;
    let (mut entries, mut last) = (Vec::new(), 0);
    for value in &found.values {
        last = entries.len();
        flatten(value, &mut entries);
    }
    let file = File::of(&entries);
    let mut list = List { messages: Vec::with_capacity(entries.len()), skipped: found.broken };
    let (mut title, mut problem, mut newest) = (None, None, None);
    for (number, entry) in entries.into_iter().enumerate() {
        let read = match entry {
            Entry::Title(message) => {
                title = Some(message);
                continue;
            }
            Entry::Prompt(text) => Ok(vec![message("user", Role::Person, None, text)]),
            Entry::Value(value) => read(value, &file),
        };
        match read {
            Ok(mut read) => {
                read.retain(|message| !message.text.trim().is_empty());
                if !read.is_empty() {
                    newest = Some(list.messages.len()).filter(|_| number >= last);
                    list.messages.extend(title.take());
                }
                list.messages.extend(read);
            }
            Err(why) => {
                list.skipped += 1;
                problem.get_or_insert_with(|| format!("message {}: {why}", number + 1));
            }
        }
    }
    if let Some(newest) = newest.filter(|_| found.cut) {
        // What a file that was cut ends with may lack something. It is counted among the broken parts.
        list.messages.truncate(newest);
    }
    for message in &mut list.messages {
        message.speaker = storable(&message.speaker);
        message.text = storable(&message.text);
    }
    match list.messages.is_empty() {
        true => {
            Err(foreign::refusal(&found.values)
                .unwrap_or_else(|| ReadError::Shape(problem.unwrap_or_else(|| "there is no message".into()))))
        }
        false => Ok(Some(list)),
    }
}

/// The object of one line of a session; `None` if it is none.
pub fn line(text: &str) -> Option<Value> {
    serde_json::from_str(&syntax::without_halves(text)).ok().filter(Value::is_object)
}

/// What the entries of a session say, each message with the place of its entry. An entry that cannot be read says nothing.
pub fn of_session(values: &[Value]) -> Vec<(usize, Message)> {
    let file = File::of(&values.iter().map(Entry::Value).collect::<Vec<Entry>>());
    let said = |value: &Value| read(value, &file).unwrap_or_default();
    let storable = |message: Message| Message { text: storable(&message.text), ..message };
    values.iter().enumerate().flat_map(|(place, value)| said(value).into_iter().map(move |one| (place, storable(one)))).collect()
}

/// Takes a file apart.
fn flatten<'a>(value: &'a Value, entries: &mut Vec<Entry<'a>>) {
    match value {
        Value::Array(list) => list.iter().for_each(|one| flatten(one, entries)),
        Value::Object(object) => match inside(object) {
            Some(inside) => {
                if CONVERSATIONS.iter().any(|field| object.contains_key(*field)) {
                    let title = title(object).or((!entries.is_empty()).then_some("Untitled"));
                    entries.extend(title.map(|title| Entry::Title(message(CONVERSATION, Role::Machine, moment::of(object), title))));
                }
                entries.extend(prompt(object).map(Entry::Prompt));
                inside.into_iter().for_each(|one| flatten(one, entries));
            }
            None => entries.push(Entry::Value(value)),
        },
        _ => entries.push(Entry::Value(value)),
    }
}

/// The messages in a conversation, a request or an answer; `None` if the object is none of them.
fn inside(object: &Object) -> Option<Vec<&Value>> {
    if object.contains_key("role") {
        return None;
    }
    if let Some(path) = chatgpt::path(object) {
        return Some(path);
    }
    let held = |field: &&str| object.get(*field).and_then(Value::as_array);
    let requests: &[&str] = if object.contains_key("type") { &[] } else { REQUESTS };
    let mut lists: Vec<&Vec<Value>> = CONVERSATIONS.iter().chain(requests).filter_map(held).collect();
    // Telegram's export of everything.
    lists.extend(object.get("chats").and_then(|chats| chats.get("list")).and_then(Value::as_array));
    // What OpenAI and Gemini answer wraps each message once more.
    let answers = [("choices", "message"), ("candidates", "content")];
    let wrapped = answers.map(|(list, message)| Some(held(&list)?.iter().map(move |one| one.get(message).unwrap_or(one))));
    let found = prompt(object).is_some() || !lists.is_empty() || wrapped.iter().any(Option::is_some);
    found.then(|| lists.into_iter().flatten().chain(wrapped.into_iter().flatten().flatten()).collect())
}

/// The name of a conversation: Discord has it in the channel.
fn title(conversation: &Object) -> Option<&str> {
    string(conversation, &["title", "name"]).or_else(|| string(conversation.get("channel")?.as_object()?, &["name"]))
}

/// The question of a request to the Responses API, if it is one string.
fn prompt(object: &Object) -> Option<&str> {
    let is_request = ["model", "output"].iter().any(|field| object.contains_key(*field)) && !object.contains_key("type");
    string(object, &["input"]).filter(|_| is_request)
}

fn read(value: &Value, file: &File) -> Reading {
    let entry = value.as_object().ok_or("it is not an object")?;
    READERS.iter().find(|reader| (reader.knows)(entry)).map_or_else(|| Ok(Vec::new()), |reader| (reader.read)(entry, file))
}

impl<'a> File<'a> {
    fn of(entries: &[Entry<'a>]) -> Self {
        let objects = || {
            entries.iter().filter_map(|entry| match *entry {
                Entry::Value(value) => value.as_object(),
                _ => None,
            })
        };
        let shown: HashSet<(Role, &str)> = objects().filter_map(coding::shown).collect();
        let shows_person = shown.iter().any(|(role, _)| *role == Role::Person);
        Self { names: objects().filter_map(slack::named).collect(), shown, shows_person }
    }
}

/// A message. Its speaker is unknown if the name is empty.
fn message(speaker: &str, role: Role, at: Option<Moment>, text: impl Into<String>) -> Message {
    Message { speaker: speaker.to_owned(), role, at, text: text.into() }
}

/// What the first of the fields says that says anything.
fn string<'a>(object: &'a Object, fields: &[&str]) -> Option<&'a str> {
    fields.iter().filter_map(|field| object.get(*field)?.as_str()).map(str::trim).find(|text| !text.is_empty())
}

/// A text, which is empty if the field is missing.
fn text<'a>(object: &'a Object, field: &str) -> Result<&'a str, String> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(format!("`{field}` is not a string")),
    }
}

/// The text of a part, which is a string or an object with a text.
fn words(part: &Value) -> Option<&str> {
    part.as_str().or_else(|| part.get("text")?.as_str())
}

/// Whether a field says yes.
fn flag(object: &Object, field: &str) -> bool {
    object.get(field).and_then(Value::as_bool).unwrap_or_default()
}

/// The text as Postgres can store it: without NUL.
fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}
