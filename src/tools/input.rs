//! Reading a tool's input so that every error names its field.

use foundation::Error;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads JSON into a request.
///
/// # Errors
/// `Invalid`: the path of a text with NUL, of a field that is missing or unknown, or of a value of the wrong form.
pub fn read<T: DeserializeOwned>(input: Value) -> Result<T, Error> {
    if let Some(path) = nul(&input, String::new()) {
        return Err(Error::invalid(path, "must not contain NUL"));
    }
    serde_path_to_error::deserialize(input).map_err(|error| {
        let path = error.path().to_string();
        let message = error.into_inner().to_string();
        // serde reports the name of a missing or unknown field, but not its path.
        let missing = message.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
        // What follows the name of an unknown field are the fields that exist.
        let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.split_once("`, "));
        match (missing, unknown) {
            (Some(field), _) => Error::invalid(join(&path, field), "is required"),
            (_, Some((field, known))) => Error::invalid(join(&path, field), format!("is not a field of this request: {known}")),
            _ => Error::invalid(if path == "." { "body".into() } else { path }, message),
        }
    })
}

/// Takes a field that is true or false out of an input; false if it is not there.
///
/// # Errors
/// `Invalid` for any other value.
pub fn take_flag(input: &mut Value, field: &str) -> Result<bool, Error> {
    match input.as_object_mut().and_then(|fields| fields.remove(field)) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(flag),
        Some(_) => Err(Error::invalid(field, "must be true or false")),
    }
}

fn join(path: &str, field: &str) -> String {
    let parent = path.strip_suffix(field).map_or(path, |parent| parent.trim_end_matches('.'));
    if parent.is_empty() || parent == "." { field.to_owned() } else { format!("{parent}.{field}") }
}

/// The path of the first text that holds NUL, which Postgres cannot store.
fn nul(value: &Value, path: String) -> Option<String> {
    match value {
        Value::String(text) if text.contains('\0') => Some(path),
        Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| nul(item, format!("{path}[{index}]"))),
        Value::Object(map) => map.iter().find_map(|(key, item)| {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            if key.contains('\0') { Some(path.replace('\0', "")) } else { nul(item, path) }
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use wire::{ForgetRequest, RecallRequest, RememberRequest};

    fn field<T: DeserializeOwned + std::fmt::Debug>(input: Value) -> String {
        read::<T>(input).unwrap_err().fields()[0].field.clone()
    }

    #[test]
    fn every_error_names_its_field() {
        let whole = json!({ "topic_raw": "t", "content": "c", "source": { "platform": "slack" } });
        let with = |pointer: &str, value: Value| {
            let mut input = whole.clone();
            match pointer.split_once('.') {
                Some((outer, inner)) => input[outer][inner] = value,
                None => input[pointer] = value,
            }
            input
        };
        assert!(read::<RememberRequest>(whole.clone()).is_ok());
        assert_eq!(field::<RememberRequest>(json!({ "topic_raw": "t", "source": { "platform": "x" } })), "content");
        assert_eq!(field::<RememberRequest>(with("mood", json!("good"))), "mood");
        assert_eq!(field::<RememberRequest>(with("source.mood", json!("good"))), "source.mood");
        assert_eq!(field::<RememberRequest>(with("source", json!({}))), "source.platform");
        assert_eq!(field::<RememberRequest>(with("user_id", json!(""))), "user_id");
        assert_eq!(field::<RememberRequest>(with("kind", json!("hunch"))), "kind");
        assert_eq!(field::<RememberRequest>(with("content", json!("a\0b"))), "content");
        assert_eq!(field::<RememberRequest>(with("source.thread_id", json!("a\0b"))), "source.thread_id");
        assert_eq!(field::<RememberRequest>(json!([])), "body");
        assert_eq!(field::<RecallRequest>(json!({ "query": "q", "k": -1 })), "k");
        assert_eq!(field::<RecallRequest>(json!({ "query": "q", "k": "ten" })), "k");
    }

    #[test]
    fn the_error_of_an_unknown_field_names_those_that_exist() {
        let message = |input: Value| read::<ForgetRequest>(input).unwrap_err().fields()[0].message.clone();
        let expected = "is not a field of this request: expected one of `memory_id`, `reason`, `user_id`";
        assert_eq!(message(json!({ "memory": "k3v9x2aq" })), expected);
        assert_eq!(message(json!({ "a`b": "k3v9x2aq" })), expected);
    }
}
