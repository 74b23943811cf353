//! The ranking `weighted`: the combined score of hits from several sources.

mod merge;

pub use merge::{Candidate, Merged, merge};

use wire::Weights;

/// What a hit of any source is scored by, each 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Components {
    pub similarity: f64,
    pub recency: f64,
    pub importance: f64,
    pub source_priority: f64,
}

/// The scale of similarities by words alone. A normalised BM25 says how many of the question's words a text has, and is often near 1; a cosine
/// is seldom above that of two texts about one matter. Beside one another as they are, words would always win.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Least cosine at which a text is returned.
    pub vector: f64,
    /// Least share of the question's words at which a text is returned.
    pub lexical: f64,
    /// The model's `related_threshold`: the cosine that all words of a question are worth. Below the floor of cosines it is 1.
    pub related: f64,
}

impl Scale {
    /// A normalised BM25 as a cosine: the lexical floor becomes the floor of cosines, 1 becomes `related`, and what is between or below
    /// keeps its share of the way.
    pub fn cosine(&self, words: f64) -> f64 {
        let Self { vector, lexical, related } = *self;
        let words = words.clamp(0.0, 1.0);
        if words < lexical {
            return vector * words / lexical;
        }
        let all = if related > vector { related } else { 1.0 };
        let share = if lexical < 1.0 { (words - lexical) / (1.0 - lexical) } else { 1.0 };
        vector + share * (all - vector)
    }
}

/// final_score = 0.5 similarity + 0.2 recency + 0.2 importance + 0.1 source priority, with the default weights.
pub fn score(components: &Components, weights: &Weights) -> f64 {
    weights.similarity * components.similarity
        + weights.recency * components.recency
        + weights.importance * components.importance
        + weights.source_priority * components.source_priority
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_seed_weighs_similarity_most() {
        let components = Components { similarity: 0.8, recency: 0.5, importance: 0.25, source_priority: 1.0 };
        assert!((score(&components, &Weights::default()) - 0.65).abs() < 1e-12);
        let only = Weights { similarity: 0.0, recency: 0.0, importance: 1.0, source_priority: 0.0 };
        assert_eq!(score(&components, &only), 0.25);
    }

    #[test]
    fn words_are_worth_a_cosine() {
        let scale = Scale { vector: 0.25, lexical: 0.2, related: 0.6 };
        for (words, cosine) in [(0.0, 0.0), (0.1, 0.125), (0.2, 0.25), (0.6, 0.425), (1.0, 0.6), (7.0, 0.6)] {
            assert!((scale.cosine(words) - cosine).abs() < 1e-12, "{words}: {}", scale.cosine(words));
        }
    }

    proptest! {
        #[test]
        fn more_words_are_never_worth_less_and_the_floor_stays_the_floor(
            (vector, lexical, related) in (0.0..=1.0_f64, 0.0..=1.0_f64, 0.0..=1.0_f64), one in 0.0..=1.0_f64, other in 0.0..=1.0_f64,
        ) {
            let scale = Scale { vector, lexical, related };
            let (less, more) = (one.min(other), one.max(other));
            prop_assert!(scale.cosine(less) <= scale.cosine(more) && (0.0..=1.0).contains(&scale.cosine(more)), "{:?}", scale);
            prop_assert!(more < lexical || scale.cosine(more) >= vector, "{:?}", scale);
        }
    }
}
