//! ChatGPT's `conversations.json`. A conversation is a tree, because questions can be asked again: its path from the root to the current
//! node is what the person sees.

use super::{File, Object, Reading, flag, message, moment, role, string, text};
use serde_json::Value;
use std::collections::HashSet;

/// Whether an entry is a message: who said it is in `author`, and what in an object.
pub fn knows(entry: &Object) -> bool {
    let content = entry.get("content").filter(|content| content.is_object());
    let typed = content.is_some_and(|content| content.get("content_type").is_some());
    typed || entry.get("author").is_some_and(|author| author.get("role").is_some())
}

/// What a message says. What the person does not see, and what the assistant asks of a tool, is left out.
pub fn read(entry: &Object, _: &File) -> Reading {
    let metadata = entry.get("metadata").and_then(Value::as_object);
    let hidden = metadata.is_some_and(|metadata| flag(metadata, "is_visually_hidden_from_conversation"));
    if hidden || string(entry, &["recipient"]).is_some_and(|recipient| recipient != "all") {
        return Ok(Vec::new());
    }
    let author = entry.get("author").and_then(Value::as_object);
    let named = |fields: &[&str]| author.and_then(|author| string(author, fields)).unwrap_or_default();
    let content = entry.get("content").and_then(Value::as_object).ok_or("`content` is missing or not an object")?;
    Ok(vec![message(named(&["name", "role"]), role(named(&["role"])), moment::of(entry), words(content)?)])
}

/// The text of a content. Parts that are no text, such as images, are left out; what was dictated is text.
fn words(content: &Object) -> Result<String, String> {
    let part = |part: &Value| {
        let dictated = part.get("content_type").and_then(Value::as_str) == Some("audio_transcription");
        part.as_str().or_else(|| part.get("text").filter(|_| dictated)?.as_str()).map(str::to_owned)
    };
    match content.get("parts") {
        Some(Value::Array(parts)) => Ok(parts.iter().filter_map(part).collect::<Vec<_>>().join("\n")),
        None | Some(Value::Null) => text(content, "text").map(str::to_owned),
        Some(_) => Err("`parts` is not a list".into()),
    }
}

/// The messages of a conversation that the person sees, in order; `None` if the object is no conversation.
pub fn path(conversation: &Object) -> Option<Vec<&Value>> {
    let mapping = conversation.get("mapping")?.as_object()?;
    let current = string(conversation, &["current_node"]).filter(|id| mapping.contains_key(*id));
    let (mut at, mut path, mut seen) = (current.or_else(|| newest(mapping)), Vec::new(), HashSet::new());
    // Parents that run in a circle end it.
    while let Some(node) = at.filter(|id| seen.insert(*id)).and_then(|id| mapping.get(id)) {
        path.extend(node.get("message").filter(|message| !message.is_null()));
        at = node.get("parent").and_then(Value::as_str);
    }
    path.reverse();
    Some(path)
}

/// The newest node that no other follows; one that follows another comes first.
fn newest(mapping: &Object) -> Option<&str> {
    let parents: HashSet<&str> = mapping.values().filter_map(|node| node.get("parent")?.as_str()).collect();
    let follows = |node: &Value| node.get("parent").is_some_and(Value::is_string);
    let time = |node: &Value| node.pointer("/message/create_time").and_then(Value::as_f64).unwrap_or_default();
    let ends = mapping.iter().filter(|(id, _)| !parents.contains(id.as_str()));
    ends.max_by(|(_, a), (_, b)| follows(a).cmp(&follows(b)).then(time(a).total_cmp(&time(b)))).map(|(id, _)| id.as_str())
}
