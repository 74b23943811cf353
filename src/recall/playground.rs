//! The playground: a recall that shows every step and leaves no trace.

use super::blend::Blended;
use super::find::{self, Finding};
use super::near::Silent;
use super::question::Question;
use super::scope::Scoping;
use super::store::{Narrowing, Reach};
use super::trace::{chunk_rank, memory_rank};
use super::{NEAR_MISSES, RANKING, blend, health, silence};
use crate::api::{
    AgentId, CandidateLink, K_MAX, OperatorRole, Playground, PlaygroundCandidate, PlaygroundRequest, QUERY_MAX, RecallFilters, SourceTag,
};
use crate::db::Tenancy;
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::knowledge;
use crate::memories;
use crate::op::OpContext;
use crate::ranking::Ranked;
use crate::ranking::explain;
use async_recursion::async_recursion as boxed;
use tracing::instrument;

/// Runs a recall as an agent would and shows every candidate, what the floor cut, what the vocabulary did, and how long each step took.
/// Nothing is counted or logged.
///
/// # Errors
/// `Forbidden` without the role `viewer`; `Invalid` for an empty or over-long query or a `k` outside 1..=100; `NotFound` for another
/// tenant's agent.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn playground(engine: &Engine, ctx: &OpContext, request: &PlaygroundRequest) -> Result<Playground, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    Checks::default()
        .bytes("query", &request.query, QUERY_MAX)
        .that((1..=K_MAX).contains(&request.k), "k", format!("is {}; it may be 1 to {K_MAX}", request.k))
        .done()?;
    let slugs = memories::slugs(engine, ctx).await?;
    if !slugs.contains_key(&request.agent_id) {
        return Err(Error::NotFound("agent"));
    }
    let agents = [request.agent_id, ctx.commons_id];
    let found = find(engine, ctx, request, &agents).await?;
    let list = blend::list(&found, request.k, false);

    let zero_hit = found.order.passed.is_empty();
    let (mut cause, mut near_misses) = (None, Vec::new());
    if zero_hit {
        let silent = Silent {
            tenant: ctx.tenant_id,
            agents: &agents,
            user_id: request.user_id,
            at: found.now,
            model: &engine.model().name,
            floor: found.floors.vector,
            reason: Some(found.reason()),
            considered: found.considered,
            vector: found.prepared.vector.as_deref(),
        };
        let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
        let (diagnosis, near) = silence::diagnose(&mut tx, &silent).await?;
        near_misses = health::near_misses(&mut tx, ctx, &slugs, near).await?;
        tx.commit().await?;
        cause = Some(diagnosis);
    }
    Ok(Playground {
        candidates: candidates(&found, &list, ctx.commons_id),
        query_canonical: found.query_canonical,
        terms_inside: found.inside,
        searched: found.prepared.text,
        vocabulary_version: found.vocabulary_version,
        considered: found.considered,
        passed: found.passed,
        zero_hit,
        cause,
        near_misses,
        degraded: found.degraded,
        timings: found.timings.iter().map(|(step, ms)| ((*step).to_owned(), *ms)).collect(),
        hits: list.into_iter().map(|one| one.hit(&found.prepared.terms, ctx.commons_id, found.now)).collect(),
    })
}

async fn find(engine: &Engine, ctx: &OpContext, request: &PlaygroundRequest, agents: &[AgentId]) -> Result<Finding, Error> {
    let filters = RecallFilters::default();
    let reach = Reach {
        tenancy: Tenancy { agent: request.agent_id, users: request.user_id.into(), ..ctx.tenancy() },
        agents,
        filters: Narrowing::Agent(&filters),
        now: engine.clock().now(),
    };
    let question = Question {
        query: &request.query,
        ranking: RANKING,
        reach,
        most: i64::from(request.k + NEAR_MISSES),
        knowledge: true,
        floors: None,
        scoping: Scoping::default(),
        past: None,
    };
    find::find(engine, question).await
}

/// Everything that was scored: what passed its floor first, best first.
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
