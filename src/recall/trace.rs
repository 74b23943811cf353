//! The traces of a recall: a row of the log, and counters.

use super::blend::Blended;
use super::find::Finding;
use super::{NEAR_MISSES, log};
use crate::ranking::Ranked;
use foundation::{Engine, OpContext};
use std::time::Duration;
use wire::{AgentId, RecallRequest, RecallResponse};

fn rank_in(list: &[Blended], is: impl Fn(&Blended) -> bool) -> Option<u32> {
    list.iter().position(is).and_then(|place| u32::try_from(place + 1).ok())
}

/// A memory's place in the answer, from 1.
pub(super) fn memory_rank(list: &[Blended], ranked: &Ranked) -> Option<u32> {
    rank_in(list, |one| matches!(one, Blended::Memory(listed) if listed.candidate.memory.id == ranked.candidate.memory.id))
}

/// The same for a chunk.
pub(super) fn chunk_rank(list: &[Blended], candidate: &crate::knowledge::RankedChunk) -> Option<u32> {
    rank_in(list, |one| matches!(one, Blended::Knowledge(listed) if listed.found.chunk_id == candidate.found.chunk_id))
}

/// The memories that the log keeps: the hits and the nearest of the others.
pub(super) fn logged(found: &Finding, list: &[Blended], most: usize) -> Vec<log::LoggedMemory> {
    let candidate = |ranked: &Ranked| log::LoggedMemory {
        memory_id: ranked.candidate.memory.id,
        agent_id: ranked.candidate.memory.agent_id,
        version: ranked.candidate.memory.version,
        similarity: ranked.breakdown.similarity,
        recency: ranked.breakdown.recency,
        score: ranked.score,
        parts: ranked.breakdown.parts.clone(),
        matched_by: ranked.matched_by,
        passed: ranked.passed(),
        rank: memory_rank(list, ranked),
    };
    found.order.passed.iter().chain(&found.order.below).take(most).map(candidate).collect()
}

/// The same for knowledge.
pub(super) fn logged_chunks(found: &Finding, list: &[Blended], most: usize) -> Vec<log::LoggedChunk> {
    let chunk = |candidate: &crate::knowledge::RankedChunk| log::LoggedChunk {
        document_id: candidate.found.document_id,
        chunk_id: candidate.found.chunk_id,
        similarity: candidate.similarity,
        score: Some(candidate.score),
        parts: candidate.parts.clone(),
        matched_by: candidate.matched_by,
        passed: candidate.passed(),
        rank: chunk_rank(list, candidate),
    };
    found.knowledge.iter().take(most).map(chunk).collect()
}

/// An answered recall, with everything for its log entry.
pub(super) struct Answered<'a> {
    pub agent: AgentId,
    pub request: &'a RecallRequest,
    /// Whether memories far below the best were dropped.
    pub fewer: bool,
    /// Whether it is the search behind a context before a task.
    pub for_context: bool,
    pub found: &'a Finding,
    pub list: &'a [Blended],
    pub response: &'a RecallResponse,
    pub took: Duration,
}

impl Answered<'_> {
    /// The row of the retrieval log.
    pub fn entry(&self, engine: &Engine, ctx: &OpContext) -> log::Entry {
        let Self { request, found, response, .. } = self;
        let most = usize::try_from(request.k + NEAR_MISSES).unwrap_or(usize::MAX);
        log::Entry {
            tenancy: ctx.tenancy(),
            agent_id: self.agent,
            id: response.retrieval_id,
            at: found.now,
            user_id: ctx.user(),
            session: ctx.agent_session(self.agent),
            for_context: self.for_context,
            given: None,
            query: request.query.clone(),
            query_canonical: found.query_canonical.clone(),
            k: request.k,
            expected: request.expected,
            fewer: self.fewer,
            ranking: found.ranking,
            filters: serde_json::to_value(&request.filters).unwrap_or_default(),
            model: engine.model().name.clone(),
            floors: found.floors,
            vocabulary_version: found.vocabulary_version,
            statistics: serde_json::to_value(found.statistics).unwrap_or_default(),
            candidates: logged(found, self.list, most),
            knowledge: logged_chunks(found, self.list, most),
            zero_hit: response.zero_hit,
            reason: response.reason,
            considered: found.scored,
            vector: found.prepared.vector.clone().filter(|_| response.zero_hit),
            degraded: response.degraded.clone(),
            took_ms: self.took.as_secs_f64() * 1000.0,
        }
    }

    /// Updates the metrics of recalls.
    pub fn count(&self) {
        let Self { request, found, .. } = self;
        let knowledge = self.list.iter().filter(|one| matches!(one, Blended::Knowledge(_))).count();
        metrics::histogram!("agent_memory_recall_seconds").record(self.took.as_secs_f64());
        metrics::histogram!("agent_memory_recall_hits").record((self.list.len() - knowledge) as f64);
        metrics::histogram!("agent_memory_recall_knowledge_hits").record(knowledge as f64);
        metrics::counter!("agent_memory_recall_floor_cuts_total").increment(found.below_floor.unsigned_abs());
        for part in &found.degraded {
            metrics::counter!("agent_memory_recall_degraded_total", "part" => part.as_str()).increment(1);
        }
        // Knowledge fulfils what was expected, too.
        if let Some(reason) = self.response.reason.filter(|_| request.expected && knowledge == 0) {
            // Topics outside the vocabulary share one label, so that labels stay bounded.
            let topic = found.query_canonical.clone().unwrap_or_else(|| "other".into());
            let labels = [("agent_id", self.agent.to_string()), ("query_topic", topic)];
            metrics::counter!("agent_memory_recall_zero_hits_total", &labels).increment(1);
            tracing::warn!(agent_id = %self.agent, %reason, "a recall found nothing although the agent expected a result");
        }
    }
}
