//! One ranked list of memories and knowledge.

use super::find::Finding;
use super::scope::most_elsewhere;
use crate::knowledge::{self, RankedChunk};
use crate::ranking::Ranked;
use crate::ranking::explain;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;
use wire::{AgentId, RecallHit};

/// A memory or a piece of knowledge, with its score.
#[derive(Clone, Debug, PartialEq)]
pub enum Blended {
    Memory(Box<Ranked>),
    Knowledge(Box<RankedChunk>),
}

impl Blended {
    /// The score of the ranking. Knowledge does not decay.
    pub fn score(&self) -> f64 {
        match self {
            Self::Memory(ranked) => ranked.score,
            Self::Knowledge(candidate) => candidate.score,
        }
    }

    /// Whether it is a memory of another project than the question's.
    fn is_elsewhere(&self) -> bool {
        matches!(self, Self::Memory(ranked) if ranked.is_elsewhere)
    }

    /// Turns it into a hit with its explanation.
    pub fn hit(self, asked: &BTreeMap<String, u32>, commons: AgentId, now: DateTime<Utc>) -> RecallHit {
        match self {
            Self::Memory(ranked) => RecallHit::Memory(Box::new(explain::hit(*ranked, asked, commons, now))),
            Self::Knowledge(candidate) => RecallHit::Knowledge(Box::new(knowledge::hit(*candidate, asked))),
        }
    }
}

/// Merges two ranked lists by score, both best first; at the same score a memory comes before a chunk. Memories of other projects
/// come last. Knowledge below its floor is left out.
pub fn blend(memories: Vec<Ranked>, knowledge: Vec<RankedChunk>) -> Vec<Blended> {
    let knowledge = knowledge.into_iter().filter(RankedChunk::passed).map(|candidate| Blended::Knowledge(Box::new(candidate)));
    let mut list: Vec<Blended> = memories.into_iter().map(|ranked| Blended::Memory(Box::new(ranked))).chain(knowledge).collect();
    // Stable: the order within each list stays.
    list.sort_by(|a, b| a.is_elsewhere().cmp(&b.is_elsewhere()).then_with(|| b.score().total_cmp(&a.score())));
    list
}

/// The share of the best score below which memories are dropped: they add little.
const FALL: f64 = 0.5;

/// Drops the memories whose scores are below that share: fewer, stronger ones stay.
fn cut_off(list: &mut Vec<Ranked>) {
    if let Some(best) = list.first().map(|ranked| ranked.score) {
        list.retain(|ranked| ranked.score >= best * FALL);
    }
}

/// The answer to a finding: at most `k` hits, few of them of other projects; with `fewer`, only strong memories.
pub fn list(found: &Finding, k: u32, fewer: bool) -> Vec<Blended> {
    let mut passed = found.order.passed.clone();
    if fewer {
        cut_off(&mut passed);
    }
    let mut list = blend(passed, found.knowledge.clone());
    let k = usize::try_from(k).unwrap_or(usize::MAX);
    let fitting = list.iter().filter(|one| !one.is_elsewhere()).count();
    list.truncate(k.min(fitting.saturating_add(most_elsewhere(k))));
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::store::CitedChunk;
    use crate::ranking;
    use crate::testing::memory;
    use proptest::prelude::*;
    use uuid::Uuid;
    use wire::{Breakdown, ChunkId, DocumentId, DocumentKind, MatchedBy};

    fn remembered(score: f64) -> Ranked {
        let candidate = ranking::Candidate { memory: memory("t", "c"), semantic: Some(score), lexical: None };
        Ranked {
            candidate,
            matched_by: MatchedBy::Vector,
            score,
            breakdown: Breakdown { similarity: score, recency: 1.0, floor: 0.25, parts: vec![] },
            is_elsewhere: false,
        }
    }

    fn decided(similarity: f64) -> RankedChunk {
        let found = CitedChunk {
            chunk_id: ChunkId(Uuid::nil()),
            document_id: DocumentId(Uuid::nil()),
            kind: DocumentKind::Adr,
            reference: Some("ADR-005".into()),
            collection: "acme".into(),
            is_elsewhere: false,
            title: "Store the graph in Postgres".into(),
            path: "adr.md".into(),
            heading_path: vec!["Consequences".into()],
            content: "One database to run.".into(),
        };
        RankedChunk { found, similarity, matched_by: MatchedBy::Vector, floor: 0.25, score: similarity, parts: vec![] }
    }

    proptest! {
        #[test]
        fn the_list_descends_and_loses_nothing_above_the_floor(
            mut own in proptest::collection::vec(0.0_f64..=1.0, 0..20),
            mut shared in proptest::collection::vec(0.0_f64..=1.0, 0..20),
        ) {
            own.sort_by(|a, b| b.total_cmp(a));
            shared.sort_by(|a, b| b.total_cmp(a));
            let kept = own.len() + shared.iter().filter(|similarity| **similarity >= 0.25).count();
            let list = blend(own.into_iter().map(remembered).collect(), shared.into_iter().map(decided).collect());
            prop_assert_eq!(list.len(), kept);
            prop_assert!(list.windows(2).all(|pair| pair[0].score() >= pair[1].score()));
        }
    }

    #[test]
    fn what_is_decided_is_cited() {
        let RecallHit::Knowledge(hit) =
            Blended::Knowledge(Box::new(decided(0.5))).hit(&BTreeMap::new(), AgentId(Uuid::nil()), DateTime::<Utc>::MIN_UTC)
        else {
            panic!("knowledge stays knowledge")
        };
        assert_eq!(hit.attribution, "Per ADR-005:");
        assert_eq!((hit.citation.as_str(), hit.adr_id.as_deref(), hit.spec_id), ("ADR-005, Consequences", Some("ADR-005"), None));
    }
}
