//! Merging what the sources found: one content once, scored by one formula, best first. Pure.

use crate::api::{SearchSource, Weights};
use crate::ranking::weighted::{self, Components};
use chrono::{DateTime, Utc};
use std::collections::HashMap;
use uuid::Uuid;

/// Something that a source found.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate<T> {
    pub source: SearchSource,
    pub id: Uuid,
    /// SHA-256 of its content.
    pub hash: Vec<u8>,
    /// When it was written; of two with the same score the later one comes first.
    pub at: Option<DateTime<Utc>>,
    pub components: Components,
    pub item: T,
}

/// A candidate with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged<T> {
    pub candidate: Candidate<T>,
    pub score: f64,
    /// Other sources with the same content.
    pub also_in: Vec<SearchSource>,
}

/// The `k` best candidates by (score, time, id). Of candidates with the same content the best one stays.
pub fn merge<T>(candidates: Vec<Candidate<T>>, weights: &Weights, k: usize) -> Vec<Merged<T>> {
    let scored = |candidate: Candidate<T>| {
        let score = weighted::score(&candidate.components, weights);
        Merged { candidate, score, also_in: vec![] }
    };
    let mut all: Vec<Merged<T>> = candidates.into_iter().map(scored).collect();
    all.sort_by(|a, b| {
        let key = |one: &Merged<T>| (one.candidate.at, one.candidate.id);
        b.score.total_cmp(&a.score).then_with(|| key(b).cmp(&key(a)))
    });
    let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut merged: Vec<Merged<T>> = Vec::new();
    for one in all {
        match places.get(&one.candidate.hash) {
            None => {
                places.insert(one.candidate.hash.clone(), merged.len());
                merged.push(one);
            }
            Some(place) => add_source(&mut merged[*place], one.candidate.source),
        }
    }
    merged.truncate(k);
    merged
}

fn add_source<T>(kept: &mut Merged<T>, source: SearchSource) {
    if source != kept.candidate.source && !kept.also_in.contains(&source) {
        kept.also_in.push(source);
        kept.also_in.sort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    type Plain = (usize, u8, f64, f64, f64, i64);

    fn candidate((source, content, similarity, recency, importance, at): Plain, id: u128) -> Candidate<()> {
        let source = SearchSource::ALL[source];
        Candidate {
            source,
            id: Uuid::from_u128(id),
            hash: vec![content],
            at: DateTime::from_timestamp(at, 0),
            components: Components { similarity, recency, importance, source_priority: source.priority() },
            item: (),
        }
    }

    fn candidates() -> impl Strategy<Value = Vec<Candidate<()>>> {
        let one = (0..4_usize, 0..12_u8, 0.0..=1.0_f64, 0.0..=1.0_f64, 0.0..=1.0_f64, 0..5_i64);
        proptest::collection::vec(one, 0..60).prop_map(|all| all.into_iter().zip(1..).map(|(one, id)| candidate(one, id)).collect())
    }

    fn weights() -> impl Strategy<Value = Weights> {
        (0.0..=1.0_f64, 0.0..=1.0_f64, 0.0..=1.0_f64, 0.01..=1.0_f64)
            .prop_map(|(similarity, recency, importance, source_priority)| Weights { similarity, recency, importance, source_priority })
    }

    #[test]
    fn one_content_of_two_sources_is_one_hit_that_names_both() {
        let (strong, weak) = ((0, 7, 0.9, 1.0, 1.0, 3), (3, 7, 0.9, 1.0, 0.5, 3));
        let again = (3, 7, 0.1, 1.0, 0.5, 3);
        let merged = merge(vec![candidate(again, 3), candidate(weak, 2), candidate(strong, 1)], &Weights::default(), 5);
        assert_eq!(merged.len(), 1);
        assert_eq!((merged[0].candidate.source, merged[0].also_in.as_slice()), (SearchSource::Memory, &[SearchSource::Knowledge][..]));
        assert!((merged[0].score - 0.95).abs() < 1e-12, "0.5 · 0.9 + 0.2 + 0.2 + 0.1 · 1.0");
    }

    proptest! {
        #[test]
        fn each_content_is_there_once_with_its_best_score(all in candidates(), weights in weights()) {
            let merged = merge(all.clone(), &weights, usize::MAX);
            let contents: HashSet<_> = all.iter().map(|one| one.hash.clone()).collect();
            prop_assert_eq!(merged.len(), contents.len());
            for one in &merged {
                let same: Vec<_> = all.iter().filter(|other| other.hash == one.candidate.hash).collect();
                prop_assert!(same.iter().all(|other| weighted::score(&other.components, &weights) <= one.score));
                let sources: HashSet<_> = same.iter().map(|other| other.source).collect();
                prop_assert_eq!(one.also_in.len() + 1, sources.len());
            }
        }

        #[test]
        fn the_order_is_that_of_the_scores_whatever_came_first(all in candidates(), weights in weights(), k in 0..20_usize) {
            let merged = merge(all.clone(), &weights, k);
            prop_assert!(merged.len() <= k);
            prop_assert!(merged.windows(2).all(|pair| pair[0].score >= pair[1].score));
            let mut reversed = all;
            reversed.reverse();
            prop_assert_eq!(merge(reversed, &weights, k), merged);
        }
    }
}
