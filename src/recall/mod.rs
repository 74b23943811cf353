//! recall: candidates, one ranking, an explanation for every hit, and a log entry. And what operators ask about it.

mod blend;
mod explain;
mod find;
mod health;
pub mod log;
mod past;
mod playground;
pub mod ranking;
mod replay;
mod retrievals;
mod search;
pub mod silence;
pub mod store;
pub mod words;

pub(crate) use health::{add, last_days};
pub use health::{health, zero_hits};
pub use playground::playground;
pub use replay::replay;
pub use retrievals::{keep_swept, retrieval, retrievals, sweep};
pub use search::search;

use crate::api::{
    AgentId, K_MAX, MemoryStatus, NothingReason, QUERY_MAX, Ranking, RecallFilters, RecallHit, RecallRequest, RecallResponse, RetrievalId,
    Scope, UserId,
};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::memories;
use crate::op::{Actor, OpContext};
use crate::vocabulary::Moment;
use blend::Blended;
use find::{Finding, Past, Question};
use ranking::Ranked;
use store::{Narrowing, Reach};

/// Candidates that the log keeps beyond the hits: the near misses.
const NEAR_MISSES: u32 = 5;

/// Answers a question from the agent's memory, the commons and, for keys that may read it, shared knowledge: one ranked list.
///
/// # Errors
/// `Forbidden` without `memory:read`, `Invalid` for an empty or over-long query or a `k` outside 1..=100, `Unavailable` when neither memory
/// nor knowledge is in reach. A model that is out of reach is no error: words must do, and the answer says so.
pub async fn recall(engine: &Engine, ctx: &OpContext, request: RecallRequest) -> Result<RecallResponse, Error> {
    let start = tokio::time::Instant::now();
    let agent = ctx.agent_id()?;
    ctx.require(Scope::MemoryRead)?;
    let now = engine.clock().now();
    let user_missing = matches!(ctx.actor, Actor::Agent { require_user: true, .. }) && request.user_id.is_none();
    Checks::default()
        .bytes("query", &request.query, QUERY_MAX)
        .that((1..=K_MAX).contains(&request.k), "k", format!("is {}; it may be 1 to {K_MAX}", request.k))
        .that(!user_missing, "user_id", "is required for this agent")
        .optional_text("filters.platform", request.filters.platform.as_deref(), 64)
        .that(request.as_of.is_none_or(|at| at <= now), "as_of", "lies in the future")
        .done()?;
    let reach = Reach {
        tenant: ctx.tenant_id,
        agents: &[agent, ctx.commons_id],
        user: Some(request.user_id),
        filters: Narrowing::Agent(&request.filters),
        now: request.as_of.unwrap_or(now),
    };
    let past = request.as_of.map(|at| Past { vocabulary: Moment::At(at), floors: None, without: vec![] });
    let question = Question {
        query: &request.query,
        ranking: request.ranking.unwrap_or(Ranking::Decay),
        reach,
        most: i64::from(request.k + NEAR_MISSES),
        // Filters speak of memories: who asks for decisions of one project does not want every document.
        knowledge: ctx.require(Scope::KbRead).is_ok() && request.filters == RecallFilters::default(),
        past,
    };
    let found = find::find(engine, ctx.tenancy(), question).await?;
    let k = usize::try_from(request.k).unwrap_or(usize::MAX);
    let mut list = blend::blend(found.order.passed.clone(), found.knowledge.clone());
    list.truncate(k);
    let remembered = found.order.passed.len();
    let zero_hit = remembered == 0;
    let response = RecallResponse {
        retrieval_id: RetrievalId(engine.clock().id()),
        hits: Vec::new(),
        query_canonical: found.query_canonical.clone(),
        ranking: found.ranking,
        zero_hit,
        reason: zero_hit.then(|| found.reason()),
        degraded: found.degraded.clone(),
    };
    let took = start.elapsed();
    // Who asks about the past learns nothing new about what is: no counter moves, and the log keeps what was asked at the time.
    if request.as_of.is_none() {
        engine.log().write(entry(engine, ctx, agent, &request, &found, &response, &list, took.as_secs_f64() * 1000.0));
        count(&request, &found, agent, &list, response.reason, took);
    }
    let mut hits: Vec<RecallHit> = list.into_iter().map(|one| one.hit(&found.asked.terms, ctx.commons_id, found.now)).collect();
    show_contradictions(engine, ctx, request.user_id, &mut hits).await;
    Ok(RecallResponse { hits, ..response })
}

/// Notes beside each hit what says otherwise. An answer does not fail for want of it: the status says that there is something.
async fn show_contradictions(engine: &Engine, ctx: &OpContext, user: Option<UserId>, hits: &mut [RecallHit]) {
    let contradicted = |hit: &RecallHit| hit.memory().filter(|hit| hit.status == MemoryStatus::Contradicted).map(|hit| hit.memory_id);
    let ids: Vec<_> = hits.iter().filter_map(contradicted).collect();
    let mut found = match memories::contradictions(engine, ctx, user, &ids).await {
        Ok(found) => found,
        Err(error) => return tracing::warn!(%error, "answering without saying what contradicts the hits"),
    };
    for hit in hits {
        if let RecallHit::Memory(hit) = hit {
            hit.contradicts = found.remove(&hit.memory_id).unwrap_or_default();
        }
    }
}

fn rank_in(list: &[Blended], is: impl Fn(&Blended) -> bool) -> Option<u32> {
    list.iter().position(is).and_then(|place| u32::try_from(place + 1).ok())
}

fn memory_rank(list: &[Blended], ranked: &Ranked) -> Option<u32> {
    rank_in(list, |one| matches!(one, Blended::Memory(listed) if listed.candidate.memory.id == ranked.candidate.memory.id))
}

fn chunk_rank(list: &[Blended], candidate: &crate::knowledge::Candidate) -> Option<u32> {
    rank_in(list, |one| matches!(one, Blended::Knowledge(listed) if listed.found.chunk_id == candidate.found.chunk_id))
}

/// What the log keeps of memories: those returned and the nearest of the others.
fn logged(found: &Finding, list: &[Blended], most: usize) -> Vec<log::Candidate> {
    let candidate = |ranked: &Ranked| log::Candidate {
        memory_id: ranked.candidate.memory.id,
        agent_id: ranked.candidate.memory.agent_id,
        version: ranked.candidate.memory.version,
        similarity: ranked.breakdown.similarity,
        recency: ranked.breakdown.recency,
        score: ranked.score,
        matched_by: ranked.matched_by,
        passed: ranked.passed(),
        rank: memory_rank(list, ranked),
    };
    found.order.passed.iter().chain(&found.order.below).take(most).map(candidate).collect()
}

/// Likewise of knowledge.
fn logged_chunks(found: &Finding, list: &[Blended], most: usize) -> Vec<log::Chunk> {
    let chunk = |candidate: &crate::knowledge::Candidate| log::Chunk {
        document_id: candidate.found.document_id,
        chunk_id: candidate.found.chunk_id,
        similarity: candidate.similarity,
        matched_by: candidate.matched_by,
        passed: candidate.passed(),
        rank: chunk_rank(list, candidate),
    };
    found.knowledge.iter().take(most).map(chunk).collect()
}

#[expect(clippy::too_many_arguments, reason = "one line of the log has that many sides")]
fn entry(
    engine: &Engine,
    ctx: &OpContext,
    agent: AgentId,
    request: &RecallRequest,
    found: &Finding,
    response: &RecallResponse,
    list: &[Blended],
    took_ms: f64,
) -> log::Entry {
    let most = usize::try_from(request.k + NEAR_MISSES).unwrap_or(usize::MAX);
    log::Entry {
        tenancy: ctx.tenancy(),
        agent_id: agent,
        id: response.retrieval_id,
        at: found.now,
        user_id: request.user_id,
        query: request.query.clone(),
        query_canonical: found.query_canonical.clone(),
        k: request.k,
        expected: request.expected,
        ranking: found.ranking,
        filters: serde_json::to_value(&request.filters).unwrap_or_default(),
        model: engine.model().name.clone(),
        floors: found.floors,
        vocabulary_version: found.vocabulary_version,
        statistics: serde_json::to_value(&found.statistics).unwrap_or_default(),
        candidates: logged(found, list, most),
        knowledge: logged_chunks(found, list, most),
        zero_hit: response.zero_hit,
        reason: response.reason,
        considered: found.considered,
        vector: found.asked.vector.clone().filter(|_| response.zero_hit),
        degraded: response.degraded.clone(),
        took_ms,
    }
}

fn count(
    request: &RecallRequest,
    found: &Finding,
    agent: AgentId,
    list: &[Blended],
    reason: Option<NothingReason>,
    took: std::time::Duration,
) {
    let knowledge = list.iter().filter(|one| matches!(one, Blended::Knowledge(_))).count();
    metrics::histogram!("agent_memory_recall_seconds").record(took.as_secs_f64());
    metrics::histogram!("agent_memory_recall_hits").record((list.len() - knowledge) as f64);
    metrics::histogram!("agent_memory_recall_knowledge_hits").record(knowledge as f64);
    metrics::counter!("agent_memory_recall_floor_cuts_total").increment((found.considered - found.passed).max(0).unsigned_abs());
    for part in &found.degraded {
        metrics::counter!("agent_memory_recall_degraded_total", "part" => part.clone()).increment(1);
    }
    if let Some(reason) = reason.filter(|_| request.expected) {
        // Topics outside the vocabulary share one label, so that labels stay bounded.
        let topic = found.query_canonical.clone().unwrap_or_else(|| "other".into());
        let labels = [("agent_id", agent.to_string()), ("query_topic", topic)];
        metrics::counter!("agent_memory_recall_zero_hits_total", &labels).increment(1);
        tracing::warn!(agent_id = %agent, %reason, "an agent expected to know something and does not");
    }
}
