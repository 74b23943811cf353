//! JSON as leaves and back: text that is JSON becomes JSON, a tree becomes paths with values, and paths become a tree. Pure.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Most levels of objects and lists, those in texts included.
pub const DEPTH_MAX: usize = 100;
/// Longest key, in bytes.
pub const KEY_MAX: usize = 10 * 1024;
/// Most leaves of one document and of one profile.
pub const LEAVES_MAX: usize = 1000;

/// The name under which a value stands beside what lies below its own path.
const OWN: &str = "in general";

/// Why a document cannot be part of a profile. It repeats no word of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    #[error("is nested deeper than {DEPTH_MAX} levels")]
    Deep,
    #[error("has a key of {0} bytes; at most {KEY_MAX} are allowed")]
    Key(usize),
    #[error("has more than {LEAVES_MAX} values")]
    Leaves,
}

/// A value at a path: a text, a number or a truth value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub path: Vec<String>,
    pub value: Value,
    /// An element of a list: other values at this path may be true as well.
    pub listed: bool,
}

/// Replaces every text that is a JSON object or list by what it says, at any depth. Every other value stays as it is.
///
/// # Errors
/// When the result is deeper than [`DEPTH_MAX`] or has a key longer than [`KEY_MAX`].
pub fn normalise(value: Value) -> Result<Value, TreeError> {
    unwrap(value, 0)
}

fn unwrap(value: Value, depth: usize) -> Result<Value, TreeError> {
    let value = match value {
        Value::String(text) => match document(&text)? {
            Some(document) => document,
            None => return Ok(Value::String(text)),
        },
        value => value,
    };
    if matches!(value, Value::Array(_) | Value::Object(_)) && depth >= DEPTH_MAX {
        return Err(TreeError::Deep);
    }
    match value {
        Value::Array(list) => list.into_iter().map(|one| unwrap(one, depth + 1)).collect(),
        Value::Object(map) => {
            let unwrapped = map.into_iter().map(|(key, one)| match key.len() {
                length if length > KEY_MAX => Err(TreeError::Key(length)),
                _ => Ok((key, unwrap(one, depth + 1)?)),
            });
            unwrapped.collect::<Result<Map<String, Value>, TreeError>>().map(Value::Object)
        }
        value => Ok(value),
    }
}

/// The object or list that a text is, if it is one, also when it was turned into text several times.
fn document(text: &str) -> Result<Option<Value>, TreeError> {
    let mut text = text.trim().to_owned();
    while text.starts_with(['{', '[', '"']) {
        match serde_json::from_str(&text) {
            Ok(Value::String(inner)) => text = inner.trim().to_owned(),
            Ok(document) => return Ok(Some(document)),
            // The parser gives up on documents that are deeper than any that is allowed.
            Err(_) if nesting(&text) > DEPTH_MAX => return Err(TreeError::Deep),
            Err(_) => return Ok(None),
        }
    }
    Ok(None)
}

/// How many brackets a text begins with.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// The values of a normalised document with their paths, in its order. Nulls and empty texts say nothing; an empty key adds no level. An
/// object in a list that has a `name` is at the path of its name.
///
/// # Errors
/// When there are more than [`LEAVES_MAX`].
pub fn flatten(path: &[String], value: &Value) -> Result<Vec<Entry>, TreeError> {
    let mut entries = Vec::new();
    collect(&mut path.to_vec(), value, false, &mut entries)?;
    Ok(entries)
}

fn collect(path: &mut Vec<String>, value: &Value, listed: bool, entries: &mut Vec<Entry>) -> Result<(), TreeError> {
    let value = match value {
        Value::Null => return Ok(()),
        Value::Array(list) => {
            return list.iter().try_for_each(|one| match named(one) {
                Some((name, rest)) => below(path, name, |path| collect(path, &rest, false, entries)),
                None => collect(path, one, true, entries),
            });
        }
        Value::Object(map) => {
            return map.iter().try_for_each(|(key, one)| below(path, key, |path| collect(path, one, listed, entries)));
        }
        Value::String(text) => Value::String(clean(text)),
        value => value.clone(),
    };
    if path.is_empty() || value == "" {
        return Ok(());
    }
    if entries.len() == LEAVES_MAX {
        return Err(TreeError::Leaves);
    }
    entries.push(Entry { path: path.clone(), value, listed });
    Ok(())
}

/// Works one level below a path.
fn below(path: &mut Vec<String>, key: &str, work: impl FnOnce(&mut Vec<String>) -> Result<(), TreeError>) -> Result<(), TreeError> {
    let (key, length) = (clean(key), path.len());
    let is_above = key.is_empty() || (key == OWN && !path.is_empty());
    path.extend(Some(key).filter(|_| !is_above));
    work(path)?;
    path.truncate(length);
    Ok(())
}

/// The name of an object in a list and the rest of the object, if it has both.
fn named(value: &Value) -> Option<(&str, Value)> {
    let map = value.as_object().filter(|map| map.len() > 1)?;
    let name = map.get("name")?.as_str()?;
    let rest: Map<String, Value> = map.iter().filter(|(key, _)| *key != "name").map(|(key, one)| (key.clone(), one.clone())).collect();
    Some((name, Value::Object(rest)))
}

/// A text without control characters, which no database and no prompt wants.
fn clean(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || *c == '\n').collect::<String>().trim().to_owned()
}

/// The form in which keys and values are compared: case, white space and a full stop at the end do not matter.
pub fn folded(text: &str) -> String {
    let words: Vec<String> =
        text.split(|c: char| c.is_whitespace() || c == '_').filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    words.join(" ").trim_end_matches('.').to_owned()
}

/// One level of a tree.
#[derive(Default)]
struct Node {
    /// The key as it was spelled first.
    key: String,
    values: Vec<Value>,
    listed: bool,
    children: BTreeMap<String, Node>,
}

/// The tree that entries describe. Several values at one path are a list; a value of an object itself has an empty key.
pub fn render<'a>(entries: impl IntoIterator<Item = (&'a [String], &'a Value, bool)>) -> Value {
    let mut root = Node::default();
    for (path, value, listed) in entries {
        let mut node = &mut root;
        for key in path {
            node = node.children.entry(folded(key)).or_insert_with(|| Node { key: key.clone(), ..Node::default() });
        }
        node.values.push(value.clone());
        node.listed |= listed;
    }
    let mut tree = root.into_value();
    if tree.is_null() {
        tree = Value::Object(Map::new());
    }
    tree
}

impl Node {
    fn into_value(self) -> Value {
        let mut values = self.values;
        let own = match values.len() {
            0 => Value::Null,
            1 if !self.listed => values.remove(0),
            _ => Value::Array(values),
        };
        if self.children.is_empty() {
            return own;
        }
        let mut map: Map<String, Value> = self.children.into_values().map(|child| (child.key.clone(), child.into_value())).collect();
        if !own.is_null() {
            map.insert(OWN.to_owned(), own);
        }
        Value::Object(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i32>().prop_map(|n| json!(n)),
            "[ a-zA-Z.:,]{0,12}".prop_map(Value::String),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                proptest::collection::btree_map("[a-zA-Z]{1,6}", inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    /// Turns some objects and lists inside a document into text, some of them twice.
    fn stringified(value: &Value, seed: u64) -> Value {
        let inner = match value {
            Value::Array(list) => list.iter().zip(1..).map(|(one, n)| stringified(one, seed.rotate_left(n))).collect(),
            Value::Object(map) => {
                map.iter().zip(1..).map(|((key, one), n)| (key.clone(), stringified(one, seed.rotate_right(n)))).collect()
            }
            value => return value.clone(),
        };
        let inner: Value = inner;
        match seed % 3 {
            0 => inner,
            1 => Value::String(inner.to_string()),
            _ => Value::String(Value::String(inner.to_string()).to_string()),
        }
    }

    fn rendered(entries: &[Entry]) -> Value {
        render(entries.iter().map(|entry| (entry.path.as_slice(), &entry.value, entry.listed)))
    }

    proptest! {
        #[test]
        fn normalising_undoes_stringifying_and_changes_nothing_else(value in json_value(), seed in any::<u64>()) {
            prop_assert_eq!(normalise(value.clone()).unwrap(), value.clone());
            prop_assert_eq!(normalise(stringified(&value, seed)).unwrap(), value);
        }

        #[test]
        fn a_tree_of_leaves_has_the_same_leaves(value in json_value()) {
            let entries = flatten(&["Top".into()], &value).unwrap();
            let again = flatten(&[], &rendered(&entries)).unwrap();
            let sorted = |entries: &[Entry]| {
                let mut texts: Vec<String> = entries
                    .iter()
                    .map(|entry| format!("{:?} {}", entry.path.iter().map(|key| folded(key)).collect::<Vec<_>>(), entry.value))
                    .collect();
                texts.sort();
                texts
            };
            prop_assert_eq!(sorted(&entries), sorted(&again));
        }
    }

    #[test]
    fn only_objects_and_lists_are_unwrapped() {
        for text in ["42", "true", "\"quoted\"", "{not JSON}", "[1, 2", "null", "a {\"b\": 1}"] {
            assert_eq!(normalise(json!({ "key": text })), Ok(json!({ "key": text })), "{text}");
        }
        let nested = json!({ "Projects": "{\"harbour\": \"{\\\"status\\\": \\\"on hold\\\"}\"}" });
        assert_eq!(normalise(nested), Ok(json!({ "Projects": { "harbour": { "status": "on hold" } } })));
    }

    #[test]
    fn limits_are_named() {
        let deep = |levels: usize| (0..levels).fold(json!("x"), |inner, _| json!({ "k": inner }));
        assert!(normalise(deep(DEPTH_MAX)).is_ok());
        assert_eq!(normalise(deep(DEPTH_MAX + 1)), Err(TreeError::Deep));
        assert_eq!(normalise(json!({ "k": deep(DEPTH_MAX).to_string() })), Err(TreeError::Deep));
        assert_eq!(normalise(Value::String("[".repeat(10_000) + &"]".repeat(10_000))), Err(TreeError::Deep));
        assert_eq!(normalise(json!({ ("k".repeat(KEY_MAX + 1)): 1 })), Err(TreeError::Key(KEY_MAX + 1)));
        assert_eq!(flatten(&["Facts".into()], &json!(vec![1; LEAVES_MAX + 1])), Err(TreeError::Leaves));
        assert_eq!(TreeError::Deep.to_string(), "is nested deeper than 100 levels");
    }

    #[test]
    fn objects_in_lists_are_named_or_lists_of_values() {
        let paths = |value: Value| -> Vec<String> {
            flatten(&[], &value).unwrap().into_iter().map(|entry| format!("{} {}", entry.path.join("/"), entry.listed)).collect()
        };
        assert_eq!(
            paths(json!({ "Projects": [{ "name": "harbour", "status": "open" }, "pier"] })),
            ["Projects/harbour/status false", "Projects true"]
        );
        assert_eq!(
            paths(json!({ "Projects": [{ "status": "open" }, { "status": "on hold" }] })),
            ["Projects/status true", "Projects/status true"]
        );
    }

    #[test]
    fn a_value_beside_what_lies_below_it_has_a_name_that_reads_as_words() {
        let entries = flatten(&["Projects".into()], &json!({ "pier": { "": ["It is old."], "status": "open" } })).unwrap();
        let tree = json!({ "Projects": { "pier": { "in general": ["It is old."], "status": "open" } } });
        assert_eq!(rendered(&entries), tree);
        assert_eq!(flatten(&[], &tree).unwrap(), entries);
        // At the top it is a key as any other.
        assert_eq!(rendered(&flatten(&[], &json!({ "in general": "calm" })).unwrap()), json!({ "in general": "calm" }));
    }

    #[test]
    fn control_characters_and_empty_values_say_nothing() {
        let entries = flatten(&[], &json!({ "a\u{0}": "b\u{0}", "": "c", "d": null, "e": ["", " "] })).unwrap();
        assert_eq!(entries, [Entry { path: vec!["a".into()], value: json!("b"), listed: false }]);
    }
}
