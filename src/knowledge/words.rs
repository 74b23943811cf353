//! The words of a query in chunks: BM25, and identifiers that few chunks contain. Pure.

use crate::api::ChunkId;
use crate::text::words::{self, B, K1, PRIOR_DOCUMENTS};
use std::collections::{BTreeMap, HashSet};

/// A word in a chunk: the word's place among the query's terms, its count in the chunk, and the chunk's length in terms.
#[derive(Clone, Copy, Debug)]
pub struct Posting {
    pub term: i32,
    pub chunk_id: ChunkId,
    pub tf: f32,
    pub length: i32,
    /// Whether the chunk may be found; chunks that may not still count for how rare a word is.
    pub of_kind: bool,
}

/// A chunk that holds words of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worded {
    pub chunk_id: ChunkId,
    /// Normalised BM25, about 0 to 1.
    pub lexical: f64,
    /// Whether it holds all words of a rare identifier. Only its text shows whether it contains the identifier itself.
    pub may_name: bool,
}

/// Most chunks that may hold the words of a rare identifier, and how many chunks there must be for each of them.
const RARE: usize = 20;
const RARE_AMONG: f64 = 100.0;
/// Shortest number, and shortest word in capitals, that counts as an identifier: 23505, ENOENT.
const DIGITS: usize = 5;
const CAPITALS: usize = 4;

/// The terms of a query for a search in chunks.
pub struct Asked {
    /// In their order.
    pub terms: Vec<String>,
    /// Identifiers in lower case, with the places of their terms.
    identifiers: Vec<(String, Vec<i32>)>,
}

impl Asked {
    /// Parses a query whose terms are `terms`.
    pub fn new(query: &str, terms: &BTreeMap<String, u32>) -> Self {
        let terms: Vec<String> = terms.keys().cloned().collect();
        let place = |term: &String| terms.binary_search(term).ok().and_then(|place| i32::try_from(place).ok());
        let places = |name: &str| words::terms(name).keys().map(place).collect::<Option<Vec<_>>>().filter(|places| !places.is_empty());
        let names =
            query.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).filter(|word| is_identifier(word));
        let identifiers = names.filter_map(|name| Some((name.to_lowercase(), places(name)?))).collect();
        Self { terms, identifiers }
    }

    /// Whether a text contains one of the identifiers as a word of its own.
    pub fn is_named_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let inner = |c: char| c.is_alphanumeric() || c == '_';
        self.identifiers.iter().any(|(name, _)| {
            text.match_indices(name).any(|(at, _)| {
                !text[..at].chars().next_back().is_some_and(inner) && !text[at + name.len()..].chars().next().is_some_and(inner)
            })
        })
    }

    /// The chunks that may be found: those that may contain a rare identifier first, then by BM25, best first; at the same score the newer
    /// id. They are among `chunks` chunks of `total` terms.
    ///
    /// Additions have a fixed order, so that a replay computes the same numbers.
    pub fn weigh(&self, chunks: i64, total: i64, mut postings: Vec<Posting>) -> Vec<Worded> {
        let (chunks, mut df) = (chunks as f64, vec![0.0; self.terms.len()]);
        let mean = (total as f64 / chunks.max(1.0)).max(1.0);
        let place = |posting: &Posting| usize::try_from(posting.term).ok().filter(|place| *place < self.terms.len());
        for place in postings.iter().filter_map(place) {
            df[place] += 1.0;
        }
        let idf: Vec<f64> = df.iter().map(|df| (1.0 + (chunks + PRIOR_DOCUMENTS - df + 0.5) / (df + 0.5)).ln()).collect();
        let all: f64 = idf.iter().sum();
        let worth = |posting: &Posting| {
            let (tf, length) = (f64::from(posting.tf), f64::from(posting.length));
            place(posting).map_or(0.0, |place| idf[place] * tf * (K1 + 1.0) / (tf + K1 * (1.0 - B + B * length / mean)))
        };
        postings.sort_unstable_by_key(|posting| (posting.chunk_id, posting.term));
        let naming = self.naming(chunks, &postings);
        let found = postings.chunk_by(|a, b| a.chunk_id == b.chunk_id).filter(|words| words[0].of_kind);
        let mut worded: Vec<Worded> = found
            .map(|words| {
                let chunk_id = words[0].chunk_id;
                Worded { chunk_id, lexical: words.iter().map(worth).sum::<f64>() / all, may_name: naming.contains(&chunk_id) }
            })
            .collect();
        worded.sort_unstable_by(|a, b| {
            b.may_name.cmp(&a.may_name).then(b.lexical.total_cmp(&a.lexical)).then_with(|| b.chunk_id.cmp(&a.chunk_id))
        });
        worded
    }

    /// The chunks that hold all words of an identifier, if they are few. The postings are in the order of chunk and term.
    fn naming(&self, chunks: f64, postings: &[Posting]) -> HashSet<ChunkId> {
        let mut naming = HashSet::new();
        for (_, places) in &self.identifiers {
            let holds = |words: &&[Posting]| places.iter().all(|place| words.iter().any(|posting| posting.term == *place));
            let held = postings.chunk_by(|a, b| a.chunk_id == b.chunk_id).filter(holds);
            let holders: Vec<ChunkId> = held.map(|words| words[0].chunk_id).take(RARE + 1).collect();
            if holders.len() <= RARE && holders.len() as f64 * RARE_AMONG <= chunks + PRIOR_DOCUMENTS {
                naming.extend(holders);
            }
        }
        naming
    }
}

/// Whether a word looks like an identifier: `RMB_POOL_MAX`, `ADR-005`, `E1042`, `maxPoolSize`, `ENOENT`, 23505.
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
    use uuid::Uuid;

    fn posting(chunk: u128, term: i32, of_kind: bool) -> Posting {
        Posting { term, chunk_id: ChunkId(Uuid::from_u128(chunk)), tf: 1.0, length: 10, of_kind }
    }

    fn asked(query: &str) -> Asked {
        Asked::new(query, &words::terms(query))
    }

    fn ids(worded: &[Worded]) -> Vec<u128> {
        worded.iter().map(|one| one.chunk_id.0.as_u128()).collect()
    }

    #[test]
    fn a_rare_word_counts_for_more_and_all_words_for_one() {
        let mut postings: Vec<Posting> = (1..=50).map(|chunk| posting(chunk, 0, true)).collect();
        postings.extend([posting(51, 1, true), posting(52, 0, true), posting(52, 1, true)]);
        let worded = asked("apple banana").weigh(100, 1_000, postings);
        assert_eq!(ids(&worded)[..3], [52, 51, 50], "both words, the rare one, and the newest of the rest");
        assert!((worded[0].lexical - 1.0).abs() < 1e-9, "{worded:?}");
    }

    #[test]
    fn other_kinds_count_for_how_rare_a_word_is_and_are_not_found() {
        let alone = asked("apple banana").weigh(100, 1_000, vec![posting(1, 0, true), posting(2, 1, true)]);
        assert_eq!(alone[0].lexical, alone[1].lexical);
        let others: Vec<Posting> = (3..=60).map(|chunk| posting(chunk, 0, false)).collect();
        let among = asked("apple banana").weigh(100, 1_000, [vec![posting(1, 0, true), posting(2, 1, true)], others].concat());
        assert_eq!(ids(&among), [2, 1]);
        assert!(among[0].lexical > among[1].lexical);
    }

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
    fn a_chunk_that_may_name_a_rare_identifier_comes_first() {
        let query = asked("what does E1042 say about apples and pears?");
        let place = |term: &str| i32::try_from(query.terms.iter().position(|one| one == term).unwrap()).unwrap();
        let mut postings: Vec<Posting> =
            (2..=40).flat_map(|chunk| ["appl", "pear", "say"].map(|term| posting(chunk, place(term), true))).collect();
        postings.push(posting(1, place("e1042"), true));
        let worded = query.weigh(1_000, 10_000, postings.clone());
        assert!(ids(&worded)[0] == 1 && worded[0].may_name && worded[0].lexical < worded[1].lexical && !worded[1].may_name);
        // Words that many chunks hold are not rare, nor is any word among few chunks.
        assert!(!query.weigh(50, 500, [postings.clone(), vec![posting(2, place("e1042"), true)]].concat())[0].may_name);
        postings.extend((2..=21).map(|chunk| posting(chunk, place("e1042"), true)));
        assert!(query.weigh(10_000, 100_000, postings).iter().all(|one| !one.may_name));
    }

    #[test]
    fn an_identifier_is_named_to_the_letter() {
        let query = asked("(see `RMB_POOL_MAX`, ADR-005)");
        for text in ["rmb_pool_max limits it", "ADR-005 › Store", "(ADR-005)"] {
            assert!(query.is_named_in(text), "{text}");
        }
        for text in ["RMB_POOL_MAX_AGE", "ADR-0051", "max pool of rmb", "NOADR-005"] {
            assert!(!query.is_named_in(text), "{text}");
        }
    }
}
