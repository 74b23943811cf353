//! Message lists of the two common chat APIs: `[{role, content}]`, an object with `messages`, or one message a line. Content is a string or
//! a list of blocks.

use super::{Message, ReadError, moment, role};
use crate::capture::extract::Role;
use serde_json::Value;
use std::borrow::Cow;

/// Longest name of a speaker, in bytes.
const SPEAKER_MAX: usize = 80;
/// What half a surrogate pair becomes.
const HALF: &str = "\\ufffd";

/// The messages of a list, and how many of its entries are none.
#[derive(Debug, PartialEq)]
pub struct List {
    pub messages: Vec<Message>,
    /// Entries that cannot be read. They are left out, so that one of them does not cost the others.
    pub skipped: usize,
}

/// The messages of a JSON source; `None` if the text is no JSON.
///
/// # Errors
/// When the text begins like JSON and is none, or has no messages.
pub fn messages(text: &str) -> Result<Option<List>, ReadError> {
    if !begins_like_json(text) {
        return Ok(None);
    }
    let (entries, mut skipped) = entries(&without_halves(text))?;
    let (mut messages, mut problem) = (Vec::with_capacity(entries.len()), None);
    for (number, value) in entries.iter().enumerate() {
        match read(value) {
            Ok(read) => messages.extend(read),
            Err(why) => {
                skipped += 1;
                problem.get_or_insert_with(|| format!("message {}: {why}", number + 1));
            }
        }
    }
    match messages.is_empty() {
        true => Err(ReadError::Shape(problem.unwrap_or_else(|| "there is no message".into()))),
        false => Ok(Some(List { messages, skipped })),
    }
}

/// The entries of a list, and how many are no JSON.
fn entries(text: &str) -> Result<(Vec<Value>, usize), ReadError> {
    let mut values = match values(text).or_else(|error| values(&without_controls(text)).map_err(|_| error)) {
        Ok(values) => values,
        Err(error) => return each_alone(text).ok_or_else(|| ReadError::Json(error.to_string())),
    };
    let list = match values.as_mut_slice() {
        [Value::Array(list)] => std::mem::take(list),
        [Value::Object(object)] if object.get("messages").is_some_and(Value::is_array) => match object.remove("messages") {
            Some(Value::Array(list)) => list,
            _ => Vec::new(),
        },
        _ => values,
    };
    Ok((list, 0))
}

/// One value, or several after one another.
fn values(text: &str) -> serde_json::Result<Vec<Value>> {
    serde_json::Deserializer::from_str(text).into_iter().collect()
}

/// The entries of a list of which some are broken; `None` if none can be read.
fn each_alone(text: &str) -> Option<(Vec<Value>, usize)> {
    let inside = text.trim_start().strip_prefix('[');
    let pieces = inside.map_or_else(|| text.lines().collect(), pieces);
    let pieces: Vec<&str> = pieces.into_iter().filter(|piece| !piece.trim().is_empty()).collect();
    let value = |piece: &&str| serde_json::from_str(piece).or_else(|_| serde_json::from_str(&without_controls(piece))).ok();
    let read: Vec<Value> = pieces.iter().filter_map(value).filter(Value::is_object).collect();
    let skipped = pieces.len() - read.len();
    (!read.is_empty()).then_some((read, skipped))
}

/// What stands between the commas of an array, without its opening bracket, up to the bracket that closes it.
fn pieces(inside: &str) -> Vec<&str> {
    let (mut pieces, mut start, mut depth, mut quoted, mut escaped) = (Vec::new(), 0, 0_usize, false, false);
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => depth += 1,
            b']' if depth == 0 => {
                pieces.extend(inside.get(start..at));
                return pieces;
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                pieces.extend(inside.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.extend(inside.get(start..));
    pieces
}

/// The text with U+FFFD instead of the halves of surrogate pairs, which are no characters.
fn without_halves(text: &str) -> Cow<'_, str> {
    let (mut out, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(next) = text.get(at..).and_then(|rest| rest.find('\\')) {
        at += next;
        let (length, instead) = escape(text, at);
        if let Some(instead) = instead {
            out.push_str(text.get(copied..at).unwrap_or_default());
            out.push_str(instead);
            copied = at + length;
        }
        at += length;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// The text with the escapes of control characters instead of those that stand in strings as they are.
fn without_controls(text: &str) -> String {
    let (mut out, mut quoted, mut escaped) = (String::with_capacity(text.len()), false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            control if quoted && control < ' ' => {
                out.push_str(&format!("\\u{:04x}", u32::from(control)));
                continue;
            }
            _ => {}
        }
        out.push(c);
    }
    out
}

/// The length of the escape at `at`, and what to write instead of half a surrogate pair.
fn escape(text: &str, at: usize) -> (usize, Option<&'static str>) {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    match unit(at) {
        Some(0xd800..=0xdbff) => match unit(at + 6) {
            Some(0xdc00..=0xdfff) => (12, None),
            _ => (6, Some(HALF)),
        },
        Some(0xdc00..=0xdfff) => (6, Some(HALF)),
        Some(_) => (6, None),
        None => (2, None),
    }
}

/// `{`, or `[` before a value that is an object: a time in brackets may begin a plain transcript.
fn begins_like_json(text: &str) -> bool {
    let text = text.trim_start();
    let inside = text.strip_prefix('[').map(str::trim_start);
    let object = |text: &str| text.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with(['"', '}']));
    object(text) || inside.is_some_and(|inside| object(inside) || inside.starts_with(']'))
}

/// What a message says; nothing if it has no text.
fn read(value: &Value) -> Result<Vec<Message>, String> {
    let message = value.as_object().ok_or("it is not an object")?;
    let said_by = message.get("role").and_then(Value::as_str).ok_or("`role` is missing or not a string")?;
    if said_by.len() > SPEAKER_MAX {
        return Err(format!("`role` has {} bytes; at most {SPEAKER_MAX} are allowed", said_by.len()));
    }
    let name = message.get("name").and_then(Value::as_str).map(str::trim).filter(|name| !name.is_empty());
    let (kind, at) = (role(said_by), moment::of(message));
    let says = |role: Role, speaker: &str, text: &str| Message { speaker: storable(speaker), role, at, text: storable(text) };
    let speaker = name.unwrap_or(said_by);
    match message.get("content") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![says(kind, speaker, text)]),
        Some(Value::Array(blocks)) => {
            let (mut messages, mut said) = (Vec::new(), Vec::new());
            for block in blocks {
                match block_text(block)? {
                    Some((true, text)) => said.push(text),
                    // What a tool answered is nobody's words.
                    Some((false, text)) => messages.push(says(Role::Machine, "tool", &text)),
                    None => {}
                }
            }
            messages.push(says(kind, speaker, &said.join("\n")));
            Ok(messages)
        }
        Some(_) => Err("`content` is neither a string nor a list of blocks".into()),
    }
}

/// The text as Postgres can store it: without NUL.
fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_apis_are_read() {
        let open = r#"{"messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "name": "Vera", "content": [{"type": "text", "text": "I moved."}, {"type": "image_url", "image_url": {}}], "timestamp": "2026-05-03T09:12:00Z"}, {"role": "assistant", "content": null, "tool_calls": []}]}"#;
        let read = messages(open).unwrap().unwrap().messages;
        assert_eq!(
            read.iter().map(|one| (one.speaker.as_str(), one.role, one.text.as_str())).collect::<Vec<_>>(),
            [("system", Role::Machine, "Be kind."), ("Vera", Role::Person, "I moved.")]
        );
        assert_eq!(read[1].at.unwrap().to_rfc3339(), "2026-05-03T09:12:00+00:00");
        let blocks = r#"[{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "42"}]}, {"type": "text", "text": "Thanks"}]}]"#;
        let read = messages(blocks).unwrap().unwrap().messages;
        assert_eq!(
            read.iter().map(|one| (one.role, one.text.as_str())).collect::<Vec<_>>(),
            [(Role::Machine, "42"), (Role::Person, "Thanks")]
        );
        let lines = "{\"role\": \"user\", \"content\": \"a\"}\n{\"role\": \"assistant\", \"content\": \"b\"}\n";
        assert_eq!(messages(lines).unwrap().unwrap().messages.len(), 2);
    }

    #[test]
    fn what_is_no_list_of_messages_is_not_read() {
        assert_eq!(messages("[2026-05-03 09:12] Vera: hi"), Ok(None));
        assert_eq!(messages("{curly} braces"), Ok(None));
        assert!(matches!(messages("[]"), Err(ReadError::Shape(_))));
        let long = format!("[{{\"role\": \"{}\", \"content\": \"a\"}}]", "x".repeat(81));
        assert!(matches!(messages(&long), Err(ReadError::Shape(message)) if message.contains("81 bytes")));
    }

    /// The texts of the messages, and how many entries were left out.
    fn texts(text: &str) -> (Vec<String>, usize) {
        let list = messages(text).unwrap().unwrap();
        (list.messages.into_iter().map(|message| message.text).collect(), list.skipped)
    }

    #[test]
    fn one_bad_message_does_not_cost_the_others() {
        let says = |text: &str| format!("{{\"role\": \"user\", \"content\": \"{text}\"}}");
        let good = (vec!["a".to_owned(), "b".to_owned()], 1);
        for bad in ["7", "{\"role\": 3}", "{\"content\": \"c\"}", "{\"role\": \"user\", \"content\": {\"x\": 1}}"] {
            assert_eq!(texts(&format!("[{}, {bad}, {}]", says("a"), says("b"))), good, "{bad}");
            assert_eq!(texts(&format!("{}\n{bad}\n{}\n", says("a"), says("b"))), good, "{bad}");
            assert_eq!(texts(&format!("{{\"messages\": [{}, {bad}, {}]}}", says("a"), says("b"))), good, "{bad}");
        }
        // What is no JSON ends at the comma, or at the end of its line.
        for bad in ["{\"role\": \"user\", \"content\": oops}", "{\"role\": \"user\" \"content\"}", "{\"a\": [1, 2}]"] {
            assert_eq!(texts(&format!("[{}, {bad}, {}]", says("a"), says("b"))).0.first().map(String::as_str), Some("a"), "{bad}");
            assert_eq!(texts(&format!("{}\n{bad}\n{}\n", says("a"), says("b"))), good, "{bad}");
        }
        assert_eq!(texts(&format!("[{}, {}, {{\"role\": \"us", says("a"), says("b"))), good, "a file that was cut");
        assert!(matches!(messages("[{\"role\": 3}, {\"role\": 4}]"), Err(ReadError::Shape(why)) if why.starts_with("message 1: ")));
    }

    #[test]
    fn characters_that_cannot_be_stored_are_replaced() {
        for (written, stored) in [
            ("a\\u0000b", "a\u{fffd}b"),
            ("a\\ud83db", "a\u{fffd}b"),
            ("a\\udc00\\ud83d", "a\u{fffd}\u{fffd}"),
            ("\\ud83d\\ud83e\\uded6", "\u{fffd}🫖"),
            ("\\ud83e\\uded6", "🫖"),
            ("\\\\ud83d", "\\ud83d"),
            ("a\tb", "a\tb"),
            ("a\nb", "a\nb"),
        ] {
            let list = format!("[{{\"role\": \"user\", \"name\": \"V\\u0000\", \"content\": \"{written}\"}}]");
            let read = messages(&list).unwrap().unwrap();
            assert_eq!((read.messages[0].text.as_str(), read.skipped), (stored, 0), "{written}");
            assert_eq!(read.messages[0].speaker, "V\u{fffd}");
        }
    }

    proptest! {
        #[test]
        fn a_list_with_anything_in_it_is_read_or_refused(text in "(\\[|\\]|\\{|\\}|,|:|\"|\\\\|\\\\ud83d|\\\\udc00|role|content|\"role\": \"user\", |\\PC|\n){0,40}") {
            if let Ok(Some(list)) = messages(&format!("[{{\"role\": \"user\", \"content\": \"a\"}}, {text}]")) {
                prop_assert!(list.messages.iter().all(|message| !message.text.contains('\0')));
            }
        }
    }
}
