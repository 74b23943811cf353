//! Telegram's `result.json`, of one chat or of all: `{type: message, from, date_unixtime, text}`.

use super::{File, Object, Reading, Role, message, moment, string};
use serde_json::Value;

/// Whether an entry is one of a chat.
pub fn knows(entry: &Object) -> bool {
    let has = |fields: &[&str]| fields.iter().any(|field| entry.contains_key(*field));
    let typed = matches!(string(entry, &["type"]), Some("message" | "service"));
    !has(&["role", "content"]) && (has(&["date_unixtime", "from_id"]) || (typed && has(&["from", "actor", "date"])))
}

/// What a message says. What was forwarded are the words of its first author.
pub fn read(entry: &Object, _: &File) -> Reading {
    if string(entry, &["type"]).is_some_and(|kind| kind != "message") {
        return Ok(Vec::new());
    }
    let author = if entry.contains_key("forwarded_from") { "forwarded_from" } else { "from" };
    let speaker = string(entry, &[author]).unwrap_or_default();
    // Claude is also a person's name, and the file does not say who is a program.
    Ok(vec![message(speaker, Role::Person, moment::of(entry), words(entry.get("text"))?)])
}

/// A text: a string, or a list of strings and of entities such as links.
fn words(text: Option<&Value>) -> Result<String, String> {
    match text {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Array(parts)) => {
            parts.iter().map(super::words).collect::<Option<String>>().ok_or_else(|| "a part of `text` has no text".into())
        }
        Some(_) => Err("`text` is neither a string nor a list".into()),
    }
}
