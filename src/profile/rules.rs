//! Leaves from observations without a model: keys say where they belong, and sentences follow from their category and a few patterns. Pure.

use super::model::{Citation, NewLeaf, Part};
use super::sensitive;
use super::working_memory::{WeighedLeaf, compose};
use chrono::{DateTime, Utc};
use serde_json::Value;
use uuid::Uuid;
use wire::{EventId, SensitiveMatters, SourceId};
use words::guard;
use words::shorten;
use words::tree::{self, Entry};

/// An observation, which is not in quarantine.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    pub event_id: EventId,
    pub source_id: SourceId,
    pub session_id: Option<Uuid>,
    pub connection_id: Option<Uuid>,
    /// `fact`, `preference`, `project_details`, `correction`, `scaffold_update` or `learned_fact`.
    pub event_type: String,
    /// The key, if it is a new value of one. The content is then `key: value`.
    pub key: Option<String>,
    /// Whether that value is JSON rather than text.
    pub json: bool,
    pub content: String,
    /// An agent or a tool noted it: no person says it.
    pub by_agent: bool,
    pub at: DateTime<Utc>,
}

/// Longest label before a colon, in words: `Time zone: Europe/Zurich`.
const LABEL_WORDS: usize = 3;
/// Longest value after a label, in characters. More is a sentence with a colon in it.
const LABELLED_MAX: usize = 120;
/// Longest statement that is made from a document, in characters.
const STATEMENT_MAX: usize = 1000;
const GOALS: &[&str] =
    &["wants to", "want to", "plans to", "plan to", "aims to", "aim to", "intends to", "hopes to", "goal is", "would like to"];
const PEOPLE: &[&str] = &[
    "reports to",
    "works with",
    "manager is",
    "boss is",
    "colleague",
    "married to",
    "husband",
    "wife",
    "partner is",
    "daughter",
    "son is",
    "brother",
    "sister",
    "team lead is",
];
const ROLES: &[&str] = &["works as ", "role is ", "job is ", "job title is ", "position is "];

impl Observation {
    /// Whether it says itself where it belongs, so that no model needs to read it.
    pub fn is_structured(&self) -> bool {
        self.connection_id.is_some() || matches!(self.event_type.as_str(), "scaffold_update" | "learned_fact")
    }

    /// Whether it corrects what was said before. What an agent noted replaces nothing that the person said.
    pub fn corrects(&self) -> bool {
        self.event_type == "correction" && !self.by_agent
    }

    /// The observation as something to cite.
    pub fn citation(&self) -> Citation {
        Citation { source_id: self.source_id, event_id: self.event_id, session_id: self.session_id, at: self.at }
    }

    /// A leaf that cites this observation.
    pub fn new_leaf(&self, part: Part, entry: Entry) -> NewLeaf {
        let Entry { path, value, listed } = entry;
        let connection_id = self.connection_id.filter(|_| part == Part::Learned);
        NewLeaf { part, connection_id, path, value, listed, corrects: self.corrects(), cites: vec![self.citation()] }
    }
}

/// What an observation says, as leaves. Empty if it is about a sensitive matter that is not allowed, or if its value is no part of a profile.
pub fn leaves(observation: &Observation, allowed: SensitiveMatters) -> Vec<NewLeaf> {
    if sensitive::is_kept_out(&observation.content, allowed) {
        return Vec::new();
    }
    let part = if observation.event_type == "learned_fact" || observation.connection_id.is_some() { Part::Learned } else { Part::Scaffold };
    let entries = payload(observation).map_or_else(|| vec![sentence(observation)], |(path, value)| entries(&path, &value));
    entries.into_iter().map(|entry| observation.new_leaf(part, entry)).collect()
}

/// What an observation says in sentences: its own words, or the values of a JSON document with their keys. `None` if a document says
/// nothing.
pub fn statement(observation: &Observation) -> Option<String> {
    let is_document = |(_, value): &(Vec<String>, Value)| value.is_object() || value.is_array();
    let Some((path, value)) = payload(observation).filter(is_document) else { return Some(observation.content.clone()) };
    let entries = entries(&path, &value);
    let leaves =
        entries.iter().map(|Entry { path, value, listed }| WeighedLeaf { path, value, listed: *listed, disputed: false, confidence: 1.0 });
    let text = compose(&leaves.collect::<Vec<_>>()).replace('\n', " ");
    (!text.is_empty()).then(|| shorten(&text, STATEMENT_MAX))
}

/// The value of `key: value`, or the document that an observation is, with the path where it belongs. `None` for a sentence.
fn payload(observation: &Observation) -> Option<(Vec<String>, Value)> {
    let content = &observation.content;
    // What is beyond the limits says nothing: it was refused under a key, and an import may bring it.
    let normal = |value: Value| tree::normalise(value).unwrap_or_else(|_| Value::Array(Vec::new()));
    let Some(key) = &observation.key else {
        let value = normal(Value::String(content.clone()));
        let place = match observation.event_type.as_str() {
            "preference" => "Preferences",
            "project_details" => "Projects",
            _ => "Facts",
        };
        let path = if value.is_object() { Vec::new() } else { vec![place.to_owned()] };
        return (value.is_object() || value.is_array()).then_some((path, value));
    };
    // A secret in the key was replaced by a marker in the content.
    let text = content.strip_prefix(key.as_str()).and_then(|rest| rest.strip_prefix(": "));
    let text = text.or_else(|| content.split_once(": ").map(|(_, value)| value)).unwrap_or_default();
    let plain = || Value::String(text.to_owned());
    let value = if observation.json { serde_json::from_str(text).unwrap_or_else(|_| plain()) } else { plain() };
    Some((vec![key.clone()], normal(value)))
}

/// The entries of a normalised value. Escapes of JSON can hide a secret until it is read.
fn entries(path: &[String], value: &Value) -> Vec<Entry> {
    let mut entries = tree::flatten(path, value).unwrap_or_default();
    for entry in &mut entries {
        if let Value::String(text) = &mut entry.value {
            *text = guard::without_secrets(std::mem::take(text));
        }
    }
    entries
}

/// Where a sentence belongs.
fn sentence(observation: &Observation) -> Entry {
    let text = observation.content.trim();
    if let Some(entry) = labelled(text) {
        return entry;
    }
    let listed = |path: &[&str]| Entry { path: path.iter().map(|key| (*key).to_owned()).collect(), value: text.into(), listed: true };
    let lower = text.to_lowercase();
    let has = |patterns: &[&str]| patterns.iter().any(|pattern| lower.contains(pattern));
    if observation.event_type == "learned_fact" {
        return listed(&["Facts"]);
    }
    if let Some(role) = role(text, &lower) {
        return Entry { path: vec!["Role".into()], value: role.into(), listed: false };
    }
    match observation.event_type.as_str() {
        "preference" => listed(&["Preferences"]),
        "project_details" => match project(text) {
            Some(name) => listed(&["Projects", &name]),
            None => listed(&["Projects"]),
        },
        _ if has(GOALS) => listed(&["Goals"]),
        _ if has(PEOPLE) => listed(&["People"]),
        _ => match project(text) {
            Some(name) => listed(&["Projects", &name]),
            None => listed(&["Facts"]),
        },
    }
}

/// `Role: Engineering manager` or `Projects / harbour: on hold`: the path, and one value.
fn labelled(text: &str) -> Option<Entry> {
    let (label, value) = text.split_once(": ")?;
    let value = value.trim();
    let path: Vec<String> = label.split(" / ").map(|key| key.trim().to_owned()).collect();
    let is_label =
        |key: &String| !key.is_empty() && key.split_whitespace().count() <= LABEL_WORDS && !key.contains(['.', ',', ';', '?', '!']);
    let short = !value.is_empty() && value.chars().count() <= LABELLED_MAX && !value.contains(". ");
    (path.iter().all(is_label) && short).then(|| Entry { path, value: value.trim_end_matches('.').into(), listed: false })
}

/// What comes after "works as" and the like, up to the end of the clause.
fn role(text: &str, lower: &str) -> Option<String> {
    // Positions in a text that was lowered count only where lowering kept the length.
    let text = if lower.len() == text.len() { text } else { lower };
    let end = ROLES.iter().find_map(|pattern| lower.find(pattern).map(|at| at + pattern.len()))?;
    let rest = text.get(end..)?;
    let clause = rest.split(['.', ',', ';', '!']).next().unwrap_or_default();
    let clause = clause.split(" and ").next().unwrap_or_default().trim();
    let bare = ["a ", "an ", "the "].iter().find_map(|article| clause.strip_prefix(article)).unwrap_or(clause);
    (!bare.is_empty() && bare.split_whitespace().count() <= 8).then(|| bare.to_owned())
}

/// The name of the project in "the harbour project", "project Harbour" or "the default Jira project is HARB".
fn project(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let at = words.iter().position(|word| word.eq_ignore_ascii_case("project"))?;
    let is_name =
        |word: &&str| !word.is_empty() && !words::stems::terms(word).is_empty() && !GENERIC.contains(&word.to_lowercase().as_str());
    let meant = |list: &[&str]| words[at.saturating_sub(2)..at].iter().any(|word| list.contains(&word.to_lowercase().as_str()));
    let is_named = meant(CHOSEN) && words.get(at + 1).is_some_and(|word| word.eq_ignore_ascii_case("is"));
    let named = words.get(at + 2).copied().filter(|_| is_named).filter(is_name);
    if let Some(name) = named.filter(|name| name.starts_with(char::is_uppercase) && !name.ends_with("'s")) {
        return Some(name.to_owned());
    }
    // "the default Jira project": the word before names the tool.
    let before = at.checked_sub(1).and_then(|before| words.get(before)).copied().filter(is_name).filter(|_| !meant(&["default"]));
    let after = words.get(at + 1).copied().filter(is_name).filter(|word| word.starts_with(char::is_uppercase));
    before.or(after).map(str::to_owned)
}

/// Words for one of several projects, which "is" then names.
const CHOSEN: &[&str] = &["default", "current", "main", "favourite", "favorite", "usual"];
/// Words before "project" that name none.
const GENERIC: &[&str] =
    &["new", "old", "current", "main", "next", "first", "last", "big", "small", "another", "side", "every", "each", "whole"];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn observed(event_type: &str, key: Option<&str>, json: bool, content: &str) -> Observation {
        let id = Uuid::from_u128(1);
        Observation {
            event_id: EventId(id),
            source_id: SourceId(id),
            session_id: None,
            connection_id: None,
            event_type: event_type.into(),
            key: key.map(str::to_owned),
            json,
            content: content.into(),
            by_agent: false,
            at: DateTime::from_timestamp(1_780_000_000, 0).unwrap(),
        }
    }

    fn paths(observation: &Observation) -> Vec<(String, Value, bool)> {
        leaves(observation, SensitiveMatters::default()).into_iter().map(|leaf| (leaf.path.join("/"), leaf.value, leaf.listed)).collect()
    }

    #[test]
    fn sentences_find_their_place() {
        for (event_type, content, path, value) in [
            ("fact", "Role: Engineering manager", "Role", "Engineering manager"),
            ("correction", "Projects / harbour: on hold.", "Projects/harbour", "on hold"),
            ("fact", "Vera works as an engineering manager in Zurich.", "Role", "engineering manager in Zurich"),
            ("preference", "Vera prefers short e-mails.", "Preferences", "Vera prefers short e-mails."),
            ("project_details", "Vera works on the harbour project.", "Projects/harbour", "Vera works on the harbour project."),
            ("project_details", "The new project starts in May.", "Projects", "The new project starts in May."),
            ("fact", "Mina's default Linear project is PIER.", "Projects/PIER", "Mina's default Linear project is PIER."),
            ("fact", "Idris' main project is Lagoon.", "Projects/Lagoon", "Idris' main project is Lagoon."),
            ("fact", "The default Linear project is archived.", "Facts", "The default Linear project is archived."),
            ("fact", "The main project is Mina's.", "Facts", "The main project is Mina's."),
            ("fact", "Idris paints for the current pier project.", "Projects/pier", "Idris paints for the current pier project."),
            ("fact", "Vera wants to ship in May.", "Goals", "Vera wants to ship in May."),
            ("fact", "Vera reports to Mina.", "People", "Vera reports to Mina."),
            ("fact", "Vera lives in Bern.", "Facts", "Vera lives in Bern."),
            ("learned_fact", "Vera works in Zurich.", "Facts", "Vera works in Zurich."),
        ] {
            let found = paths(&observed(event_type, None, false, content));
            assert_eq!(
                found.iter().map(|(path, value, _)| (path.as_str(), value)).collect::<Vec<_>>(),
                [(path, &json!(value))],
                "{content}"
            );
        }
    }

    #[test]
    fn keys_with_values_are_paths() {
        assert_eq!(paths(&observed("scaffold_update", Some("Age"), false, "Age: 42")), [("Age".to_owned(), json!("42"), false)]);
        assert_eq!(paths(&observed("scaffold_update", Some("Age"), true, "Age: 42")), [("Age".to_owned(), json!(42), false)]);
        let nested = observed(
            "scaffold_update",
            Some("Projects"),
            true,
            r#"Projects: {"harbour": "{\"status\": \"on hold\"}", "tags": ["a", "b"]}"#,
        );
        let expected = [("Projects/harbour/status", "on hold", false), ("Projects/tags", "a", true), ("Projects/tags", "b", true)];
        assert_eq!(paths(&nested), expected.map(|(path, value, listed)| (path.to_owned(), json!(value), listed)));
        let connected = Observation {
            connection_id: Some(Uuid::from_u128(2)),
            ..observed("learned_fact", Some("default_project"), false, "default_project: PROJ")
        };
        let leaf = leaves(&connected, SensitiveMatters::default()).remove(0);
        assert_eq!(
            (leaf.part, leaf.connection_id, leaf.path),
            (Part::Learned, connected.connection_id, vec!["default_project".to_owned()])
        );
    }

    #[test]
    fn a_document_is_said_in_sentences() {
        let of = |event_type: &str, key: Option<&str>, json: bool, content: &str| {
            let observation = observed(event_type, key, json, content);
            let leaves = paths(&observation).into_iter().map(|(path, value, _)| format!("{path} {value}")).collect::<Vec<_>>();
            (statement(&observation), leaves.join(" "))
        };
        let said = |text: &str, leaves: &str| (Some(text.to_owned()), leaves.to_owned());
        let nested = r#"{"Team": {"lead": "Mina", "size": 4}, "tags": ["sailing", "chess"]}"#;
        assert_eq!(
            of("fact", None, false, nested),
            said("Tags: sailing, chess. Team, lead: Mina. Team, size: 4.", r#"Team/lead "Mina" Team/size 4 tags "sailing" tags "chess""#)
        );
        assert_eq!(of("preference", None, false, r#"["Idris likes long walks"]"#).0.as_deref(), Some("Idris likes long walks."));
        assert_eq!(
            of("scaffold_update", Some("Dock"), true, r#"Dock: {"pier": {"open": true}}"#),
            said("Dock, pier, open: yes.", "Dock/pier/open true")
        );
        for nothing in ["{}", "[]", r#"{"Team": {}}"#, &"[".repeat(200)] {
            assert_eq!(of("fact", None, false, nothing), (None, String::new()), "{nothing}");
        }
        // A sentence and a single value are said in their own words.
        for (key, json, content) in [(None, false, "Mina has {two} boats."), (Some("Age"), true, "Age: 42")] {
            assert_eq!(statement(&observed("fact", key, json, content)).as_deref(), Some(content));
        }
    }

    #[test]
    fn sensitive_observations_give_no_leaf() {
        let salary = observed("scaffold_update", Some("Salary"), false, "Salary: 90000");
        assert_eq!(paths(&observed("fact", None, false, "Vera was diagnosed with asthma.")), []);
        assert_eq!(paths(&salary), []);
        assert_eq!(leaves(&salary, SensitiveMatters { money: None, ..SensitiveMatters::default() }).len(), 1);
    }
}
