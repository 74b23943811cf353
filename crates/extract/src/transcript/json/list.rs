//! Message lists of the two common chat APIs: `{role, content}`. Content is a string or a list of blocks.

use super::{File, Message, Object, Reading, Role, TOOL, message, moment, role, string};
use serde_json::Value;

/// Longest name of a role, in bytes.
const ROLE_MAX: usize = 80;

/// What a message says; nothing if it has no text.
pub fn read(entry: &Object, _: &File) -> Reading {
    let said_by = entry.get("role").and_then(Value::as_str).ok_or("`role` is missing or not a string")?;
    if said_by.len() > ROLE_MAX {
        return Err(format!("`role` has {} bytes; at most {ROLE_MAX} are allowed", said_by.len()));
    }
    let speaker = string(entry, &["name"]).unwrap_or(said_by);
    says(message(speaker, role(said_by), moment::of(entry), ""), blocks(entry.get("content"))?)
}

/// The blocks of a content: a string is one.
pub fn blocks(content: Option<&Value>) -> Result<Vec<&Value>, String> {
    match content {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(text @ Value::String(_)) => Ok(vec![text]),
        Some(Value::Array(blocks)) => Ok(blocks.iter().collect()),
        Some(_) => Err("`content` is neither a string nor a list of blocks".into()),
    }
}

/// What tools answered, and then what `speaker` says.
pub fn says(speaker: Message, blocks: Vec<&Value>) -> Reading {
    let (mut messages, mut said) = (Vec::new(), Vec::new());
    for block in blocks {
        match block_text(block)? {
            Some((true, text)) => said.push(text),
            // What a tool answered is nobody's words.
            Some((false, text)) => messages.push(message(TOOL, Role::Machine, speaker.at, text)),
            None => {}
        }
    }
    messages.push(Message { text: said.join("\n"), ..speaker });
    Ok(messages)
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
pub fn nested(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str)).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
