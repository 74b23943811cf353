//! Identifiers in a query: `E1042` is to be found to the letter, however little a single word weighs in a long question. Pure.

use crate::api::ChunkId;
use crate::ranking::bm25::{Postings, Statistics};
use crate::text::words::{self, PRIOR_DOCUMENTS};
use std::collections::HashSet;

/// An identifier is rare if at most this many chunks have its words, and at most one chunk in a hundred.
const RARE: usize = 20;
const RARE_AMONG: f64 = 100.0;
/// Shortest number, and shortest word in capitals, that is taken for an identifier: 23505, ENOENT.
const DIGITS: usize = 5;
const CAPITALS: usize = 4;

/// The identifiers of a query, in lower case, each with the places of its terms among the terms of the query.
pub struct Identifiers(Vec<(String, Vec<usize>)>);

impl Identifiers {
    /// Reads a query whose terms are `terms`, in their order.
    pub fn new(query: &str, terms: &[String]) -> Self {
        let place = |term: &String| terms.binary_search(term).ok();
        let places = |name: &str| words::terms(name).keys().map(place).collect::<Option<Vec<_>>>().filter(|places| !places.is_empty());
        let names =
            query.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).filter(|word| is_identifier(word));
        Self(names.filter_map(|name| Some((name.to_lowercase(), places(name)?))).collect())
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

    /// The chunks that have all words of a rare identifier. Only their text tells whether they name it.
    pub fn candidates(&self, statistics: Statistics, postings: &Postings<ChunkId>) -> HashSet<ChunkId> {
        let mut candidates = HashSet::new();
        for (_, places) in &self.0 {
            let has_all =
                postings.texts().filter(|(_, worths)| places.iter().all(|place| worths.iter().any(|worth| worth.place == *place)));
            let holders: Vec<ChunkId> = has_all.map(|(id, _)| id).take(RARE + 1).collect();
            if holders.len() <= RARE && holders.len() as f64 * RARE_AMONG <= statistics.documents as f64 + PRIOR_DOCUMENTS {
                candidates.extend(holders);
            }
        }
        candidates
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::bm25::{Posting, Words};
    use uuid::Uuid;

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
    fn only_rare_identifiers_have_candidates() {
        let query = "what does E1042 say about apples and pears?";
        let terms = words::terms(query);
        let words = Words::new(&terms, std::slice::from_ref(&terms));
        let identifiers = Identifiers::new(query, &words.terms);
        let id = |n: u128| ChunkId(Uuid::from_u128(n));
        let rows = |holders: std::ops::RangeInclusive<u128>| -> Vec<Posting<ChunkId>> {
            let others = (2..=40).flat_map(|n| words.postings(id(n), &words::terms("apples and pears say")));
            others.chain(holders.flat_map(|n| words.postings(id(n), &words::terms("E1042")))).collect()
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
        let identifiers = Identifiers::new(query, &words::terms(query).into_keys().collect::<Vec<_>>());
        for text in ["rmb_pool_max limits it", "ADR-005 › Store", "(ADR-005)"] {
            assert!(identifiers.are_named_in(text), "{text}");
        }
        for text in ["RMB_POOL_MAX_AGE", "ADR-0051", "max pool of rmb", "NOADR-005"] {
            assert!(!identifiers.are_named_in(text), "{text}");
        }
    }
}
