//! The rankings: pure formulas over candidates, and the sentences that explain a score. The sum of `hybrid` is in `words::hybrid`.

pub mod explain;
pub mod updates;

use crate::memories::model::{Memory, recency};
use chrono::{DateTime, Utc};
use foundation::registry::Floors;
use std::cmp::Ordering;
use std::collections::HashSet;
use wire::{Breakdown, MatchedBy};
use words::hybrid::Scored;

/// A candidate memory, with its relevance before any decay.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub memory: Memory,
    /// Cosine with the question, 0 to 1; absent where either has no vector.
    pub semantic: Option<f64>,
    /// Normalised BM25, about 0 to 1; absent if it shares no word with the question, or if only its meaning was compared.
    pub lexical: Option<f64>,
}

impl Candidate {
    /// Relevance by meaning; a memory without a vector has that of its words.
    fn by_meaning(&self) -> (f64, MatchedBy) {
        match (self.semantic, self.lexical) {
            (Some(semantic), _) => (semantic, MatchedBy::Vector),
            (None, lexical) => (lexical.unwrap_or(0.0).clamp(0.0, 1.0), MatchedBy::Lexical),
        }
    }
}

/// A candidate with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    pub candidate: Candidate,
    pub matched_by: MatchedBy,
    pub score: f64,
    pub breakdown: Breakdown,
    /// Whether it holds for another project than the one that the question is asked for: then it comes after all that fits.
    pub is_elsewhere: bool,
}

impl Ranked {
    /// Whether it is relevant enough, at any age.
    pub fn passed(&self) -> bool {
        self.breakdown.similarity >= self.breakdown.floor
    }
}

/// Memories that reach the floor, best first, and those that do not, nearest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Order {
    pub passed: Vec<Ranked>,
    pub below: Vec<Ranked>,
}

/// The ranking `decay`: scores candidates and sorts them by (score, created_at, id), highest and newest first. The floor looks at relevance
/// before decay: an old memory competes worse, but it never vanishes. What is `elsewhere` comes after the rest.
pub fn decayed(candidates: Vec<Candidate>, floors: Floors, now: DateTime<Utc>, elsewhere: impl Fn(&Memory) -> bool) -> Order {
    let score = |candidate: Candidate| {
        let recency = recency(candidate.memory.updated_at, now);
        let (similarity, matched_by) = candidate.by_meaning();
        let floor = if matched_by == MatchedBy::Vector { floors.vector } else { floors.lexical };
        let breakdown = Breakdown { similarity, recency, floor, parts: vec![] };
        let is_elsewhere = elsewhere(&candidate.memory);
        Ranked { candidate, matched_by, score: similarity * recency, breakdown, is_elsewhere }
    };
    let (mut passed, mut below): (Vec<Ranked>, Vec<Ranked>) = candidates.into_iter().map(score).partition(Ranked::passed);
    sort(&mut passed);
    below.sort_by(|a, b| descending(a, b, |ranked| ranked.breakdown.similarity));
    // The best of equal contents stands for all of them.
    let mut contents = HashSet::new();
    passed.retain(|ranked| contents.insert(ranked.candidate.memory.content_hash.clone()));
    below.retain(|ranked| contents.insert(ranked.candidate.memory.content_hash.clone()));
    Order { passed, below }
}

/// Relevance and floor of a memory with parts, and how it was found. It passes if its words or its meaning reach their floor; words that it
/// borrows from the turns around it move it up but do not help it pass.
pub fn measure(scored: &Scored, floors: Floors) -> (f64, f64, MatchedBy) {
    relevance(scored.semantic, scored.lexical, floors)
}

/// The same for anything that has a cosine, a normalised BM25, or both.
pub fn relevance(semantic: Option<f64>, lexical: Option<f64>, floors: Floors) -> (f64, f64, MatchedBy) {
    let (cosine, words) = (semantic.unwrap_or(0.0), lexical.unwrap_or(0.0));
    let near = semantic.is_some() && cosine >= floors.vector;
    let worded = lexical.is_some() && words >= floors.lexical;
    let by_words = worded && !near || (near == worded && semantic.is_none());
    let (similarity, floor) = if by_words { (words, floors.lexical) } else { (cosine, floors.vector) };
    let matched_by = match (near, worded, by_words) {
        (true, true, _) => MatchedBy::Both,
        (_, _, true) => MatchedBy::Lexical,
        _ => MatchedBy::Vector,
    };
    (similarity, floor, matched_by)
}

/// The value of all words of a query in a chunk of knowledge under `decay`, as a cosine: about that of a good answer.
const ALL_WORDS: f64 = 0.5;
/// The least score of a chunk that contains an identifier of the query: more than all but the best cosines.
const NAMED: f64 = 0.75;

/// The score of a chunk of knowledge under `decay`, which ranks by meaning: its cosine, or its words if they count for more. Words count
/// the same with and without a vector.
pub fn undecayed(semantic: Option<f64>, lexical: Option<f64>, named: bool) -> f64 {
    let score = semantic.unwrap_or(0.0).max(ALL_WORDS * lexical.unwrap_or(0.0).min(1.0));
    if named { NAMED + (1.0 - NAMED) * score } else { score }
}

/// A memory with the score of its parts.
pub fn fused(memory: Memory, scored: Scored, floors: Floors) -> Ranked {
    let (similarity, floor, matched_by) = measure(&scored, floors);
    let breakdown = Breakdown { similarity, recency: scored.recency, floor, parts: scored.parts };
    let candidate = Candidate { memory, semantic: scored.semantic, lexical: scored.lexical };
    Ranked { candidate, matched_by, score: scored.score, breakdown, is_elsewhere: scored.fit <= 0.0 }
}

/// By (score, created_at, id), highest and newest first; after them those of other projects, in the same order.
pub fn sort(ranked: &mut [Ranked]) {
    ranked.sort_by(|a, b| a.is_elsewhere.cmp(&b.is_elsewhere).then_with(|| descending(a, b, |ranked| ranked.score)));
}

fn descending(a: &Ranked, b: &Ranked, by: impl Fn(&Ranked) -> f64) -> Ordering {
    let key = |ranked: &Ranked| (ranked.candidate.memory.created_at, ranked.candidate.memory.id);
    by(b).total_cmp(&by(a)).then_with(|| key(b).cmp(&key(a)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::memory;
    use chrono::Duration;
    use proptest::prelude::*;

    const FLOORS: Floors = Floors { vector: 0.25, lexical: 0.3 };

    fn candidate(similarity: f64, days_old: i64, now: DateTime<Utc>) -> Candidate {
        let mut memory = memory("topic", "content");
        memory.updated_at = now - Duration::days(days_old);
        memory.content_hash = memory.id.0.as_bytes().to_vec();
        Candidate { memory, semantic: Some(similarity), lexical: None }
    }

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).unwrap()
    }

    #[test]
    fn words_stand_in_for_meaning_at_a_discount() {
        assert_eq!(undecayed(Some(0.59), Some(0.4), false), 0.59);
        assert_eq!(undecayed(None, Some(1.0), false), undecayed(Some(0.1), Some(1.0), false));
        assert!(undecayed(None, Some(1.4), false) < undecayed(Some(0.59), None, false));
        assert_eq!(undecayed(None, None, false), 0.0);
        assert!(undecayed(None, Some(0.1), true) > undecayed(Some(0.7), Some(1.0), false));
        assert!(undecayed(Some(1.0), Some(2.0), true) <= 1.0);
    }

    #[test]
    fn an_old_memory_competes_worse_and_never_vanishes() {
        let order = decayed(vec![candidate(0.9, 3650, now()), candidate(0.3, 0, now())], FLOORS, now(), |_| false);
        assert_eq!(order.passed.len(), 2);
        assert_eq!(order.passed[0].breakdown.similarity, 0.3);
    }

    #[test]
    fn words_have_a_floor_of_their_own() {
        let lexical = Candidate { semantic: None, lexical: Some(0.28), ..candidate(0.28, 0, now()) };
        let order = decayed(vec![lexical, candidate(0.28, 0, now())], FLOORS, now(), |_| false);
        assert_eq!((order.passed.len(), order.below.len()), (1, 1));
    }

    proptest! {
        #[test]
        fn scores_are_bounded_and_descend(parts in proptest::collection::vec((0.0_f64..=1.0, 0_i64..5000), 0..40)) {
            let candidates: Vec<_> = parts.iter().map(|(similarity, days)| candidate(*similarity, *days, now())).collect();
            let order = decayed(candidates, FLOORS, now(), |_| false);
            prop_assert_eq!(order.passed.len() + order.below.len(), parts.len());
            prop_assert!(order.passed.windows(2).all(|pair| pair[0].score >= pair[1].score));
            prop_assert!(order.passed.iter().all(|ranked| ranked.passed() && (0.0..=1.0).contains(&ranked.score)));
            prop_assert!(order.below.iter().all(|ranked| !ranked.passed()));
        }
    }
}
