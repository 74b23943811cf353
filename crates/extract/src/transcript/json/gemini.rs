//! Gemini's `contents`: `{role: user | model, parts}`.

use super::{File, Object, Reading, Role, TOOL, flag, message, moment, role, string};
use serde_json::Value;

/// Whether an entry is a content.
pub fn knows(entry: &Object) -> bool {
    entry.get("parts").is_some_and(Value::is_array) && !entry.contains_key("content")
}

/// What a content says, and what tools were asked and answered. Thoughts, images and files are left out.
pub fn read(entry: &Object, _: &File) -> Reading {
    let (said_by, at) = (string(entry, &["role"]).unwrap_or_default(), moment::of(entry));
    let (mut said, mut calls) = (Vec::new(), Vec::new());
    for part in entry.get("parts").and_then(Value::as_array).into_iter().flatten() {
        let part = part.as_object().ok_or("a part is not an object")?;
        let is_text = string(part, &["type"]).is_none_or(|kind| kind == "text") && !flag(part, "thought");
        match part.get("text") {
            Some(Value::String(text)) if is_text => said.push(text.as_str()),
            Some(Value::String(_)) => {}
            Some(_) => return Err("the text of a part is not a string".into()),
            None => calls.extend(call(part).map(|text| message(TOOL, Role::Machine, at, text))),
        }
    }
    let mut messages = vec![message(said_by, role(said_by), at, said.join("\n"))];
    messages.extend(calls);
    Ok(messages)
}

/// What a tool was asked, or what it answered.
fn call(part: &Object) -> Option<String> {
    let held = |names: &[&str]| names.iter().find_map(|name| part.get(*name)?.as_object());
    let written = |object: &Object, field: &str| object.get(field).map(Value::to_string).unwrap_or_default();
    let asked = held(&["functionCall", "function_call"])
        .map(|call| format!("{} {}", string(call, &["name"]).unwrap_or_default(), written(call, "args")));
    asked.or_else(|| held(&["functionResponse", "function_response"]).map(|answer| written(answer, "response")))
}
