//! What names a person in a text: shown in an excerpt, or taken out of a source whose rest stays where it is. Pure.

use super::parts::StoredTurn;
use serde_json::Value;
use std::ops::Range;
use std::slice::from_ref;
use wire::{NameEnd, has_genitive};

/// Characters before and after the name in an excerpt.
const AROUND: usize = 60;
/// What separates the columns of a row that is quoted: a control character, which no word has.
pub const COLUMNS: char = '\u{1f}';

/// A part of a source without what names a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Redacted {
    /// As long as before: blanks are where something went, so that every other place keeps its bytes.
    pub text: String,
    /// All turns; those that went have no speaker and no time.
    pub turns: Vec<StoredTurn>,
    /// How many turns went.
    pub gone: usize,
    /// The bytes that went.
    pub places: Vec<Range<usize>>,
}

impl Redacted {
    /// Whether the first turn went: its words are the title of a source that got none.
    pub fn opening_went(&self) -> bool {
        let opening = self.turns.first().map_or(0, |turn| turn.start);
        self.places.first().is_some_and(|place| place.contains(&opening))
    }
}

/// Where a text has a name as [`NameEnd`] says, also in the genitive; both are in lower case.
fn place_of(name: &str, text: &str) -> Option<usize> {
    let [begin, end] = NameEnd::of(name);
    let ends = |after: &str| end.allows(after.chars().next());
    let is_word = |at: usize| {
        let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + name.len()..).unwrap_or_default());
        let genitive = after.strip_prefix('s').filter(|_| has_genitive(name));
        begin.allows(before.chars().next_back()) && (ends(after) || genitive.is_some_and(ends))
    };
    text.match_indices(name).map(|(at, _)| at).find(|at| is_word(*at))
}

/// Whether a text has one of some names, in any case: as words of their own, or anywhere in scripts that join words.
pub fn is_named(text: &str, names: &[String]) -> bool {
    let text = text.to_lowercase();
    names.iter().any(|name| place_of(&name.to_lowercase(), &text).is_some())
}

/// Takes out the turns that a person says or is named in, each with what is written before it, and names between other turns. Names match
/// as in the search for mentions.
pub fn redact(text: &str, turns: &[StoredTurn], names: &[String]) -> Redacted {
    let named = |text: &str| is_named(text, names);
    let within = |place: Range<usize>| text.get(place).is_some_and(named);
    let (mut turns, mut places, mut gone, mut at) = (turns.to_vec(), Vec::new(), 0, 0);
    for turn in &mut turns {
        if turn.speaker.as_deref().is_some_and(named) || within(turn.start..turn.end) {
            places.push(at.min(turn.start)..turn.end);
            (turn.speaker, turn.at) = (None, None);
            gone += 1;
        } else if within(at..turn.start) {
            places.push(at..turn.start);
        }
        at = at.max(turn.end);
    }
    if within(at..text.len()) {
        places.push(at..text.len());
    }
    Redacted { text: blank(text, &places), turns, gone, places }
}

/// The text with blanks at some places; its lines stay.
fn blank(text: &str, places: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for place in places {
        let went = bytes.get_mut(place.clone()).unwrap_or_default();
        went.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    // A stored turn that cuts a character is no turn of ours: nothing of such a text is worth a half-erased name.
    String::from_utf8(bytes).unwrap_or_else(|_| " ".repeat(text.len()))
}

/// An excerpt of a row around the first of some names, and the names that the row has. The excerpt is of a text of the row if one has a
/// name, else of a value in its JSON, after the key of that value.
pub fn quote(row: &str, names: &[String]) -> (String, Vec<String>) {
    let (mut texts, mut values) = (Vec::new(), Vec::new());
    for column in row.split(COLUMNS) {
        match serde_json::from_str::<Value>(column) {
            Ok(value) if value.is_object() || value.is_array() => leaves("", &value, &mut values),
            _ => texts.push(items(column)),
        }
    }
    let has = |name: &String| texts.iter().chain(&values).any(|text| is_named(text, from_ref(name)));
    let found: Vec<String> = names.iter().filter(|name| has(name)).cloned().collect();
    let named = |text: &&String| is_named(text, &found);
    // A title repeats the beginning of its text.
    let longest = texts.iter().filter(named).max_by_key(|text| text.len());
    let shown = longest.or_else(|| values.iter().find(named)).or_else(|| texts.first()).or_else(|| values.first());
    (shown.map(|text| excerpt(text, &found)).unwrap_or_default(), found)
}

/// The words within a JSON value, each with its key.
fn leaves(key: &str, value: &Value, into: &mut Vec<String>) {
    let label = |text: &str| if key.is_empty() { text.to_owned() } else { format!("{}: {text}", key.replace('_', " ")) };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| leaves(key, value, into)),
        Value::Array(values) => values.iter().for_each(|value| leaves(key, value, into)),
        Value::String(text) => into.push(label(text)),
        Value::Null => {}
        other => into.push(label(&other.to_string())),
    }
}

/// A column as text; what Postgres writes as an array as a list.
fn items(column: &str) -> String {
    match column.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        Some(array) => array.replace('"', "").replace(',', ", "),
        None => column.to_owned(),
    }
}

/// The text around the first of some names.
fn excerpt(text: &str, names: &[String]) -> String {
    let lower = text.to_lowercase();
    let at = names.iter().filter_map(|name| place_of(&name.to_lowercase(), &lower)).min().unwrap_or(0);
    // Lower case may be longer: a place in characters is near enough.
    let middle = lower.get(..at).map_or(0, |before| before.chars().count());
    let start = middle.saturating_sub(AROUND);
    let part: String = text.chars().skip(start).take(2 * AROUND + AROUND / 2).collect();
    let front = if start > 0 { "…" } else { "" };
    let back = if text.chars().count() > start + part.chars().count() { "…" } else { "" };
    format!("{front}{}{back}", part.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;

    const TALK: &str = "With Mina, Idris\n\nIdris: The quay is open.\nMina Lindt: Ich wohne in Zürich.\nIdris: Good.\nVera: Ask mina.\n";

    fn turns(text: &str) -> Vec<StoredTurn> {
        let turn = |line: &str| {
            let (speaker, words) = line.split_once(": ")?;
            let start = words.as_ptr() as usize - text.as_ptr() as usize;
            let at = Some("2026-05-21T09:12:00Z".parse().unwrap());
            Some(StoredTurn { speaker: Some(speaker.to_owned()), role: Role::Person, at, start, end: start + words.len() })
        };
        text.lines().filter_map(turn).collect()
    }

    #[test]
    fn what_a_person_says_and_is_named_in_goes_and_every_other_byte_stays_where_it_is() {
        let before = turns(TALK);
        let redacted = redact(TALK, &before, &["MINA".to_owned()]);
        assert_eq!((redacted.gone, redacted.turns.len(), redacted.text.len()), (2, 4, TALK.len()));
        assert!(!redacted.opening_went() && redact(TALK, &before, &["quay".to_owned()]).opening_went());
        assert_eq!(redacted.text.split_whitespace().collect::<Vec<_>>().join(" "), "The quay is open. Idris: Good.");
        for (before, after) in before.iter().zip(&redacted.turns) {
            let said = &redacted.text[after.start..after.end];
            match before.speaker.as_deref() == Some("Idris") {
                true => assert_eq!((after, said), (before, &TALK[before.start..before.end])),
                false => assert!(after.speaker.is_none() && after.at.is_none() && said.trim().is_empty(), "{after:?} {said}"),
            }
        }
        assert_eq!(redacted.text.lines().count(), TALK.lines().count());
    }

    #[test]
    fn another_person_loses_nothing_and_a_text_without_turns_goes_as_a_whole() {
        let whole = redact(TALK, &turns(TALK), &["Binky".to_owned()]);
        assert_eq!(whole, Redacted { text: TALK.to_owned(), turns: turns(TALK), gone: 0, places: vec![] });
        let without_turns = redact(TALK, &[], &["idris".to_owned()]);
        assert!(without_turns.text.trim().is_empty() && without_turns.opening_went());
        assert_eq!(redact("", &[], &["idris".to_owned()]).text, "");
    }

    #[test]
    fn a_short_name_is_a_word_of_its_own() {
        let names = ["Al".to_owned(), "7".to_owned()];
        for (text, expected) in
            [("Ask al.", true), ("AL", true), ("Also alone", false), ("Élal", false), ("room 7,", true), ("room 17", false)]
        {
            assert_eq!(is_named(text, &names), expected, "{text}");
        }
        assert_eq!(excerpt("Also ask Al", &names), "Also ask Al");
        let talk = "Al: Good.\nMina: Also good.\n";
        assert_eq!(redact(talk, &turns(talk), &names).gone, 1);
    }

    #[test]
    fn a_name_is_a_word_of_its_own_in_scripts_with_blanks_between_words() {
        for (name, text, expected) in [
            ("Vera", "several", false),
            ("Vera", "Ask Vera's sister", true),
            ("Vera", "Veras Auto", true),
            ("Vera", "Verast", false),
            ("Vera", "昨日Veraさんに会った", true),
            ("Vera", "vera_holm@example.com", true),
            ("Mina", "Das Minarett, eliminated", false),
            ("Mina", "Das Minarett von MINA", true),
            ("Zoë", "Zoëlla", false),
            ("Анна", "Спроси: Анна", true),
            ("Анна", "Иоанна", false),
            ("Άννα", "η Άννα.", true),
            ("नेहा", "नेहा ने कहा", true),
            ("דנה", "דנה אמרה", true),
            ("นก", "วันนี้นกมา", true),
            ("Al", "Als", false),
            ("Vera Holm", "Vera Holmes", false),
        ] {
            assert_eq!(is_named(text, &[name.to_owned()]), expected, "{name} in {text}");
        }
    }

    #[test]
    fn a_name_of_two_characters_counts_anywhere_in_scripts_that_join_words() {
        let names = ["王芳".to_owned(), "田中".to_owned(), "김철".to_owned(), "李".to_owned()];
        for (text, expected) in [
            ("我昨天见了王芳。", true),
            ("田中さんは魚が好きだ。", true),
            ("김철은 어제 왔다.", true),
            ("李: 好。", true),
            ("行李在这里。", false),
            ("王先生来了。", false),
        ] {
            assert_eq!(is_named(text, &names), expected, "{text}");
        }
        let talk = "Mina: 我昨天见了王芳。\nIdris: 好。\n";
        assert_eq!(redact(talk, &turns(talk), &names).gone, 1);
    }

    #[test]
    fn a_turn_that_cuts_a_character_leaves_no_half_of_a_name() {
        let cut = StoredTurn { speaker: Some("Zoë".to_owned()), role: Role::Person, at: None, start: 2, end: 3 };
        let redacted = redact("Zoë", &[cut], &["zoë".to_owned()]);
        assert_eq!((redacted.text.as_str(), redacted.gone), ("    ", 1));
    }

    #[test]
    fn an_excerpt_shows_the_name_and_what_is_around_it() {
        let names = ["vera".to_owned(), "lindt".to_owned()];
        assert_eq!(excerpt("Ask Vera\nabout tea", &names), "Ask Vera about tea");
        let long = format!("{} Vera {}", "before ".repeat(40), "after ".repeat(40));
        let short = excerpt(&long, &names);
        assert!(short.starts_with('…') && short.ends_with('…') && short.contains("Vera") && short.chars().count() < 160, "{short}");
        assert_eq!(excerpt("İİİ Vera", &names), "İİİ Vera");
        assert_eq!(excerpt("", &names), "");
    }

    #[test]
    fn a_row_is_quoted_in_its_own_words_and_says_which_names_it_has() {
        let names = ["Vera".to_owned(), "Vera Holm".to_owned(), "Mina".to_owned()];
        let row = |columns: &[&str]| quote(&columns.join(&COLUMNS.to_string()), &names);
        let found = |excerpt: &str, names: &[&str]| (excerpt.to_owned(), names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        let metadata = r#"{"agent": "vera-bot", "depth": 3, "sent_by": ["Vera Holm", null]}"#;
        assert_eq!(
            row(&[metadata, "Lunch", "Ask Vera about several boats"]),
            found("Ask Vera about several boats", &["Vera", "Vera Holm"])
        );
        assert_eq!(row(&["Lunch", r#"{"sent_by": ["Idris", "Vera Holm"]}"#]), found("sent by: Vera Holm", &["Vera", "Vera Holm"]));
        assert_eq!(row(&[r#"{"note":"One\nMina called"}"#]), found("note: One Mina called", &["Mina"]));
        assert_eq!(row(&["Ask Mina", "Ask Mina about lunch"]), found("Ask Mina about lunch", &["Mina"]));
        assert_eq!(row(&[r#"{idris,"Mina L."}"#]), found("idris, Mina L.", &["Mina"]));
        assert_eq!(row(&["Lunch"]), found("Lunch", &[]));
        assert_eq!(row(&[""]), found("", &[]));
    }
}
