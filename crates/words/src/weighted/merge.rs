//! Merging what the sources found: one content once, scored by one formula, best first. Pure.

use super::{Components, score};
use chrono::{DateTime, Utc};
use std::collections::HashMap;
use uuid::Uuid;
use wire::{SearchSource, Trust, Weights};

/// Something that a source found.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate<T> {
    pub source: SearchSource,
    pub id: Uuid,
    /// SHA-256 of its content.
    pub hash: Vec<u8>,
    /// Absent for knowledge, which was decided.
    pub trust: Option<Trust>,
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

/// The `k` best candidates by (score, time, id). Candidates with the same content are one: the most trusted of them, and of those the best, with
/// the score and the components of the best of all.
pub fn merge<T>(candidates: Vec<Candidate<T>>, weights: &Weights, k: usize) -> Vec<Merged<T>> {
    let scored = |candidate: Candidate<T>| {
        let score = score(&candidate.components, weights);
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
            Some(place) => unite(&mut merged[*place], one.candidate),
        }
    }
    merged.truncate(k);
    merged
}

/// Adds another candidate of the same content, which scored no better.
fn unite<T>(kept: &mut Merged<T>, mut other: Candidate<T>) {
    kept.also_in.extend([kept.candidate.source, other.source]);
    if standing(other.trust) < standing(kept.candidate.trust) {
        other.components = kept.candidate.components;
        kept.candidate = other;
    }
    kept.also_in.retain(|source| *source != kept.candidate.source);
    kept.also_in.sort();
    kept.also_in.dedup();
}

/// How much a text can be relied on, the most first: it was decided, the agent says it itself, a person confirmed it, the agent keeps somebody
/// else's words, nobody confirmed it.
fn standing(trust: Option<Trust>) -> u8 {
    match trust {
        None => 0,
        Some(Trust::Own) => 1,
        Some(Trust::Reviewed) => 2,
        Some(Trust::Captured) => 3,
        Some(Trust::Unreviewed) => 4,
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
            trust: None,
            at: DateTime::from_timestamp(at, 0),
            components: Components { similarity, recency, importance, source_priority: source.priority() },
            item: (),
        }
    }

    fn candidates() -> impl Strategy<Value = Vec<Candidate<()>>> {
        let one = (0..4_usize, 0..12_u8, 0.0..=1.0_f64, 0.0..=1.0_f64, 0.0..=1.0_f64, 0..5_i64);
        let trusted = |(one, id): (Plain, u128)| Candidate { trust: Trust::ALL.get((id % 5) as usize).copied(), ..candidate(one, id) };
        proptest::collection::vec(one, 0..60).prop_map(move |all| all.into_iter().zip(1..).map(trusted).collect())
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

    #[test]
    fn of_one_content_the_most_trusted_is_shown_with_the_score_of_the_best() {
        let of = |source, similarity, id, trust| Candidate { trust, ..candidate((source, 5, similarity, 1.0, 0.5, 2), id) };
        let report = of(1, 0.6, 1, Some(Trust::Unreviewed));
        let captured = of(0, 0.5, 2, Some(Trust::Captured));
        let own = [of(0, 0.3, 3, Some(Trust::Own)), of(2, 0.4, 4, Some(Trust::Own))];
        let decided = of(3, 0.1, 5, None);
        let shown = |all: &[&Candidate<()>]| {
            let merged = merge(all.iter().map(|one| (*one).clone()).collect(), &Weights::default(), 5);
            let [one] = &merged[..] else { panic!("one content: {merged:?}") };
            assert_eq!((one.score, one.candidate.components), (score(&report.components, &Weights::default()), report.components));
            (one.candidate.id.as_u128(), one.candidate.trust, one.also_in.clone())
        };
        use SearchSource::{Audit, Memory, Workflow};
        assert_eq!(shown(&[&report, &captured]), (2, Some(Trust::Captured), vec![Audit]));
        assert_eq!(shown(&[&own[0], &captured, &own[1], &report]), (4, Some(Trust::Own), vec![Memory, Audit]), "the better of its own");
        assert_eq!(shown(&[&own[0], &decided, &own[1], &report]), (5, None, vec![Memory, Audit, Workflow]));
    }

    proptest! {
        #[test]
        fn each_content_is_there_once_with_its_best_score_and_its_best_trust(all in candidates(), weights in weights()) {
            let merged = merge(all.clone(), &weights, usize::MAX);
            let contents: HashSet<_> = all.iter().map(|one| one.hash.clone()).collect();
            prop_assert_eq!(merged.len(), contents.len());
            for one in &merged {
                let same: Vec<_> = all.iter().filter(|other| other.hash == one.candidate.hash).collect();
                prop_assert!(same.iter().all(|other| score(&other.components, &weights) <= one.score));
                prop_assert!(same.iter().all(|other| standing(one.candidate.trust) <= standing(other.trust)));
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
