//! The JSON of a file, as far as it can be read: the values of one that was cut, or of which a part is broken.

use crate::transcript::ReadError;
use serde_json::Value;
use std::borrow::Cow;

/// What half a surrogate pair becomes.
const HALF: &str = "\\ufffd";

/// What a file holds.
#[derive(Debug)]
pub struct Values {
    pub values: Vec<Value>,
    /// Parts that cannot be read.
    pub broken: usize,
    /// Whether the last value is one that was cut: what it ends with may lack something.
    pub cut: bool,
}

/// The values of a file: one, or several after one another.
///
/// # Errors
/// When none can be read.
pub fn values(text: &str) -> Result<Values, ReadError> {
    match stream(text).or_else(|error| stream(&without_controls(text)).map_err(|_| error)) {
        Ok(values) => Ok(Values { values, broken: 0, cut: false }),
        Err(error) => each_alone(text).ok_or_else(|| ReadError::Json(error.to_string())),
    }
}

fn stream(text: &str) -> serde_json::Result<Vec<Value>> {
    serde_json::Deserializer::from_str(text).into_iter().collect()
}

/// An object, also with control characters in its strings.
fn object(text: &str) -> Option<Value> {
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&without_controls(text))).ok().filter(Value::is_object)
}

/// The entries of a list, the lines of a file or an object, of which some are broken; `None` if none can be read.
fn each_alone(text: &str) -> Option<Values> {
    let inside = text.trim_start().strip_prefix('[');
    let pieces = inside.map_or_else(|| text.lines().collect(), pieces);
    let pieces: Vec<&str> = pieces.into_iter().filter(|piece| !piece.trim().is_empty()).collect();
    let is_one = inside.is_none() && pieces.first().is_some_and(|first| object(first).is_none());
    if let Some(whole) = is_one.then(|| closed(text)).flatten() {
        return Some(Values { values: vec![whole], broken: 1, cut: true });
    }
    let mut values: Vec<Value> = pieces.iter().filter_map(|piece| object(piece)).collect();
    let broken = pieces.len() - values.len();
    let last = pieces.last().filter(|last| object(last).is_none()).and_then(|last| closed(last));
    let cut = last.is_some();
    values.extend(last);
    (!values.is_empty()).then_some(Values { values, broken, cut })
}

/// The beginning of an object that was cut, up to the last list or object in it that is whole.
fn closed(text: &str) -> Option<Value> {
    let (mut open, mut whole, mut quoted, mut escaped) = (Vec::new(), None, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' => open.push('}'),
            b'[' => open.push(']'),
            b'}' | b']' => {
                open.pop();
                whole = Some((at + 1, open.len()));
            }
            _ => {}
        }
    }
    let (end, depth) = whole?;
    // What was opened after the last whole part is cut off with it.
    open.truncate(depth);
    let ends: String = open.into_iter().rev().collect();
    object(&format!("{}{ends}", text.get(..end)?))
}

/// The texts between the commas of an array, from after its opening bracket up to the bracket that closes it.
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
pub fn without_halves(text: &str) -> Cow<'_, str> {
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
pub fn begins_like_json(text: &str) -> bool {
    let text = text.trim_start();
    let inside = text.strip_prefix('[').map(str::trim_start);
    let object = |text: &str| text.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with(['"', '}']));
    object(text) || inside.is_some_and(|inside| object(inside) || inside.starts_with(']'))
}
