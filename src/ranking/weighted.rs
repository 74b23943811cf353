//! The ranking `weighted`: the combined score of hits from several sources.

use crate::api::Weights;

/// What a hit of any source is scored by, each 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Components {
    pub similarity: f64,
    pub recency: f64,
    pub importance: f64,
    pub source_priority: f64,
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

    #[test]
    fn the_seed_weighs_similarity_most() {
        let components = Components { similarity: 0.8, recency: 0.5, importance: 0.25, source_priority: 1.0 };
        assert!((score(&components, &Weights::default()) - 0.65).abs() < 1e-12);
        let only = Weights { similarity: 0.0, recency: 0.0, importance: 1.0, source_priority: 0.0 };
        assert_eq!(score(&components, &only), 0.25);
    }
}
