//! The playground: a recall that shows every step and leaves no trace.

use super::agent_recall::AgentRecall;
use super::blend::Blended;
use super::find::Finding;
use super::near::EmptyRecall;
use super::trace::{chunk_rank, memory_rank};
use super::{NEAR_MISSES, blend, health, show_reviews, zero_hit};
use crate::knowledge;
use crate::memories;
use crate::ranking::Ranked;
use crate::ranking::explain;
use foundation::{Engine, Error, OpContext};
use verb::verb;
use wire::{
    AgentId, CandidateLink, KeyScope, NearMiss, OperatorRole, Playground, PlaygroundCandidate, PlaygroundRequest, SourceTag, ZeroHitCause,
};

/// Runs a recall as the agent's keys would, and shows every candidate, what the floor cut, how the vocabulary resolved the query, and how
/// long each step took. Nothing is counted or logged.
///
/// # Errors
/// `Forbidden` without the role `viewer`; `NotFound` for another tenant's agent; `Invalid` for a user that is missing or unknown, and as
/// [`super::recall`].
#[verb]
pub async fn playground(engine: &Engine, ctx: &OpContext, request: &PlaygroundRequest) -> Result<Playground, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    let PlaygroundRequest { agent_id, recall } = request;
    let agent_recall = AgentRecall::new(engine, ctx, *agent_id, recall).await?;
    let found = agent_recall.find(engine, recall.k, false).await?;
    let list = blend::list(&found, recall.k, false);

    let zero_hit = found.order.passed.is_empty();
    // Near misses are those among today's memories.
    let diagnosis = if zero_hit && recall.as_of.is_none() { Some(diagnose(engine, ctx, &agent_recall, &found).await?) } else { None };
    let (cause, near_misses) = diagnosis.unzip();
    let candidates = candidates(&found, &list, ctx.commons_id);
    let mut hits = list.into_iter().map(|one| one.hit(&found.prepared.terms, ctx.commons_id, found.now)).collect::<Vec<_>>();
    show_reviews(engine, ctx, &mut hits).await;
    Ok(Playground {
        candidates,
        degraded: found.missing(),
        query_canonical: found.query_canonical,
        terms_inside: found.inside,
        searched: found.prepared.text,
        vocabulary_version: found.vocabulary_version,
        memories: found.totals.map(|totals| totals.memories),
        passed: found.totals.map(|totals| totals.passed),
        more: found.totals.is_some_and(|totals| totals.more),
        may_recall: agent_recall.may(KeyScope::MemoryRead),
        may_read_knowledge: agent_recall.may(KeyScope::KbRead),
        zero_hit,
        cause,
        near_misses: near_misses.unwrap_or_default(),
        timings: found.timings.iter().map(|(step, ms)| ((*step).to_owned(), *ms)).collect(),
        hits,
    })
}

/// Why no memory was found, and the near misses.
async fn diagnose(
    engine: &Engine,
    ctx: &OpContext,
    agent_recall: &AgentRecall<'_>,
    found: &Finding,
) -> Result<(ZeroHitCause, Vec<NearMiss>), Error> {
    let empty = EmptyRecall {
        tenant: ctx.tenant_id,
        agent: agent_recall.agent.id,
        commons: ctx.commons_id,
        user_id: agent_recall.user,
        at: found.now,
        model: &engine.model().name,
        floor: found.floors.vector,
        reason: Some(found.reason()),
        considered: found.scored,
        vector: found.prepared.vector.as_deref(),
    };
    let slugs = memories::slugs(engine, ctx).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let (cause, near) = zero_hit::diagnose(&mut tx, &empty).await?;
    let near = health::near_misses(&mut tx, ctx, &slugs, near).await?;
    tx.commit().await?;
    Ok((cause, near))
}

/// Every scored candidate: those that pass their floor first, best first.
fn candidates(found: &Finding, list: &[Blended], commons: AgentId) -> Vec<PlaygroundCandidate> {
    let below = found.order.below.iter().take(NEAR_MISSES as usize);
    let memories = found.order.passed.iter().chain(below).map(|ranked| memory_candidate(found, list, commons, ranked));
    let chunks = found.knowledge.iter().map(|chunk| chunk_candidate(found, list, chunk));
    let mut candidates: Vec<PlaygroundCandidate> = memories.chain(chunks).collect();
    candidates.sort_by(|a, b| b.passed.cmp(&a.passed).then_with(|| b.score.total_cmp(&a.score)));
    candidates
}

fn memory_candidate(found: &Finding, list: &[Blended], commons: AgentId, ranked: &Ranked) -> PlaygroundCandidate {
    let memory = &ranked.candidate.memory;
    let words = explain::matched(ranked, &found.prepared.terms);
    PlaygroundCandidate {
        link: CandidateLink::Memory(memory.id),
        source_tag: if memory.agent_id == commons { SourceTag::Shared } else { SourceTag::Private },
        label: memory.topic.clone(),
        content: memory.content.clone(),
        similarity: ranked.breakdown.similarity,
        recency: ranked.breakdown.recency,
        score: ranked.score,
        floor: ranked.breakdown.floor,
        passed: ranked.passed(),
        rank: memory_rank(list, ranked).map(i64::from),
        matched_by: ranked.matched_by,
        explanation: explain::sentence(ranked, &words, found.now),
    }
}

fn chunk_candidate(found: &Finding, list: &[Blended], chunk: &knowledge::RankedChunk) -> PlaygroundCandidate {
    let hit = knowledge::hit(chunk.clone(), &found.prepared.terms);
    PlaygroundCandidate {
        link: CandidateLink::Document(hit.document_id),
        source_tag: SourceTag::Canonical,
        label: hit.citation,
        content: hit.content,
        similarity: hit.similarity,
        recency: 1.0,
        score: hit.score,
        floor: hit.floor,
        passed: chunk.passed(),
        rank: chunk_rank(list, chunk).map(i64::from),
        matched_by: hit.matched_by,
        explanation: hit.explanation,
    }
}
