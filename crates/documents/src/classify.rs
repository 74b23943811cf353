//! What a file is and what it is called, from its path, its front matter and its headings.

use super::blocks::{Block, BlockKind};
use serde_json::{Map, Value};
use wire::DocumentKind;

/// Longest path, in characters.
const PATH_MAX: usize = 512;
/// Longest title, in characters; a longer one is cut.
const TITLE_MAX: usize = 256;
/// Longest reference or status, in characters; a longer reference is ignored, a longer status is cut.
const LABEL_MAX: usize = 64;
/// Prefixes of references that people write in lower case as well, and whose numbers have three digits at least.
const SERIES: [&str; 3] = ["ADR", "RFC", "SPEC"];

/// What a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Markdown,
    Text,
    Html,
}

impl Format {
    /// The format that the ending of a path says, in capitals or not.
    pub fn of(path: &str) -> Option<Self> {
        match path.to_ascii_lowercase().rsplit_once('.')?.1 {
            "md" => Some(Self::Markdown),
            "txt" => Some(Self::Text),
            "html" | "htm" => Some(Self::Html),
            _ => None,
        }
    }
}

/// Whether `path` may name a file of a collection: relative, with `/`, without `.`, `..` or empty segments, ending in `.md`, `.txt`, `.html`
/// or `.htm`.
///
/// The error completes the sentence "the path …".
pub fn check_path(path: &str) -> Result<(), String> {
    let bad_segment = |segment: &str| matches!(segment, "" | "." | "..");
    let problem = match path {
        "" => "is empty",
        _ if path.chars().count() > PATH_MAX => return Err(format!("is longer than {PATH_MAX} characters")),
        _ if path.chars().any(char::is_control) => "has a control character",
        _ if path.contains('\\') => "has a backslash; folders are separated by /",
        _ if path.starts_with('/') => "is absolute; it must be relative to the collection's root",
        _ if path.split('/').any(bad_segment) => "has a segment that is empty, . or ..",
        _ if path.to_ascii_lowercase().ends_with(".pdf") => "ends in .pdf, and PDF cannot be read: save it as HTML or text",
        _ if Format::of(path).is_none() => "does not end in .md, .txt, .html or .htm",
        _ if stem(path).is_empty() => "has no name before its ending",
        _ => return Ok(()),
    };
    Err(problem.to_owned())
}

/// What the file is: the `kind` in its front matter if it is a known one, else from its folder and name.
///
/// The folders count at the root and below it, so that each service of a large repository may have its own. A `README.md` or `INDEX.md`
/// among decisions is about them and is none.
pub fn kind_of(path: &str, front_matter: &Map<String, Value>) -> DocumentKind {
    if let Some(kind) = text_of(front_matter, "kind").and_then(|kind| kind.to_lowercase().parse().ok()) {
        return kind;
    }
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let within = |place: &str| folder.strip_suffix(place).is_some_and(|above| above.is_empty() || above.ends_with('/'));
    match name.to_uppercase().as_str() {
        "ARCHITECTURE.MD" => DocumentKind::Architecture,
        "GLOSSARY.MD" => DocumentKind::Glossary,
        "README.MD" | "INDEX.MD" => DocumentKind::Document,
        _ if within("docs/specs/approved") => DocumentKind::Spec,
        _ if [".context/decisions", "docs/adr", "docs/decisions"].into_iter().any(within) => DocumentKind::Adr,
        _ => DocumentKind::Document,
    }
}

/// The name by which others cite the document: `SPEC-005`, `ADR-008`.
///
/// From the front matter (`spec_id` of a specification, `adr_id` of a decision, else `id`), else from the beginning of the file's name.
/// Bare numbers of specifications and decisions get their prefix, and numbers of known series three digits at least.
pub fn reference(path: &str, kind: DocumentKind, front_matter: &Map<String, Value>) -> Option<String> {
    let names: &[&str] = match kind {
        DocumentKind::Spec => &["spec_id", "id"],
        DocumentKind::Adr => &["adr_id", "id"],
        _ => &["id", "spec_id", "adr_id"],
    };
    let given = names.iter().filter_map(|name| text_of(front_matter, name)).find(|text| !text.is_empty());
    if let Some(text) = given.filter(|text| text.chars().count() <= LABEL_MAX && !text.chars().any(char::is_control)) {
        return Some(match split_reference(&text, kind) {
            Some((reference, "")) => reference,
            _ => text,
        });
    }
    let stem = stem(path);
    split_reference(stem, kind)
        .filter(|(_, rest)| rest.is_empty() || rest.starts_with(['-', '_', ' ', '.']))
        .map(|(reference, _)| reference)
}

/// The title: of the front matter, else the first heading, else the words of the file's name. A leading reference is removed.
pub fn title(path: &str, kind: DocumentKind, front_matter: &Map<String, Value>, blocks: &[Block]) -> String {
    let given = text_of(front_matter, "title").filter(|title| !title.is_empty());
    let heading = || {
        blocks.iter().find_map(|block| match &block.kind {
            BlockKind::Heading { text, .. } if !text.is_empty() => Some(text.clone()),
            _ => None,
        })
    };
    let title = given.or_else(heading).unwrap_or_else(|| humanised(stem(path), kind));
    cut(without_reference(&title, kind), TITLE_MAX)
}

/// The status in lower case: of the front matter, else the first line under a heading "Status", else what follows "Status:" above the first
/// section; empty if the document says nothing.
pub fn status(front_matter: &Map<String, Value>, blocks: &[Block]) -> String {
    let said = || {
        let mut under = false;
        let mut sections = 0;
        for block in blocks {
            match &block.kind {
                BlockKind::Heading { level, text } => {
                    under = text.trim_end_matches(':').eq_ignore_ascii_case("status");
                    sections += usize::from(*level > 1);
                }
                BlockKind::Prose { lines, .. } if under => return lines.first().map(|line| line.text.clone()),
                BlockKind::Prose { lines, .. } if sections == 0 => {
                    if let Some(status) = lines.iter().find_map(|line| label(&line.text, "status")) {
                        return Some(status.to_owned());
                    }
                }
                _ => {}
            }
        }
        None
    };
    let status = text_of(front_matter, "status").or_else(said).unwrap_or_default().to_lowercase();
    cut(status.trim().trim_end_matches('.'), LABEL_MAX)
}

/// A scalar of the front matter as text, trimmed.
pub(super) fn text_of(front_matter: &Map<String, Value>, name: &str) -> Option<String> {
    match front_matter.get(name)? {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// What follows `name` and a colon at the beginning of a line; case does not matter.
pub(super) fn label<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let line = line.trim_start();
    let rest = line.get(name.len()..).filter(|_| line[..name.len()].eq_ignore_ascii_case(name))?;
    rest.trim_start().strip_prefix(':').map(str::trim)
}

/// A text of at most `max` characters, trimmed.
pub(super) fn cut(text: &str, max: usize) -> String {
    let end = text.char_indices().nth(max).map_or(text.len(), |(end, _)| end);
    text[..end].trim().to_owned()
}

fn stem(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// A reference at the beginning of `text`, in its full form, and what follows it.
fn split_reference(text: &str, kind: DocumentKind) -> Option<(String, &str)> {
    let letters = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (prefix, rest) = text.split_at(letters);
    let series = prefix.to_ascii_uppercase();
    let known = SERIES.contains(&series.as_str());
    let (series, digits) = match kind {
        DocumentKind::Spec if prefix.is_empty() => ("SPEC".to_owned(), rest),
        DocumentKind::Adr if prefix.is_empty() => ("ADR".to_owned(), rest),
        _ if known => (series, rest.strip_prefix(['-', '_', ' ']).unwrap_or(rest)),
        _ if letters >= 2 && prefix == series => (series, rest.strip_prefix('-')?),
        _ => return None,
    };
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let (number, rest) = digits.split_at(end);
    // `2026-03-01-title.md` begins with a date, not with a number.
    let date = number.len() == 4 && rest.len() >= 6 && rest.starts_with('-') && rest.as_bytes()[1..3].iter().all(u8::is_ascii_digit);
    if number.is_empty() || number.len() > 6 || (prefix.is_empty() && date) || rest.starts_with(char::is_alphanumeric) {
        return None;
    }
    let number = if known || prefix.is_empty() { format!("{:0>3}", number.trim_start_matches('0')) } else { number.to_owned() };
    Some((format!("{series}-{number}"), rest))
}

fn without_reference(title: &str, kind: DocumentKind) -> &str {
    let Some((_, rest)) = split_reference(title, kind) else { return title };
    let after = rest.trim_start();
    match after.strip_prefix([':', '.', '—', '–', '-', ')']).map(str::trim_start) {
        Some(words) if !words.is_empty() => words,
        _ => title,
    }
}

fn humanised(stem: &str, kind: DocumentKind) -> String {
    let rest = split_reference(stem, kind).map_or(stem, |(_, rest)| rest);
    let words: Vec<&str> = rest.split(|c: char| c == '-' || c == '_' || c.is_whitespace()).filter(|word| !word.is_empty()).collect();
    let words = if words.is_empty() { stem.to_owned() } else { words.join(" ") };
    let words = if words.chars().any(char::is_lowercase) { words } else { words.to_lowercase() };
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::super::blocks::blocks;
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn fields(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn paths_stay_inside_the_collection() {
        let long = format!("{}.md", "a".repeat(510));
        let bad =
            ["", "/a.md", "../a.md", "a/./b.md", "a//b.md", "a\\b.md", "a\0.md", "a\n.md", "a.doc", "a.md/", "a/.md", "a/.html", &long];
        for path in bad {
            assert!(check_path(path).is_err(), "{path:?}");
        }
        for path in ["a.md", ".context/decisions/ADR-1.MD", "docs/ü b.md", "..a.md", "a.TXT", "a.md.html", "a.htm"] {
            assert_eq!(check_path(path), Ok(()), "{path:?}");
        }
    }

    #[test]
    fn the_path_tells_the_kind_unless_the_front_matter_does() {
        let cases = [
            ("docs/specs/approved/SPEC-005-x.md", DocumentKind::Spec),
            ("billing/docs/specs/approved/x.md", DocumentKind::Spec),
            ("mydocs/specs/approved/x.md", DocumentKind::Document),
            ("docs/specs/approved/old/x.md", DocumentKind::Document),
            (".context/decisions/x.md", DocumentKind::Adr),
            ("docs/adr/0001-x.md", DocumentKind::Adr),
            ("docs/decisions/x.md", DocumentKind::Adr),
            ("docs/adr/README.md", DocumentKind::Document),
            ("docs/ARCHITECTURE.md", DocumentKind::Architecture),
            ("GLOSSARY.md", DocumentKind::Glossary),
            ("notes.md", DocumentKind::Document),
        ];
        for (path, kind) in cases {
            assert_eq!(kind_of(path, &Map::new()), kind, "{path}");
            assert_eq!(kind_of(path, &fields(json!({"kind": "Spec"}))), DocumentKind::Spec);
            assert_eq!(kind_of(path, &fields(json!({"kind": "guide"}))), kind, "an unknown kind says nothing");
        }
    }

    #[test]
    fn references_have_one_form() {
        use DocumentKind::{Adr, Document, Spec};
        let cases = [
            ("SPEC-005-recall.md", Spec, json!({}), Some("SPEC-005")),
            ("docs/adr/0008-title.md", Adr, json!({}), Some("ADR-008")),
            ("adr_8.md", Adr, json!({}), Some("ADR-008")),
            ("ADR-1234.md", Adr, json!({}), Some("ADR-1234")),
            ("2026-03-01-title.md", Adr, json!({}), None),
            ("0008-title.md", Document, json!({}), None),
            ("iso-8601-dates.md", Document, json!({}), None),
            ("OPS-12-alarms.md", Document, json!({}), Some("OPS-12")),
            ("x.md", Adr, json!({"id": 8}), Some("ADR-008")),
            ("x.md", Adr, json!({"id": "0008"}), Some("ADR-008")),
            ("x.md", Adr, json!({"adr_id": "adr-8", "id": "x"}), Some("ADR-008")),
            ("ADR-001.md", Adr, json!({"spec_id": "SPEC-002"}), Some("ADR-001")),
            ("x.md", Spec, json!({"spec_id": "Recall 2"}), Some("Recall 2")),
            ("x.md", Document, json!({"id": "a".repeat(65)}), None),
        ];
        for (path, kind, front_matter, expected) in cases {
            assert_eq!(reference(path, kind, &fields(front_matter)).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn titles_lose_their_reference() {
        use DocumentKind::{Adr, Document};
        let cases = [
            ("x.md", Adr, "# ADR-005: Use *JSONB*", "Use JSONB"),
            ("x.md", Adr, "# 5. Use JSONB", "Use JSONB"),
            ("x.md", Document, "# 5. Step", "5. Step"),
            ("x.md", Adr, "# ADR-005", "ADR-005"),
            ("x.md", Document, "#\n## SPEC-001 — Recall", "Recall"),
            ("docs/adr/0008-use_jsonb.md", Adr, "text", "Use jsonb"),
            ("GLOSSARY.md", Document, "", "Glossary"),
        ];
        for (path, kind, file, expected) in cases {
            assert_eq!(title(path, kind, &Map::new(), &blocks(file, 1)), expected, "{path} {file}");
        }
        assert_eq!(title("x.md", Adr, &fields(json!({"title": "ADR-5: A"})), &blocks("# B", 1)), "A");
    }

    #[test]
    fn the_status_is_found_where_people_write_it() {
        let cases = [
            ("# A\n\n## Status\n\nAccepted.\n\nmore", "accepted"),
            ("# A\n\n## Status:\n\n- **Superseded** by ADR-009", "superseded by adr-009"),
            ("# A\n\nDate: x\n**Status:** Draft\n\n## B\n", "draft"),
            ("# A\n\n## B\n\nStatus: no", ""),
            ("# A\n\n## Status\n\n## Context\n\nx", ""),
        ];
        for (file, expected) in cases {
            assert_eq!(status(&Map::new(), &blocks(file, 1)), expected, "{file}");
        }
        assert_eq!(status(&fields(json!({"status": "Approved"})), &blocks("# A\n\n## Status\n\nDraft", 1)), "approved");
    }

    proptest! {
        #[test]
        fn no_name_breaks_the_classifier(path in "[A-Za-z0-9ü/._ -]{0,30}", heading in "#? ?\\PC{0,20}") {
            let nothing = Map::new();
            for kind in [kind_of(&path, &nothing), DocumentKind::Adr] {
                title(&path, kind, &nothing, &blocks(&heading, 1));
                if let Some(reference) = reference(&path, kind, &nothing) {
                    prop_assert_eq!(super::reference("x", kind, &fields(json!({"id": reference}))), Some(reference));
                }
            }
        }
    }
}
