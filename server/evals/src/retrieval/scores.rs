//! How good a ranking is on questions whose answers are known: recall, rank, gain, under-return. Pure.

use crate::{gain, percentile};
use serde::Serialize;

/// The result of a question.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Places in the answer, from 0, of the memories that are evidence.
    pub found: Vec<usize>,
    /// How many memories are evidence.
    pub evidence: usize,
    /// How many were returned, and how many could have been.
    pub returned: usize,
    pub possible: usize,
    /// Characters of the first ten.
    pub characters: usize,
    /// Milliseconds of the search, with and without the embedding of the question.
    pub with_embedding: f64,
    pub without_embedding: f64,
}

/// The means over all questions.
#[derive(Clone, Debug, Serialize)]
pub struct Scores {
    pub questions: usize,
    /// Share of a question's evidence among the first one, five and ten.
    pub recall_at_1: f64,
    pub recall_at_5: f64,
    pub recall_at_10: f64,
    /// 1 / rank of the first evidence among the first ten; 0 when there is none.
    pub mrr: f64,
    /// Discounted gain of the first ten against the best possible order.
    pub ndcg_at_10: f64,
    /// Share of questions that got fewer memories than they asked for, though there were more.
    pub under_return: f64,
    /// Milliseconds a search took.
    pub p50_ms: f64,
    pub p95_ms: f64,
    pub p50_with_embedding_ms: f64,
    pub p95_with_embedding_ms: f64,
    /// Tokens of the first ten, at four characters each.
    pub tokens: f64,
}

impl Scores {
    /// Of judged questions; all zero for none.
    pub fn of(judged: &[Judged]) -> Self {
        let mean = |value: &dyn Fn(&Judged) -> f64| judged.iter().map(value).sum::<f64>() / (judged.len() as f64).max(1.0);
        let share = |k: usize| mean(&|one| one.found.iter().filter(|place| **place < k).count() as f64 / (one.evidence as f64).max(1.0));
        let nearest = |p: f64, value: &dyn Fn(&Judged) -> f64| percentile(&judged.iter().map(value).collect::<Vec<_>>(), p);
        Self {
            questions: judged.len(),
            recall_at_1: share(1),
            recall_at_5: share(5),
            recall_at_10: share(10),
            mrr: mean(&|one| one.found.iter().min().map_or(0.0, |place| 1.0 / (*place as f64 + 1.0))),
            ndcg_at_10: mean(&|one| gain(&one.found, one.evidence, 10)),
            under_return: mean(&|one| f64::from(u8::from(one.returned < one.possible))),
            p50_ms: nearest(0.5, &|one| one.without_embedding),
            p95_ms: nearest(0.95, &|one| one.without_embedding),
            p50_with_embedding_ms: nearest(0.5, &|one| one.with_embedding),
            p95_with_embedding_ms: nearest(0.95, &|one| one.with_embedding),
            tokens: mean(&|one| one.characters as f64 / 4.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(found: &[usize], evidence: usize) -> Judged {
        Judged { found: found.to_vec(), evidence, returned: 10, possible: 10, characters: 400, with_embedding: 3.0, without_embedding: 1.0 }
    }

    #[test]
    fn means_are_those_of_the_textbook() {
        let scores = Scores::of(&[judged(&[0, 4], 2), judged(&[9], 2), judged(&[], 1)]);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(near(scores.recall_at_1, 0.5 / 3.0) && near(scores.recall_at_5, 1.0 / 3.0) && near(scores.recall_at_10, 1.5 / 3.0));
        assert!(near(scores.mrr, (1.0 + 0.1) / 3.0));
        let ideal = 1.0 + 1.0 / 3.0_f64.log2();
        let expected = ((1.0 + 1.0 / 6.0_f64.log2()) / ideal + (1.0 / 11.0_f64.log2()) / ideal) / 3.0;
        assert!(near(scores.ndcg_at_10, expected), "{} {expected}", scores.ndcg_at_10);
        assert_eq!((scores.tokens, scores.under_return, scores.p95_with_embedding_ms), (100.0, 0.0, 3.0));
    }

    #[test]
    fn fewer_than_asked_for_though_there_were_more_is_under_return() {
        let short = Judged { returned: 3, possible: 10, ..judged(&[0], 1) };
        assert_eq!(Scores::of(&[short, judged(&[0], 1)]).under_return, 0.5);
        assert_eq!(Scores::of(&[]).recall_at_10, 0.0);
    }
}
