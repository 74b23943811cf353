//! recall: candidates, one ranking, an explanation for every hit, and a log entry.

mod explain;
pub mod log;
pub mod ranking;
mod search;
pub mod store;
pub mod words;

pub use search::search;

use crate::api::{AgentId, K_MAX, NothingReason, QUERY_MAX, Ranking, RecallRequest, RecallResponse, RetrievalId, Scope};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::op::{Actor, OpContext, Tenancy};
use ranking::{Floors, Order, Ranked};
use std::collections::BTreeMap;
use store::{Narrowing, Reach, Statistics};

/// Candidates that the log keeps beyond the hits: the near misses.
const NEAR_MISSES: u32 = 5;

/// Answers a question from the agent's memory and the commons.
///
/// # Errors
/// `Forbidden` without `memory:read`, `Invalid` for an empty or over-long query or a `k` outside 1..=100, `Unavailable` when the
/// database is out of reach. A model that is out of reach is no error: words must do, and the answer says so.
pub async fn recall(engine: &Engine, ctx: &OpContext, request: RecallRequest) -> Result<RecallResponse, Error> {
    let start = tokio::time::Instant::now();
    let agent = ctx.agent_id()?;
    ctx.require(Scope::MemoryRead)?;
    let user_missing = matches!(ctx.actor, Actor::Agent { require_user: true, .. }) && request.user_id.is_none();
    Checks::default()
        .bytes("query", &request.query, QUERY_MAX)
        .that((1..=K_MAX).contains(&request.k), "k", format!("is {}; it may be 1 to {K_MAX}", request.k))
        .that(!user_missing, "user_id", "is required for this agent")
        .optional_text("filters.platform", request.filters.platform.as_deref(), 64)
        .done()?;
    let reach = Reach {
        tenant: ctx.tenant_id,
        agents: &[agent, ctx.commons_id],
        user: Some(request.user_id),
        filters: Narrowing::Agent(&request.filters),
        now: engine.clock().now(),
    };
    let most = i64::from(request.k + NEAR_MISSES);
    let mut found = find(engine, ctx.tenancy(), &request.query, request.ranking.unwrap_or(Ranking::Decay), reach, most).await?;
    let k = usize::try_from(request.k).unwrap_or(usize::MAX);
    let (returned, logged) = (found.order.passed.len().min(k), found.log_candidates(k));
    found.order.passed.truncate(k);
    let reason = (returned == 0).then(|| found.reason());
    let response = RecallResponse {
        retrieval_id: RetrievalId(engine.clock().id()),
        hits: Vec::new(),
        query_canonical: found.query_canonical.clone(),
        ranking: found.ranking,
        zero_hit: returned == 0,
        reason,
        degraded: found.degraded.clone(),
    };
    let took = start.elapsed();
    engine.log().write(entry(engine, ctx, agent, &request, &found, &response, logged, took.as_secs_f64() * 1000.0));
    count(&request, &found, agent, returned, reason, took);
    let (asked, commons, now) = (found.asked, ctx.commons_id, found.now);
    let hits = found.order.passed.into_iter().map(|ranked| explain::hit(ranked, &asked, commons, now)).collect();
    Ok(RecallResponse { hits, ..response })
}

/// What a search came to, before it is cut and told.
struct Finding {
    order: Order,
    ranking: Ranking,
    floors: Floors,
    query_canonical: Option<String>,
    vocabulary_version: i64,
    asked: BTreeMap<String, u32>,
    statistics: Statistics,
    degraded: Vec<String>,
    passed: i64,
    considered: i64,
    now: chrono::DateTime<chrono::Utc>,
}

/// Looks the query up in the vocabulary, embeds it, gathers candidates and ranks them. It counts nothing and logs nothing.
async fn find(engine: &Engine, tenancy: Tenancy, query: &str, ranking: Ranking, reach: Reach<'_>, most: i64) -> Result<Finding, Error> {
    let mut degraded = Vec::new();
    let (query_canonical, vocabulary_version) = match engine.vocabulary().snapshot(&engine.db().kb, tenancy).await {
        Ok(snapshot) => {
            let resolved = snapshot.resolve(query);
            (resolved.is_canonical.then_some(resolved.topic), snapshot.version)
        }
        Err(error) => {
            tracing::warn!(%error, "recalling without the vocabulary");
            degraded.push("vocabulary".to_owned());
            (None, 0)
        }
    };
    let text = query_canonical.as_deref().unwrap_or(query);
    let asked = words::terms(text);
    let vector = engine.embed_query(text).await;
    if vector.is_none() {
        degraded.push("embedding".to_owned());
    }
    let model = engine.model();
    let floors = Floors { vector: model.vector_floor, lexical: model.lexical_floor };

    let mut tx = engine.db().memory.begin(tenancy).await?;
    let by_vector = match &vector {
        Some(vector) => store::by_vector(&mut tx, &reach, &model.name, vector, floors, most).await?,
        None => store::Leg::default(),
    };
    let statistics = store::statistics(&mut tx, &reach).await?;
    let terms: Vec<String> = asked.keys().cloned().collect();
    let by_words = store::by_words(&mut tx, &reach, &terms, &statistics, floors, vector.is_some(), most).await?;
    tx.commit().await?;

    let (passed, considered) = (by_vector.passed + by_words.passed, by_vector.considered + by_words.considered);
    let candidates = by_vector.candidates.into_iter().chain(by_words.candidates).collect();
    let order = ranking::rank(ranking, candidates, floors, reach.now);
    Ok(Finding {
        order,
        ranking,
        floors,
        query_canonical,
        vocabulary_version,
        asked,
        statistics,
        degraded,
        passed,
        considered,
        now: reach.now,
    })
}

impl Finding {
    fn reason(&self) -> NothingReason {
        match (self.degraded.is_empty(), self.considered) {
            (false, _) => NothingReason::Degraded,
            (true, 0) => NothingReason::NothingFound,
            (true, _) => NothingReason::BelowFloor,
        }
    }

    /// The hits and the near misses behind them, as the log keeps them.
    fn log_candidates(&self, k: usize) -> serde_json::Value {
        let line = |(rank, ranked): (usize, &Ranked)| {
            serde_json::json!({
                "memory_id": ranked.candidate.memory.id,
                "agent_id": ranked.candidate.memory.agent_id,
                "version": ranked.candidate.memory.version,
                "similarity": ranked.breakdown.similarity,
                "recency": ranked.breakdown.recency,
                "score": ranked.score,
                "matched_by": ranked.candidate.matched_by,
                "passed": ranked.passed(),
                "rank": (ranked.passed() && rank < k).then_some(rank + 1),
            })
        };
        let near = usize::try_from(NEAR_MISSES).unwrap_or(usize::MAX);
        self.order.passed.iter().chain(&self.order.below).take(k + near).enumerate().map(line).collect()
    }
}

#[expect(clippy::too_many_arguments, reason = "one line of the log has that many sides")]
fn entry(
    engine: &Engine,
    ctx: &OpContext,
    agent: AgentId,
    request: &RecallRequest,
    found: &Finding,
    response: &RecallResponse,
    candidates: serde_json::Value,
    took_ms: f64,
) -> log::Entry {
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
        candidates,
        hits: found.order.passed.iter().map(|ranked| (ranked.candidate.memory.agent_id, ranked.candidate.memory.id)).collect(),
        zero_hit: response.zero_hit,
        reason: response.reason,
        degraded: response.degraded.clone(),
        took_ms,
    }
}

fn count(request: &RecallRequest, found: &Finding, agent: AgentId, hits: usize, reason: Option<NothingReason>, took: std::time::Duration) {
    metrics::histogram!("agent_memory_recall_seconds").record(took.as_secs_f64());
    metrics::histogram!("agent_memory_recall_hits").record(hits as f64);
    if let Some(reason) = reason.filter(|_| request.expected) {
        // Topics outside the vocabulary share one label, so that labels stay bounded.
        let topic = found.query_canonical.clone().unwrap_or_else(|| "other".into());
        let labels = [("agent_id", agent.to_string()), ("query_topic", topic)];
        metrics::counter!("agent_memory_recall_zero_hits_total", &labels).increment(1);
        tracing::warn!(agent_id = %agent, %reason, "an agent expected to know something and does not");
    }
}
