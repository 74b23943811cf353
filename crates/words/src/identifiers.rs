//! Identifiers in a query: `E1042` is to be found to the letter, however little a single word weighs in a long question. Pure.

use super::bm25::{Postings, Statistics};
use crate::stems::{self, PRIOR_DOCUMENTS};
use std::collections::HashSet;
use std::hash::Hash;
use uuid::Uuid;
use wire::{MemoryId, SHORT_ID_LENGTH};

/// An identifier is rare if at most this many texts have its words, and at most one text in a hundred.
const RARE: usize = 20;
const RARE_AMONG: f64 = 100.0;
/// Shortest number, and shortest word in capitals, that is taken for an identifier: 23505, ENOENT.
const DIGITS: usize = 5;
const CAPITALS: usize = 4;
/// Characters of an id in full.
const UUID_LENGTH: usize = 36;
/// Shortest number that is an identifier after `#` or after a word in capitals: `PR 482`.
const NUMBERED: usize = 3;

/// The identifiers of a query, in lower case, each with the places of its terms among the terms of the query.
pub struct Identifiers(Vec<(String, Vec<usize>)>);

impl Identifiers {
    /// Reads a query of documents whose terms are `terms`, in their order.
    pub fn in_documents(query: &str, terms: &[String]) -> Self {
        Self::read(query, terms, |_, word| is_identifier(word))
    }

    /// Reads a question about memories, which people say: words in capitals are no identifiers there, and quantities are none.
    pub fn in_memories(query: &str, terms: &[String]) -> Self {
        Self::read(query, terms, is_spoken)
    }

    fn read(query: &str, terms: &[String], is: impl Fn(Option<&str>, &str) -> bool) -> Self {
        let place = |term: &String| terms.binary_search(term).ok();
        let places = |name: &str| stems::terms(name).keys().map(place).collect::<Option<Vec<_>>>().filter(|places| !places.is_empty());
        let written: Vec<&str> = query.split_whitespace().collect();
        let names = written.iter().enumerate().filter_map(|(at, word)| {
            let name = word.trim_matches(|c: char| !c.is_alphanumeric());
            let before = if word.starts_with('#') { Some("#") } else { at.checked_sub(1).map(|before| written[before]) };
            is(before, name).then_some(name)
        });
        Self(names.filter_map(|name| Some((name.to_lowercase(), places(name)?))).collect())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a text names one of them, as a word of its own.
    pub fn are_named_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let inner = |c: char| c.is_alphanumeric() || c == '_';
        self.0.iter().any(|(name, _)| {
            text.match_indices(name).any(|(at, _)| {
                !text[..at].chars().next_back().is_some_and(inner) && !text[at + name.len()..].chars().next().is_some_and(inner)
            })
        })
    }

    /// The texts that have all words of a rare identifier. Only their letters tell whether they name it.
    pub fn candidates<Id: Copy + Ord + Hash>(&self, statistics: Statistics, postings: &Postings<Id>) -> HashSet<Id> {
        let mut candidates = HashSet::new();
        for (_, places) in &self.0 {
            let has_all =
                postings.texts().filter(|(_, worths)| places.iter().all(|place| worths.iter().any(|worth| worth.place == *place)));
            let holders: Vec<Id> = has_all.map(|(id, _)| id).take(RARE + 1).collect();
            if holders.len() <= RARE && holders.len() as f64 * RARE_AMONG <= statistics.documents as f64 + PRIOR_DOCUMENTS {
                candidates.extend(holders);
            }
        }
        candidates
    }
}

/// Most ids of memories that are read from one question.
const IDS: usize = 10;

/// The ids of memories that a question names, alone or among other words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedIds {
    ids: Vec<Uuid>,
    short_ids: Vec<String>,
}

impl NamedIds {
    /// Reads a question. Nothing is looked up for words that cannot be ids: eight letters are a short id if they are the whole question, or
    /// if no word is written like them.
    pub fn read(query: &str) -> Self {
        let mut named = Self::default();
        let is_alone = query.trim().len() == SHORT_ID_LENGTH;
        for token in query.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').map(|token| token.trim_matches('-')) {
            if named.ids.len() + named.short_ids.len() >= IDS {
                break;
            }
            if token.len() == UUID_LENGTH
                && let Ok(id) = token.parse()
            {
                named.ids.push(id);
            } else if token.len() == SHORT_ID_LENGTH && (is_alone || is_short_id(token)) && !token.contains('-') {
                named.short_ids.push(token.to_owned());
            }
        }
        named
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.short_ids.is_empty()
    }

    /// The ids in full.
    pub fn ids(&self) -> &[Uuid] {
        &self.ids
    }

    /// The short ids.
    pub fn short_ids(&self) -> &[String] {
        &self.short_ids
    }

    /// Whether a memory has one of these ids.
    pub fn name(&self, id: MemoryId, short_id: &str) -> bool {
        self.ids.contains(&id.0) || self.short_ids.iter().any(|short| short == short_id)
    }
}

/// Whether eight letters and digits look like a short id: neither a word, in lower case, in capitals or with one capital, nor a number.
fn is_short_id(token: &str) -> bool {
    let tail = token.get(1..).unwrap_or_default();
    let lower = |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase());
    let one_case =
        lower(tail) && token.starts_with(|c: char| c.is_ascii_alphabetic()) || token.bytes().all(|byte| byte.is_ascii_uppercase());
    !one_case && !token.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word looks like a name that somebody made up for a machine: `RMB_POOL_MAX`, `ADR-005`, `E1042`, `maxPoolSize`, `ENOENT`, 23505.
fn is_identifier(word: &str) -> bool {
    let (mut letters, mut digits, mut capitals, mut hump, mut before) = (0, 0, 0, false, ' ');
    for c in word.chars() {
        letters += usize::from(c.is_alphabetic());
        digits += usize::from(c.is_numeric());
        capitals += usize::from(c.is_uppercase());
        hump |= before.is_lowercase() && c.is_uppercase();
        before = c;
    }
    let number = letters == 0 && digits >= DIGITS && digits == word.chars().count();
    let shouted = capitals == letters && capitals >= CAPITALS;
    number || shouted || hump || (letters > 0 && (digits > 0 || word.contains('_')))
}

/// Whether a word that people say among others is an identifier: `zq4579`, `RMB_POOL`, 23505, 482 in "PR 482"; not "3rd", "20kg" or 2026.
fn is_spoken(before: Option<&str>, word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let digits = word.chars().filter(|c| c.is_ascii_digit()).count();
    if letters == 0 {
        let plain = digits > 0 && digits == word.len();
        let year = digits == 4 && (word.starts_with("19") || word.starts_with("20"));
        let capitals = |before: &str| before == "#" || before.len() >= 2 && before.bytes().all(|byte| byte.is_ascii_uppercase());
        return plain && !year && (digits >= DIGITS || digits >= NUMBERED && before.is_some_and(capitals));
    }
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ':'));
    let quantity = unit.len() < word.len() && unit.chars().count() <= 2 && unit.chars().all(char::is_alphabetic);
    (digits > 0 && !quantity) || word.contains('_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bm25::{Posting, Words};
    use wire::ChunkId;

    #[test]
    fn identifiers_are_told_from_words() {
        for word in ["RMB_POOL_MAX", "ADR-005", "E1042", "maxPoolSize", "ENOENT", "23505", "pg_stat", "x86-64"] {
            assert!(is_identifier(word), "{word}");
        }
        for word in ["", "pool", "Vera", "on-call", "2026", "2026-02-11", "1.5", "API", "don't", "und/oder"] {
            assert!(!is_identifier(word), "{word}");
        }
    }

    #[test]
    fn quantities_and_years_that_people_say_are_no_identifiers() {
        for (before, word) in
            [(None, "zq4579"), (None, "db-7"), (Some("#"), "482"), (Some("PR"), "482"), (None, "23505"), (None, "RMB_POOL")]
        {
            assert!(is_spoken(before, word), "{word}");
        }
        for (before, word) in [
            (None, "3rd"),
            (None, "20kg"),
            (None, "5pm"),
            (None, "1.5"),
            (Some("IN"), "2026"),
            (None, "482"),
            (None, "maxPoolSize"),
            (None, "ENOENT"),
            (None, "Vera"),
            (None, ""),
        ] {
            assert!(!is_spoken(before, word), "{word}");
        }
    }

    #[test]
    fn ids_of_memories_are_told_from_words() {
        let id = "01900000-0000-7000-8000-000000000000";
        for (query, ids, short_ids) in [
            ("k3v9x2aq", 0, 1),
            ("What does [id:k3v9x2aq] say about tea?", 0, 1),
            ("painting", 0, 1),
            ("the painting of Harbours", 0, 0),
            ("DEADLINE and Terminal on 20260511", 0, 0),
            (id, 1, 0),
            (&format!("Is {id} still true, and AbCdEfGh?"), 1, 1),
            ("", 0, 0),
        ] {
            let named = NamedIds::read(query);
            assert_eq!((named.ids().len(), named.short_ids().len()), (ids, short_ids), "{query}");
            assert_eq!(named.is_empty(), ids + short_ids == 0);
        }
        assert_eq!(NamedIds::read(&"k3v9x2aq ".repeat(400)).short_ids().len(), IDS);
    }

    #[test]
    fn only_rare_identifiers_have_candidates() {
        let query = "what does E1042 say about apples and pears?";
        let terms = stems::terms(query);
        let words = Words::new(&terms, std::slice::from_ref(&terms));
        let identifiers = Identifiers::in_documents(query, &words.terms);
        let id = |n: u128| ChunkId(Uuid::from_u128(n));
        let rows = |holders: std::ops::RangeInclusive<u128>| -> Vec<Posting<ChunkId>> {
            let others = (2..=40).flat_map(|n| words.postings(id(n), &stems::terms("apples and pears say")));
            others.chain(holders.flat_map(|n| words.postings(id(n), &stems::terms("E1042")))).collect()
        };
        let candidates = |documents: i64, rows: Vec<Posting<ChunkId>>| {
            let statistics = Statistics { documents, terms: documents * 10 };
            identifiers.candidates(statistics, &Postings::new(&words, statistics, &rows, |_| true))
        };
        assert_eq!(candidates(1_000, rows(1..=1)), HashSet::from([id(1)]));
        assert_eq!(candidates(50, rows(1..=2)), HashSet::new(), "nothing is rare among a few");
        assert_eq!(candidates(10_000, rows(1..=20)).len(), 20);
        assert_eq!(candidates(10_000, rows(1..=21)), HashSet::new(), "what many have is not rare");
    }

    #[test]
    fn an_identifier_is_named_to_the_letter() {
        let query = "(see `RMB_POOL_MAX`, ADR-005)";
        let identifiers = Identifiers::in_documents(query, &stems::terms(query).into_keys().collect::<Vec<_>>());
        for text in ["rmb_pool_max limits it", "ADR-005 › Store", "(ADR-005)"] {
            assert!(identifiers.are_named_in(text), "{text}");
        }
        for text in ["RMB_POOL_MAX_AGE", "ADR-0051", "max pool of rmb", "NOADR-005"] {
            assert!(!identifiers.are_named_in(text), "{text}");
        }
    }
}
