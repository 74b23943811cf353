//! How good assembled contexts are for tasks whose facts are known: precision, recall and gain of what is retrieved, and what the text holds.
//! Pure.

use crate::gain;
use serde::Serialize;
use std::collections::BTreeMap;
use words::stems;

/// Retrieved memories that count.
const FIRST: usize = 5;

/// The context of a task.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// Facts that a good context holds.
    pub wanted: usize,
    /// Places of those of them that were retrieved, from 0, best first.
    pub places: Vec<usize>,
    /// How many of them the text says, wherever it has them from.
    pub held: usize,
    pub tokens: u32,
    pub budget: u32,
}

/// The means over all tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Scores {
    pub tasks: usize,
    /// Wanted ones among the first five retrieved memories, of five.
    pub precision_at_5: f64,
    /// Share of the wanted ones among the first five.
    pub recall_at_5: f64,
    /// Discounted gain of the first five against the best possible order.
    pub ndcg_at_5: f64,
    /// Share of the wanted ones that the text says.
    pub held: f64,
    pub tokens: f64,
    /// Tokens as a share of the budget.
    pub budget_share: f64,
}

impl Scores {
    /// Of judged contexts; all zero for none.
    pub fn of(judged: &[Judged]) -> Self {
        let mean = |value: &dyn Fn(&Judged) -> f64| judged.iter().map(value).sum::<f64>() / (judged.len() as f64).max(1.0);
        let first = |one: &Judged| one.places.iter().filter(|place| **place < FIRST).count() as f64;
        let wanted = |one: &Judged| (one.wanted as f64).max(1.0);
        Self {
            tasks: judged.len(),
            precision_at_5: mean(&|one| first(one) / FIRST as f64),
            recall_at_5: mean(&|one| first(one) / wanted(one)),
            ndcg_at_5: mean(&|one| gain(&one.places, one.wanted, FIRST)),
            held: mean(&|one| one.held as f64 / wanted(one)),
            tokens: mean(&|one| f64::from(one.tokens)),
            budget_share: mean(&|one| f64::from(one.tokens) / f64::from(one.budget.max(1))),
        }
    }
}

/// The lines of a text with their content words.
pub struct Lines(Vec<BTreeMap<String, u32>>);

impl Lines {
    /// Reads a text.
    pub fn of(text: &str) -> Self {
        Self(text.lines().map(stems::terms).collect())
    }

    /// Whether one line has all content words of a fact. A fact without any is in no text.
    pub fn hold(&self, fact: &str) -> bool {
        let wanted = stems::terms(fact);
        !wanted.is_empty() && self.0.iter().any(|line| wanted.keys().all(|term| line.contains_key(term)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn judged(places: &[usize], wanted: usize) -> Judged {
        Judged { wanted, places: places.to_vec(), held: places.len(), tokens: 400, budget: 1000 }
    }

    #[test]
    fn means_are_those_of_the_textbook() {
        let scores = Scores::of(&[judged(&[0, 3], 2), judged(&[5], 1), judged(&[], 3)]);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(near(scores.precision_at_5, 0.4 / 3.0) && near(scores.recall_at_5, 1.0 / 3.0));
        let ideal = 1.0 + 1.0 / 3.0_f64.log2();
        assert!(near(scores.ndcg_at_5, (1.0 + 1.0 / 5.0_f64.log2()) / ideal / 3.0));
        assert!(near(scores.held, 2.0 / 3.0) && near(scores.tokens, 400.0) && near(scores.budget_share, 0.4));
        assert_eq!(Scores::of(&[]), Scores::default());
    }

    #[test]
    fn a_line_holds_a_fact_with_all_its_content_words() {
        let lines = Lines::of("# Facts\n- tea: Vera likes black tea (slack, 3 May)\n- Idris sails.");
        assert!(lines.hold("Vera likes the black tea.") && lines.hold("Idris sails"));
        assert!(!lines.hold("Vera sails") && !lines.hold("the") && !lines.hold(""));
    }

    proptest! {
        #[test]
        fn a_better_place_is_never_worth_less(places in proptest::collection::btree_set(0_usize..8, 0..5), more in 0_usize..3) {
            let places: Vec<usize> = places.into_iter().collect();
            let of = |places: &[usize]| Scores::of(&[judged(places, places.len() + more)]);
            let scores = of(&places);
            for share in [scores.precision_at_5, scores.recall_at_5, scores.ndcg_at_5, scores.held, scores.budget_share] {
                prop_assert!((0.0..=1.0 + 1e-9).contains(&share));
            }
            let best: Vec<usize> = (0..places.len()).collect();
            prop_assert!(of(&best).ndcg_at_5 + 1e-9 >= scores.ndcg_at_5);
            prop_assert!(more > 0 || places.is_empty() || (of(&best).ndcg_at_5 - 1.0).abs() < 1e-9);
        }
    }
}
