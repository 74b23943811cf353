//! The JSON of DiscordChatExporter: `{type, timestamp, content, author: {name, nickname, isBot}}`.

use super::{File, Object, Reading, Role, flag, message, moment, string, text};
use serde_json::Value;

/// Types in which somebody says something, commands of bots included; the others tell of joins, calls, pins and the like.
const SAID: &[&str] = &["Default", "Reply", "20", "23"];

/// Whether an entry is one of a channel, also one that lacks its author.
pub fn knows(entry: &Object) -> bool {
    let typed = || string(entry, &["type"]).is_some_and(|kind| SAID.contains(&kind));
    entry.contains_key("content") && !entry.contains_key("role") && (entry.get("author").is_some_and(Value::is_object) || typed())
}

/// What a message says.
pub fn read(entry: &Object, _: &File) -> Reading {
    if string(entry, &["type"]).is_some_and(|kind| !SAID.contains(&kind)) {
        return Ok(Vec::new());
    }
    let author = entry.get("author").and_then(Value::as_object);
    let speaker = author.and_then(|author| string(author, &["nickname", "name"])).unwrap_or_default();
    let role = if author.is_some_and(|author| flag(author, "isBot")) { Role::Assistant } else { Role::Person };
    Ok(vec![message(speaker, role, moment::of(entry), text(entry, "content")?)])
}
