//! Claude's `conversations.json`: `chat_messages` with a `sender`, and a text in blocks or in one string.

use super::{File, Message, Object, Reading, list, message, moment, role, string, text};
use serde_json::Value;

/// Whether an entry is a message, also one that lacks its sender.
pub fn knows(entry: &Object) -> bool {
    let unsent = || ["uuid", "text", "created_at"].iter().all(|field| entry.contains_key(*field));
    !entry.contains_key("role") && (entry.get("sender").is_some_and(Value::is_string) || unsent())
}

/// What a message says. The one string repeats the blocks, with a note instead of each block that is no text.
pub fn read(entry: &Object, _: &File) -> Reading {
    let sender = string(entry, &["sender"]).unwrap_or_default();
    let speaker = message(sender, role(sender), moment::of(entry), "");
    let read =
        entry.get("content").filter(|content| content.is_array()).map(|content| list::says(speaker.clone(), list::blocks(Some(content))?));
    match read {
        Some(Ok(read)) if read.iter().any(|message| !message.text.is_empty()) => Ok(read),
        _ => Ok(vec![Message { text: text(entry, "text")?.to_owned(), ..speaker }]),
    }
}
