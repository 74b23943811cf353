//! Edits of a JSON file that keep every other byte of it: entries are inserted into the text and cut out of it.
//!
//! A parser of values would lose the order of keys, the indentation and the form of numbers.

use crate::Failure;
use serde_json::Value;

/// A value that a JSON file gets.
pub struct Entry {
    /// The keys that lead to it. Objects that are missing on the way are added.
    pub path: Vec<&'static str>,
    /// Its JSON, in one line.
    pub value: String,
    /// Whether it is an element of the list at the path, instead of the value at the path.
    pub listed: bool,
}

/// A JSON text, and where each of its values is.
pub struct Json<'t> {
    pub value: Value,
    text: &'t str,
    root: Node,
}

/// A value: its place in the text, and what is in it.
struct Node {
    start: usize,
    end: usize,
    items: Vec<Item>,
}

/// A member of an object, or an element of a list.
struct Item {
    /// Where it begins: a member at its key.
    start: usize,
    key: Option<String>,
    node: Node,
}

impl<'t> Json<'t> {
    /// Reads a text.
    ///
    /// # Errors
    /// A sentence with the line, if it is not JSON as RFC 8259 has it: without comments and trailing commas.
    pub fn read(text: &'t str) -> Result<Self, Failure> {
        let value = serde_json::from_str(text).map_err(|error| format!("it is not plain JSON ({error}); comments cannot be kept"))?;
        let root = Reader { text, at: 0 }.value();
        Ok(Self { value, text, root })
    }

    /// The text with an entry more; unchanged if there is a value at its path already.
    ///
    /// # Errors
    /// A sentence, if the path leads through a value of another kind.
    pub fn with(&self, entry: &Entry) -> Result<String, Failure> {
        let (node, rest) = self.root.deepest(&entry.path);
        if rest.is_empty() && !entry.listed {
            return Ok(self.text.to_owned());
        }
        let (first, kind) = if rest.is_empty() { ('[', "a list") } else { ('{', "an object") };
        if !self.text[node.start..].starts_with(first) {
            let taken = entry.path[..entry.path.len() - rest.len()].join(".");
            let place = if taken.is_empty() { "the whole of it".to_owned() } else { format!("“{taken}”") };
            return Err(format!("{place} is not {kind}").into());
        }
        let Some(last) = node.items.last() else {
            let indent = self.indent(node.start);
            let item = entry.nested(rest, &deeper(indent));
            let inner = format!("\n{}{item}\n{indent}", deeper(indent));
            return Ok(self.replaced(node.start + 1, node.end - 1, &inner));
        };
        let before = self.text[..last.start].trim_end().len();
        let blank = &self.text[before..last.start];
        let indent = blank.rsplit_once('\n').map_or("", |(_, indent)| indent);
        let item = format!(",{blank}{}", entry.nested(rest, indent));
        Ok(self.replaced(last.node.end, last.node.end, &item))
    }

    /// The text without the first value at or below a path that is to go, and without what holds nothing else; none if there is none.
    pub fn without(&self, keys: &[&str], goes: &impl Fn(&Value) -> bool) -> Option<String> {
        let (mut path, mut node) = (Vec::new(), &self.root);
        for key in keys {
            let index = node.items.iter().rposition(|item| item.key.as_deref() == Some(*key))?;
            path.push(index);
            node = &node.items[index].node;
        }
        path.extend(node.find(self.text, goes)?);
        Some(self.cut(&path))
    }

    /// The text without the value at a path of indexes.
    fn cut(&self, path: &[usize]) -> String {
        let mut holders = vec![&self.root];
        for index in path {
            let holder = holders[holders.len() - 1];
            holders.push(&holder.items[*index].node);
        }
        let mut depth = path.len() - 1;
        while depth > 0 && holders[depth].items.len() == 1 {
            depth -= 1;
        }
        let (holder, index) = (holders[depth], path[depth]);
        match holder.items.as_slice() {
            [_] => self.replaced(holder.start + 1, holder.end - 1, ""),
            [first, second, ..] if index == 0 => self.replaced(first.start, second.start, ""),
            items => self.replaced(items[index - 1].node.end, items[index].node.end, ""),
        }
    }

    fn replaced(&self, start: usize, end: usize, by: &str) -> String {
        format!("{}{by}{}", &self.text[..start], &self.text[end..])
    }

    /// The blanks at the beginning of the line of a place.
    fn indent(&self, at: usize) -> &str {
        let line = &self.text[self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)..at];
        &line[..line.len() - line.trim_start().len()]
    }
}

impl Entry {
    /// Whether a file has the entry.
    pub fn is_in(&self, file: &Value) -> bool {
        let Ok(value) = serde_json::from_str::<Value>(&self.value) else { return false };
        let place = self.path.iter().try_fold(file, |value, key| value.get(key));
        place.is_some_and(|place| if self.listed { place.as_array().is_some_and(|list| list.contains(&value)) } else { *place == value })
    }

    /// Where this program may have written such an entry: the key of all lists, or the place of the value.
    pub fn place(&self) -> &[&'static str] {
        if self.listed { &self.path[..1] } else { &self.path }
    }

    /// What an object or a list gets: the value, in the objects that are missing around it.
    fn nested(&self, rest: &[&str], indent: &str) -> String {
        match rest {
            [] => self.value.clone(),
            [key] if !self.listed => format!("\"{key}\": {}", self.value),
            [key, inner @ ..] => {
                let (open, close) = if inner.is_empty() { ('[', ']') } else { ('{', '}') };
                let deep = deeper(indent);
                format!("\"{key}\": {open}\n{deep}{}\n{indent}{close}", self.nested(inner, &deep))
            }
        }
    }
}

fn deeper(indent: &str) -> String {
    let step = if indent.contains('\t') { "\t" } else { "  " };
    format!("{indent}{step}")
}

impl Node {
    /// The last value that a path reaches, and the keys that are left.
    fn deepest<'n, 'p>(&'n self, path: &'p [&'static str]) -> (&'n Self, &'p [&'static str]) {
        let step = path.split_first().and_then(|(key, rest)| Some((self.member(key)?, rest)));
        step.map_or((self, path), |(node, rest)| node.deepest(rest))
    }

    /// The value of a key; of a repeated key the last one, as every host reads it.
    fn member(&self, key: &str) -> Option<&Self> {
        self.items.iter().rfind(|item| item.key.as_deref() == Some(key)).map(|item| &item.node)
    }

    /// The indexes that lead to the first value that fits.
    fn find(&self, text: &str, fits: &impl Fn(&Value) -> bool) -> Option<Vec<usize>> {
        if serde_json::from_str(&text[self.start..self.end]).is_ok_and(|value: Value| fits(&value)) {
            return Some(Vec::new());
        }
        self.items.iter().enumerate().find_map(|(index, item)| {
            let mut path = item.node.find(text, fits)?;
            path.insert(0, index);
            Some(path)
        })
    }
}

/// Finds the places of the values in a text that is JSON.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    /// The next byte; 0 at the end, which JSON has nowhere.
    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or_default()
    }

    fn blanks(&mut self) {
        while self.byte().is_ascii_whitespace() {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Node {
        self.blanks();
        let start = self.at;
        let items = match self.byte() {
            b'{' => self.items(true),
            b'[' => self.items(false),
            b'"' => self.string(),
            _ => self.scalar(),
        };
        Node { start, end: self.at, items }
    }

    fn items(&mut self, are_members: bool) -> Vec<Item> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.blanks();
            match self.byte() {
                b'}' | b']' | 0 => break,
                b',' => self.at += 1,
                _ => items.push(self.item(are_members)),
            }
        }
        self.at += 1;
        items
    }

    fn item(&mut self, is_member: bool) -> Item {
        let start = self.at;
        let key = is_member.then(|| self.key());
        Item { start, key, node: self.value() }
    }

    /// A key, and the colon after it.
    fn key(&mut self) -> String {
        let start = self.at;
        self.string();
        let key = serde_json::from_str(&self.text[start..self.at]).unwrap_or_default();
        self.blanks();
        self.at += 1;
        key
    }

    /// Goes behind a string, which holds no values.
    fn string(&mut self) -> Vec<Item> {
        self.at += 1;
        while !matches!(self.byte(), b'"' | 0) {
            self.at += if self.byte() == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        Vec::new()
    }

    /// Goes behind a number or a word, which hold no values.
    fn scalar(&mut self) -> Vec<Item> {
        while !matches!(self.byte(), b',' | b']' | b'}' | 0) && !self.byte().is_ascii_whitespace() {
            self.at += 1;
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &[&'static str], value: &str, listed: bool) -> Entry {
        Entry { path: path.to_vec(), value: value.to_owned(), listed }
    }

    /// The text with the entry, which holds it; and without it again.
    fn there_and_back(text: &str, entry: &Entry) -> (String, String) {
        let with = Json::read(text).unwrap().with(entry).unwrap();
        assert!(entry.is_in(&serde_json::from_str(&with).unwrap()), "{with}");
        let value: Value = serde_json::from_str(&entry.value).unwrap();
        let without = Json::read(&with).unwrap().without(entry.place(), &|found: &Value| *found == value).unwrap();
        (with, without)
    }

    #[test]
    fn what_is_inserted_and_cut_leaves_every_other_byte() {
        let hook = entry(&["hooks", "Stop"], r#"{"command": "x"}"#, true);
        for text in [
            "{}",
            "{\n  \"a\": 1.0e2,\n\t\"b\" : [ ]\n}\n",
            "{\"z\":{\"k\":\"}\\\"]\"},\"a\":null}",
            "{\n\t\"hooks\": {\n\t\t\"Start\": [1, 2]\n\t}\n}",
            "{\"hooks\": {\"Stop\": [ \"é, \\\\\" ], \"Start\": []}, \"last\": true}\r\n",
        ] {
            assert_eq!(there_and_back(text, &hook).1, text);
        }
    }

    #[test]
    fn an_entry_gets_the_indentation_of_its_neighbours() {
        let server = entry(&["mcpServers", "r"], r#"{"command": "r"}"#, false);
        let (with, _) = there_and_back("{\n    \"theme\": \"dark\"\n}\n", &server);
        assert_eq!(with, "{\n    \"theme\": \"dark\",\n    \"mcpServers\": {\n      \"r\": {\"command\": \"r\"}\n    }\n}\n");
        let (with, _) = there_and_back("{}\n", &server);
        assert_eq!(with, "{\n  \"mcpServers\": {\n    \"r\": {\"command\": \"r\"}\n  }\n}\n");
    }

    #[test]
    fn a_value_at_the_path_stays_and_a_value_of_another_kind_is_named() {
        let server = entry(&["mcpServers", "r"], "{}", false);
        let text = r#"{"mcpServers": {"r": {"url": "https://memory.example.org/mcp"}}}"#;
        assert_eq!(Json::read(text).unwrap().with(&server).unwrap(), text);
        let error = Json::read(r#"{"mcpServers": null}"#).unwrap().with(&server).unwrap_err();
        assert_eq!(error.to_string(), "“mcpServers” is not an object");
        let hook = entry(&["hooks", "Stop"], "{}", true);
        let error = Json::read(r#"{"hooks": {"Stop": {}}}"#).unwrap().with(&hook).unwrap_err();
        assert_eq!(error.to_string(), "“hooks.Stop” is not a list");
    }

    #[test]
    fn what_is_not_json_is_refused_with_its_line() {
        for text in ["{\n  // mine\n  \"a\": 1\n}", "{\n  \"a\": 1,\n}", "{\n", "", "\u{feff}{}"] {
            let error = Json::read(text).err().unwrap().to_string();
            assert!(error.contains("line "), "{error}");
        }
    }

    #[test]
    fn what_a_person_added_beside_an_entry_stays() {
        let text = "{\"hooks\": {\"Stop\": [{\"hooks\": [1, 2]}, {\"hooks\": [1]}]}}";
        let without = Json::read(text).unwrap().without(&["hooks"], &|value: &Value| *value == 1).unwrap();
        assert_eq!(without, "{\"hooks\": {\"Stop\": [{\"hooks\": [2]}, {\"hooks\": [1]}]}}");
        let without = Json::read(&without).unwrap().without(&["hooks"], &|value: &Value| *value == 1).unwrap();
        assert_eq!(without, "{\"hooks\": {\"Stop\": [{\"hooks\": [2]}]}}");
        assert_eq!(Json::read(&without).unwrap().without(&["hooks"], &|value: &Value| *value == 1), None);
    }
}
