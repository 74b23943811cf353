//! Message lists of the two common chat APIs: `[{role, content}]`, an object with `messages`, or one message a line. Content is a string or
//! a list of blocks.

use super::{Message, ReadError, role};
use crate::capture::extract::Role;
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

/// Longest name of a speaker, in bytes.
const SPEAKER_MAX: usize = 80;

/// The messages of a JSON source; `None` if the text is no JSON.
///
/// # Errors
/// When the text begins like JSON and is none, or has no messages.
pub fn messages(text: &str) -> Result<Option<Vec<Message>>, ReadError> {
    if !begins_like_json(text) {
        return Ok(None);
    }
    let mut values = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        values.push(value.map_err(|error| ReadError::Json(error.to_string()))?);
    }
    let list = match values.as_mut_slice() {
        [Value::Array(list)] => std::mem::take(list),
        [Value::Object(object)] if object.get("messages").is_some_and(Value::is_array) => match object.remove("messages") {
            Some(Value::Array(list)) => list,
            _ => Vec::new(),
        },
        _ => values,
    };
    let mut messages = Vec::with_capacity(list.len());
    for (number, value) in list.iter().enumerate() {
        read(value, &mut messages).map_err(|problem| ReadError::Shape(format!("message {}: {problem}", number + 1)))?;
    }
    if messages.is_empty() { Err(ReadError::Shape("there is no message".into())) } else { Ok(Some(messages)) }
}

/// `{`, or `[` before a value that is an object: a time in brackets may begin a plain transcript.
fn begins_like_json(text: &str) -> bool {
    let text = text.trim_start();
    let inside = text.strip_prefix('[').map(str::trim_start);
    let object = |text: &str| text.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with(['"', '}']));
    object(text) || inside.is_some_and(|inside| object(inside) || inside.starts_with(']'))
}

fn read(value: &Value, messages: &mut Vec<Message>) -> Result<(), String> {
    let message = value.as_object().ok_or("it is not an object")?;
    let said_by = message.get("role").and_then(Value::as_str).ok_or("`role` is missing or not a string")?;
    if said_by.len() > SPEAKER_MAX {
        return Err(format!("`role` has {} bytes; at most {SPEAKER_MAX} are allowed", said_by.len()));
    }
    let name = message
        .get("name")
        .and_then(Value::as_str)
        .map(str::trim)
        .filter(|name| !name.is_empty() && name.len() <= SPEAKER_MAX && !name.contains(['\n', ':']));
    let (kind, at) = (role(said_by), time(message));
    let speaker = name.unwrap_or(said_by).to_owned();
    let mut push = |role: Role, speaker: &str, text: String| messages.push(Message { speaker: speaker.to_owned(), role, at, text });
    match message.get("content") {
        None | Some(Value::Null) => {}
        Some(Value::String(text)) => push(kind, &speaker, text.clone()),
        Some(Value::Array(blocks)) => {
            let mut said = Vec::new();
            for block in blocks {
                match block_text(block)? {
                    Some((true, text)) => said.push(text),
                    // What a tool answered is nobody's words.
                    Some((false, text)) => push(Role::Machine, "tool", text),
                    None => {}
                }
            }
            push(kind, &speaker, said.join("\n"));
        }
        Some(_) => return Err("`content` is neither a string nor a list of blocks".into()),
    }
    Ok(())
}

/// The text of a block and whether the speaker said it; `None` for images, calls and other blocks without text.
fn block_text(block: &Value) -> Result<Option<(bool, String)>, String> {
    if let Some(text) = block.as_str() {
        return Ok(Some((true, text.to_owned())));
    }
    let block = block.as_object().ok_or("a block of `content` is not an object")?;
    Ok(match block.get("type").and_then(Value::as_str) {
        Some("tool_result") => Some((false, nested(block.get("content")))),
        Some("text" | "input_text" | "output_text") | None => {
            Some((true, block.get("text").and_then(Value::as_str).ok_or("a text block has no `text`")?.to_owned()))
        }
        Some(_) => None,
    })
}

/// The text of a tool's answer, which is a string or a list of blocks again.
fn nested(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str)).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// The time of a message under one of the usual names: RFC 3339, or seconds since 1970.
fn time(message: &Map<String, Value>) -> Option<DateTime<Utc>> {
    let value = ["at", "timestamp", "created_at", "create_time", "created", "time"].iter().find_map(|name| message.get(*name))?;
    match value {
        Value::String(text) => DateTime::parse_from_rfc3339(text).ok().map(|at| at.to_utc()),
        Value::Number(seconds) => DateTime::from_timestamp(seconds.as_f64()? as i64, 0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_apis_are_read() {
        let open = r#"{"messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "name": "Vera", "content": [{"type": "text", "text": "I moved."}, {"type": "image_url", "image_url": {}}], "timestamp": "2026-05-03T09:12:00Z"}, {"role": "assistant", "content": null, "tool_calls": []}]}"#;
        let read = messages(open).unwrap().unwrap();
        assert_eq!(
            read.iter().map(|one| (one.speaker.as_str(), one.role, one.text.as_str())).collect::<Vec<_>>(),
            [("system", Role::Machine, "Be kind."), ("Vera", Role::Person, "I moved.")]
        );
        assert_eq!(read[1].at.unwrap().to_rfc3339(), "2026-05-03T09:12:00+00:00");
        let blocks = r#"[{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "42"}]}, {"type": "text", "text": "Thanks"}]}]"#;
        let read = messages(blocks).unwrap().unwrap();
        assert_eq!(
            read.iter().map(|one| (one.role, one.text.as_str())).collect::<Vec<_>>(),
            [(Role::Machine, "42"), (Role::Person, "Thanks")]
        );
        let lines = "{\"role\": \"user\", \"content\": \"a\"}\n{\"role\": \"assistant\", \"content\": \"b\"}\n";
        assert_eq!(messages(lines).unwrap().unwrap().len(), 2);
    }

    #[test]
    fn what_is_no_list_of_messages_is_not_read() {
        assert_eq!(messages("[2026-05-03 09:12] Vera: hi"), Ok(None));
        assert_eq!(messages("{curly} braces"), Ok(None));
        assert!(matches!(messages("[]"), Err(ReadError::Shape(_))));
        let long = format!("[{{\"role\": \"{}\", \"content\": \"a\"}}]", "x".repeat(81));
        assert!(matches!(messages(&long), Err(ReadError::Shape(message)) if message.contains("81 bytes")));
    }
}
