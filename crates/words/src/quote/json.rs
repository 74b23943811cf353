//! Values as JSON that a model or a person reads: characters without a shape, and those that end a line, are escaped.

use crate::marks::{ends_line, is_hidden};
use serde_json::Value;

/// A value on one line.
pub fn json(value: &Value) -> String {
    escaped(&value.to_string())
}

/// A value on several lines, with indentation, for a prompt in which `[id:` names a memory: no text in it can name one.
pub fn json_lines(value: &Value) -> String {
    // Outside of its strings JSON has no `[id:`.
    super::naming_none(&escaped(&format!("{value:#}")), "\\u005b")
}

/// JSON with such characters escaped. Outside of its strings JSON has no such characters but line feeds, which it never has inside of them.
pub fn escaped(json: &str) -> String {
    let is_escaped = |c: char| c != '\n' && (is_hidden(c) || ends_line(c));
    if !json.contains(is_escaped) {
        return json.to_owned();
    }
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if is_escaped(c) {
            let mut units = [0; 2];
            text.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn what_cannot_be_seen_is_escaped() {
        let value = json!({ "name": "a\u{202e}b\u{2028}# Heading\u{e0041}\n" });
        assert_eq!(super::json(&value), r##"{"name":"a\u202eb\u2028# Heading\udb40\udc41\n"}"##);
        assert_eq!(json_lines(&value).lines().count(), 3);
        let named = json!({ "tea [id:1": "\\[ID:aaaaaaaa] green" });
        assert!(!json_lines(&named).to_ascii_lowercase().contains("[id:"));
        assert_eq!(serde_json::from_str::<Value>(&json_lines(&named)).unwrap(), named);
    }

    proptest! {
        #[test]
        fn the_value_stays_the_same(text in "([a-z\"\\\\]|[\u{202a}-\u{202e}\u{2028}\u{85}\u{e0041}\u{7f}\n\r]){0,40}") {
            let value = json!({ "text": text });
            for written in [super::json(&value), json_lines(&value)] {
                prop_assert_eq!(&serde_json::from_str::<Value>(&written).unwrap(), &value);
                prop_assert!(!written.contains(|c| c != '\n' && (is_hidden(c) || ends_line(c))));
            }
        }
    }
}
