//! The last gates: whether the memory is scored, and its rank.

use super::super::scope::most_elsewhere;
use super::facts::Facts;
use super::{open, passed, stopped};
use wire::{Gate, GateResult, Mend, MendLink, Ranking};

/// In their order. Only a memory that is `in_reach` can have a rank.
pub(super) fn gates(facts: &Facts<'_>, in_reach: bool) -> Vec<GateResult> {
    if !in_reach || !facts.reaches_floor() {
        let why = if in_reach { "Memories below the floor are not in the answer." } else { "Only memories in reach are ranked." };
        return vec![open(Gate::Rank, why), open(Gate::K, why)];
    }
    vec![rank(facts), k(facts)]
}

fn rank(facts: &Facts<'_>) -> GateResult {
    let others = &facts.found.order.passed;
    if let Some(place) = others.iter().position(|ranked| ranked.candidate.memory.id == facts.memory.id) {
        let detail = format!("It is number {} of {} scored memories that reach the floor.", place + 1, others.len());
        return passed(Gate::Rank, detail);
    }
    if let Some(equal) = others.iter().find(|ranked| ranked.candidate.memory.content_hash == facts.memory.content_hash) {
        let detail = format!("Memory {} has the same content and a better score. It stands for both.", equal.candidate.memory.short_id);
        return stopped(Gate::Rank, detail, Mend::new("Nothing is missing from the answer. Delete one of the two if you want only one."));
    }
    let detail = match facts.agent_recall.ranking() {
        Ranking::Decay => "It is not scored: enough other memories are nearer in meaning and newer.",
        Ranking::Hybrid | Ranking::HybridDecay => "It is not scored: enough other memories are nearer in meaning or share more words.",
    };
    stopped(Gate::Rank, detail, more_hits(facts))
}

fn more_hits(facts: &Facts<'_>) -> Mend {
    match facts.place.with_more_hits {
        Some((k, rank)) => Mend::new(format!("Ask more specifically. In a recall for {k} hits it has rank {rank}.")).at(MendLink::Hits(k)),
        None => Mend::new("Ask more specifically, or narrow the recall with filters."),
    }
}

fn k(facts: &Facts<'_>) -> GateResult {
    let k = match facts.agent_recall.recall.k {
        1 => "1 hit".to_owned(),
        k => format!("{k} hits"),
    };
    match (facts.place.rank, facts.place.beyond) {
        (Some(rank), _) => passed(Gate::K, format!("It has rank {rank}, and the recall asks for {k}.")),
        (None, None) => open(Gate::K, "Only scored memories have a rank."),
        (None, Some(_)) if facts.ranked().is_some_and(|ranked| ranked.is_elsewhere) => {
            let most = most_elsewhere(usize::try_from(facts.agent_recall.recall.k).unwrap_or(usize::MAX));
            let detail = format!("It belongs to another project. Of those at most {most} may be among {k}, and others fit better.");
            stopped(Gate::K, detail, more_hits(facts))
        }
        (None, Some(rank)) => {
            let scores = match (facts.ranked(), facts.place.last_hit) {
                (Some(ranked), Some(last)) => format!(" Its score is {:.2}, and the last hit has {last:.2}.", ranked.score),
                _ => String::new(),
            };
            let detail = format!("It has rank {rank}, and the recall asks for {k}.{scores}");
            stopped(Gate::K, detail, more_hits(facts))
        }
    }
}
