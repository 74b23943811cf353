//! The YAML between two lines of `---` at the top of a file.

use super::Fault;
use serde_json::{Map, Value};
use serde_saphyr::options::{DuplicateKeyPolicy, MergeKeyPolicy};

/// Longest front matter, in bytes.
const FRONT_MATTER_MAX: usize = 64 * 1024;
/// How deep its values may nest.
const DEPTH_MAX: usize = 16;
/// How many values it may hold, aliases expanded.
const NODES_MAX: usize = 4_096;

/// The front matter of a file, and where the body begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrontMatter {
    /// Empty if there is none.
    pub fields: Map<String, Value>,
    /// Byte offset of the body in the file.
    pub body: usize,
    /// Line of the file that the body begins on, from 1.
    pub line: usize,
}

/// Splits front matter from the body.
///
/// A file that does not begin with a line `---` has none. YAML's dates, and numbers with a leading zero, stay text. A fault, with its line
/// in the file, if the closing `---` (or `...`) is missing, if the YAML is malformed, not a mapping, too long, too deep or too large, or if
/// it holds a NUL character, which JSON in Postgres cannot.
pub fn front_matter(file: &str) -> Result<FrontMatter, Fault> {
    // A byte order mark is not part of the text.
    let start = if file.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut at = start;
    let mut lines = file[start..].split_inclusive('\n');
    match lines.next() {
        Some(first) if first.trim_end() == "---" => at += first.len(),
        _ => return Ok(FrontMatter { fields: Map::new(), body: start, line: 1 }),
    }
    let yaml = at;
    for (line, text) in (2..).zip(lines) {
        if matches!(text.trim_end(), "---" | "...") {
            let fields = fields(&file[yaml..at])?;
            return Ok(FrontMatter { fields, body: at + text.len(), line: line + 1 });
        }
        at += text.len();
        if at - yaml > FRONT_MATTER_MAX {
            return Err(Fault::new(line, format!("the front matter is longer than {FRONT_MATTER_MAX} bytes, or no line --- ends it")));
        }
    }
    Err(Fault::new(1, "the front matter begins with --- but no line --- ends it"))
}

fn fields(yaml: &str) -> Result<Map<String, Value>, Fault> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: DEPTH_MAX, max_nodes: NODES_MAX, max_documents: 1 },
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
        // `0008` is a number of a document, `no` an answer, and both are worth keeping as they were written.
        leading_zero_numbers_as_strings: true,
        strict_booleans: true,
        with_snippet: false,
    };
    let value: Value = serde_saphyr::from_str_with_options(yaml, options).map_err(|error| {
        let line = error.location().map_or(2, |location| usize::try_from(location.line()).unwrap_or(1) + 1);
        Fault::new(line, format!("the front matter is not valid YAML: {}", reason(&error)))
    })?;
    match value {
        Value::Null => Ok(Map::new()),
        Value::Object(fields) if fields.iter().any(|(name, value)| name.contains('\0') || holds_nul(value)) => {
            Err(Fault::new(1, "the front matter holds a NUL character"))
        }
        Value::Object(fields) => Ok(fields),
        _ => Err(Fault::new(2, "the front matter is not a mapping of names to values")),
    }
}

/// The reason in one line, without the position, which the fault has already.
fn reason(error: &serde_saphyr::Error) -> String {
    let error = error.without_snippet();
    if let serde_saphyr::Error::DuplicateMappingKey { key: Some(key), .. } = error {
        return format!("the key {key} is repeated");
    }
    let text = error.to_string();
    // Inside an alias, another error wraps the breach.
    if text.contains("budget breached") {
        return format!("it nests deeper than {DEPTH_MAX} or holds more than {NODES_MAX} values");
    }
    let first = text.lines().next().unwrap_or_default();
    first.split(" at line ").next().unwrap_or(first).trim_end_matches([',', ':', ' ']).to_owned()
}

fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(values) => values.iter().any(holds_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || holds_nul(value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn front_matter_becomes_json() {
        let file = "\u{feff}---\r\ntitle: Über\r\ndate: 2026-03-01\r\nid: 0008\r\nopen: no\r\ntags: [a, b]\r\nn: 3\r\n---\r\nBody";
        let parsed = front_matter(file).unwrap();
        let expected = json!({"title": "Über", "date": "2026-03-01", "id": "0008", "open": "no", "tags": ["a", "b"], "n": 3});
        assert_eq!(Value::Object(parsed.fields), expected);
        assert_eq!((&file[parsed.body..], parsed.line), ("Body", 9));
    }

    #[test]
    fn a_file_may_have_none() {
        for (file, body, line) in
            [("", 0, 1), ("# A\n", 0, 1), ("\u{feff}x", 3, 1), ("----\nx", 0, 1), ("---\n---\nx", 8, 3), ("---\n# c\n---", 11, 4)]
        {
            assert_eq!(front_matter(file).unwrap(), FrontMatter { fields: Map::new(), body, line }, "{file:?}");
        }
    }

    #[test]
    fn faults_name_the_line() {
        let deep = format!("---\na: {}1{}\n---\n", "[".repeat(40), "]".repeat(40));
        let long = format!("---\n{}---\n", "# comment\n".repeat(10_000));
        let aliases = format!("---\na: &a [{}1]\nb: [{}*a]\n---\n", "1,".repeat(100), "*a,".repeat(100));
        let cases = [
            ("---\ntitle: x\n", 1, "no line --- ends it"),
            ("---\n- a\n- b\n---\n", 2, "not a mapping"),
            ("---\njust words\n---\n", 2, "not a mapping"),
            ("---\na: 1\nb: [1, 2\n---\n", 3, "not valid YAML"),
            ("---\na: 1\na: 2\n---\n", 3, "the key a is repeated"),
            ("---\na: \"\\0\"\n---\n", 1, "NUL"),
            (&deep, 2, "nests deeper"),
            (&long, 6555, "longer than 65536 bytes"),
            (&aliases, 3, "more than 4096 values"),
        ];
        for (file, line, reason) in cases {
            let fault = front_matter(file).unwrap_err();
            assert!(fault.reason.contains(reason) && !fault.reason.contains('\n'), "{:?}", fault);
            assert_eq!(fault.line, Some(line), "{fault:?}");
        }
    }

    proptest! {
        #[test]
        fn the_body_is_the_rest_of_the_file(file in "(---\n)?[-a:\\[\\]\\n &*\"]{0,60}(\n---\n)?\\PC{0,20}") {
            if let Ok(parsed) = front_matter(&file) {
                prop_assert!(file.is_char_boundary(parsed.body));
                prop_assert_eq!(file[..parsed.body].matches('\n').count() + 1, parsed.line);
            }
        }
    }
}
