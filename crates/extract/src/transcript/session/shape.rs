//! Entries of hosts that have a form of their own, as the readers of message lists know them.

use serde_json::{Value, json};

/// The tags that Cursor puts around the person's words.
const QUERY: (&str, &str) = ("<user_query>", "</user_query>");
/// The tags that Gemini CLI puts around what hooks answered. At the start of a session without a terminal, this stands before the
/// person's words in the same text.
const HOOK: (&str, &str) = ("<hook_context>", "</hook_context>");
/// How parts begin that earlier versions of Gemini CLI added to the person's words.
const ADDED: &[&str] = &["<remembrancer-memory>", "&lt;remembrancer-memory"];

/// An entry in a form that a reader knows; entries of Claude Code and Codex stay as they are.
pub fn known(entry: Value) -> Value {
    copilot(&entry).or_else(|| gemini(&entry)).or_else(|| open_code(&entry)).or_else(|| cursor(&entry)).unwrap_or(entry)
}

/// The blocks of an entry's message.
pub fn blocks(entry: &mut Value) -> Option<&mut Value> {
    match entry.get("message") {
        Some(_) => entry.pointer_mut("/message/content"),
        None => entry.get_mut("content"),
    }
}

fn message(role: &str, content: Value, id: Option<&Value>, at: Option<&Value>) -> Value {
    json!({ "role": role, "content": content, "id": id, "timestamp": at })
}

/// An event of Copilot CLI: its words are in `data`.
fn copilot(entry: &Value) -> Option<Value> {
    let data = entry.get("data")?;
    let (role, content) = match entry.get("type")?.as_str()? {
        "user.message" => ("user", data.get("content")?.clone()),
        "assistant.message" => ("assistant", data.get("content")?.clone()),
        "tool.execution_start" => ("tool", json!([asked(data.get("toolCallId"), data.get("arguments"))])),
        "tool.execution_complete" => ("tool", json!([answered(data.get("toolCallId"), data.get("result")?.get("content"))])),
        _ => return None,
    };
    Some(message(role, content, entry.get("id"), entry.get("timestamp")))
}

/// A message of Gemini CLI, with the calls of tools beside its words.
fn gemini(entry: &Value) -> Option<Value> {
    let role = match entry.get("type")?.as_str()? {
        "user" => "user",
        "gemini" => "assistant",
        _ => return None,
    };
    let mut blocks: Vec<Value> = match entry.get("content")? {
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str()).map(own_words);
            texts.filter(|text| !is_added(text)).map(|text| words(&json!(text))).collect()
        }
        text => vec![words(text)],
    };
    for call in entry.get("toolCalls").and_then(Value::as_array).into_iter().flatten() {
        let output = call.pointer("/result/0/functionResponse/response/output").or_else(|| call.get("resultDisplay"));
        blocks.extend([asked(call.get("id"), call.get("args")), answered(call.get("id"), output)]);
    }
    Some(message(role, Value::Array(blocks), entry.get("id"), entry.get("timestamp")))
}

fn is_added(text: &str) -> bool {
    text.is_empty() || ADDED.iter().any(|begin| text.trim_start().starts_with(begin))
}

/// What a person typed, without what hooks answered before it.
pub fn own_words(text: &str) -> &str {
    // The host writes `<` of an answer as `&lt;`, so no answer holds the end.
    match text.trim_start().strip_prefix(HOOK.0) {
        Some(rest) => rest.split_once(HOOK.1).map_or("", |(_, words)| words.trim_start()),
        None => text,
    }
}

/// A message of OpenCode, as its server answers: `info` says who, `parts` say what.
fn open_code(entry: &Value) -> Option<Value> {
    let (info, parts) = (entry.get("info")?, entry.get("parts")?.as_array()?);
    let role = info.get("role")?.as_str()?;
    let is_added = |part: &Value| ["synthetic", "ignored"].iter().any(|flag| part.get(*flag) == Some(&Value::Bool(true)));
    let typed = |text: &Value| if role == "user" { words(&unquoted(text)) } else { words(text) };
    let mut blocks = Vec::new();
    for part in parts.iter().filter(|part| !is_added(part)) {
        match part.get("type").and_then(Value::as_str) {
            Some("text") => blocks.extend(part.get("text").map(typed)),
            Some("tool") => blocks.extend([
                asked(part.get("callID"), part.pointer("/state/input")),
                answered(part.get("callID"), part.pointer("/state/output")),
            ]),
            _ => {}
        }
    }
    Some(message(role, Value::Array(blocks), info.get("id"), info.pointer("/time/created")))
}

/// A prompt without quotation marks around all of it: `opencode run` sends an argument that holds a space as a JSON string.
fn unquoted(text: &Value) -> Value {
    let argument = text.as_str().and_then(|text| serde_json::from_str::<String>(text).ok());
    argument.map_or_else(|| text.clone(), Value::String)
}

/// A line of a transcript of Cursor.
fn cursor(entry: &Value) -> Option<Value> {
    let (role, content) = (entry.get("role")?.as_str()?, entry.get("message")?.get("content")?);
    let blocks: Vec<Value> = match content {
        Value::Array(blocks) => blocks.iter().map(|block| block.get("text").map_or_else(|| block.clone(), words)).collect(),
        text => vec![words(text)],
    };
    Some(message(role, Value::Array(blocks), entry.get("id"), entry.get("timestamp")))
}

/// A block of words, without the tags of a host.
fn words(text: &Value) -> Value {
    let text = text.as_str().unwrap_or_default();
    let asked = text.split_once(QUERY.0).and_then(|(_, rest)| rest.split_once(QUERY.1));
    json!({ "type": "text", "text": asked.map_or(text, |(query, _)| query.trim()) })
}

fn asked(call: Option<&Value>, input: Option<&Value>) -> Value {
    json!({ "type": "tool_use", "id": call, "input": input })
}

fn answered(call: Option<&Value>, output: Option<&Value>) -> Value {
    json!({ "type": "tool_result", "tool_use_id": call, "content": output })
}
