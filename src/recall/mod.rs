//! recall: candidates, one ranking, an explanation for every hit, and a log entry. And the operators' view of it.

mod agent_recall;
mod blend;
mod browse;
mod cached;
mod diagnose;
mod differences;
mod find;
mod gather;
mod health;
pub use foundation::engine::log;
pub mod near;
mod past;
pub mod period;
mod playground;
mod prepare;
mod question;
mod replay;
mod retrievals;
pub mod scope;
mod search;
mod sight;
pub mod store;
mod trace;
mod why;
pub mod zero_hit;

pub use browse::search_console;
pub use diagnose::diagnose;
pub(crate) use health::by_bar;
pub use health::{health, zero_hit, zero_hits};
pub use playground::playground;
pub(crate) use prepare::{PreparedQuestion, candidates, count_accesses, prepare, prepare_words};
pub use replay::replay;
pub use retrievals::{retrieval, retrievals, sweep};
pub(crate) use search::for_task;
pub use search::{search, without_floor};
pub(crate) use sight::Sight;
pub use why::explain;

use crate::memories::{self, Whose};
use foundation::identity::acting_for;
use foundation::{Checks, Engine, Error, OpContext};
use std::collections::HashMap;
use verb::verb;
use wire::{
    Hit, K_MAX, KeyScope, MemoryId, MemoryScope, MemoryStatus, NothingReason, QUERY_MAX, Ranking, RecallHit, RecallRequest, RecallResponse,
    RetrievalId, SourceTag, Speaker, Trust,
};
use words::guard;
use words::stems;

use chrono::{DateTime, Utc};
use find::Finding;
use foundation::registry::Floors;
use question::{Past, Question};
pub(crate) use store::Narrowing;
use store::Reach;
use trace::Answered;

/// The ranking of a recall that names none. It finds more of the expected memories than `decay`: `eval retrieval` shows how many more.
pub(crate) const RANKING: Ranking = Ranking::HybridDecay;
/// Candidates that the log keeps beyond the hits: the near misses.
const NEAR_MISSES: u32 = 5;

/// Answers a question from the agent's memory, the commons and, for keys that may read it, shared knowledge: one ranked list.
///
/// # Errors
/// `Forbidden` without `memory:read`; `Invalid` for an empty or over-long query, a `k` outside 1..=100, filters that contradict each other
/// or an `as_of` in the future or from before the history that is kept; `Unavailable` when neither memory nor knowledge is in reach. A model that is out of reach is no error: the
/// search then uses words only, and the answer says so.
#[verb]
pub async fn recall(engine: &Engine, ctx: &OpContext, request: RecallRequest) -> Result<RecallResponse, Error> {
    // Filters are about memories: a search for the decisions of one project should not return every document.
    let knowledge = ctx.require(KeyScope::KbRead).is_ok() && !request.filters.narrows();
    answer(engine, ctx, request, Mode { knowledge, floors: None, fewer: false, for_context: false }).await
}

/// The options of an answer.
struct Mode {
    knowledge: bool,
    /// Other floors than the model's.
    floors: Option<Floors>,
    /// Whether memories far below the best are dropped.
    fewer: bool,
    /// Whether it is the search behind a context before a task.
    for_context: bool,
}

/// The answer, which is logged.
async fn answer(engine: &Engine, ctx: &OpContext, request: RecallRequest, mode: Mode) -> Result<RecallResponse, Error> {
    let (response, entry) = find_answer(engine, ctx, request, mode).await?;
    if let Some(entry) = entry {
        engine.log().write(*entry);
    }
    Ok(response)
}

/// The answer, and its entry of the log, unless it is about the past.
async fn find_answer(
    engine: &Engine,
    ctx: &OpContext,
    request: RecallRequest,
    mode: Mode,
) -> Result<(RecallResponse, Option<Box<log::Entry>>), Error> {
    let start = tokio::time::Instant::now();
    // The log keeps the query.
    let request = RecallRequest { query: guard::without_secrets(request.query), ..request };
    let agent = ctx.agent_id()?;
    ctx.require(KeyScope::MemoryRead)?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    let now = engine.clock().now();
    check(&request, now)?;
    if let Some(at) = request.as_of {
        past::check(engine, ctx, agent, at, now).await?;
    }
    let scoping = scope::of(engine, ctx, &request.filters, request.as_of.unwrap_or(now)).await?;
    let reach = Reach {
        tenancy: ctx.tenancy(),
        agents: &[agent, ctx.commons_id],
        filters: Narrowing::Agent(&request.filters),
        scoping: &scoping,
        now: request.as_of.unwrap_or(now),
    };
    let question = Question {
        query: &request.query,
        ranking: request.ranking.unwrap_or(RANKING),
        reach,
        most: i64::from(request.k + NEAR_MISSES),
        knowledge: mode.knowledge,
        floors: mode.floors,
        counted: false,
        all_scored: false,
        past: request.as_of.map(Past::at),
    };
    let found = find::find(engine, question).await?;
    let list = blend::list(&found, request.k, mode.fewer);
    let zero_hit = found.order.passed.is_empty();
    let reason = if zero_hit { Some(reason(engine, ctx, &request, &found).await) } else { None };
    let response = RecallResponse {
        retrieval_id: RetrievalId(engine.clock().id()),
        hits: Vec::new(),
        query_canonical: found.query_canonical.clone(),
        ranking: found.ranking,
        zero_hit,
        reason,
        degraded: found.missing(),
    };
    let took = start.elapsed();
    // A question about the past moves no counter and is not logged: the log keeps what was asked at the time.
    let entry = request.as_of.is_none().then(|| {
        let (fewer, for_context) = (mode.fewer, mode.for_context);
        let answered = Answered { agent, request: &request, fewer, for_context, found: &found, list: &list, response: &response, took };
        if !engine.settings().backfill {
            answered.count();
        }
        Box::new(answered.entry(engine, ctx))
    });
    let mut hits: Vec<RecallHit> = list.into_iter().map(|one| one.hit(&found.prepared.terms, ctx.commons_id, found.now)).collect();
    show_marks(engine, ctx, &mut hits).await;
    show_authors(engine, ctx, &mut hits).await;
    Ok((RecallResponse { hits, ..response }, entry))
}

/// Why nothing was found: also that something of the agent waits for a review, if it holds at least half of the question's words, and two of
/// them or all.
async fn reason(engine: &Engine, ctx: &OpContext, request: &RecallRequest, found: &Finding) -> NothingReason {
    let reason = found.reason();
    let terms = &found.prepared.terms;
    if reason == NothingReason::Degraded || request.as_of.is_some() || request.filters.narrows() || terms.is_empty() {
        return reason;
    }
    let holds_half = |text: &String| {
        let held = stems::terms(text);
        let shared = terms.keys().filter(|term| held.contains_key(*term)).count();
        shared * 2 >= terms.len() && shared >= terms.len().min(2)
    };
    match memories::waiting(engine, ctx).await {
        Ok(texts) if texts.iter().any(holds_half) => NothingReason::WaitsForReview,
        Ok(_) => reason,
        Err(error) => {
            tracing::warn!(%error, "a recall is answered without what waits for a review");
            reason
        }
    }
}

/// Checks the request of an agent.
pub(super) fn check(request: &RecallRequest, now: DateTime<Utc>) -> Result<(), Error> {
    let filters = &request.filters;
    let upside_down = filters.from.zip(filters.until).is_some_and(|(from, until)| from >= until);
    let left_out = |scope: MemoryScope| !filters.scopes.is_empty() && !filters.scopes.contains(&scope);
    let out_of_reach = filters.statuses.iter().find(|status| !matches!(status, MemoryStatus::Active | MemoryStatus::Contradicted));
    Checks::default()
        .bytes("query", &request.query, QUERY_MAX)
        .that((1..=K_MAX).contains(&request.k), "k", format!("is {}; it may be 1 to {K_MAX}", request.k))
        .optional_text("filters.platform", filters.platform.as_deref(), 64)
        .that(!upside_down, "filters.until", "must be after filters.from")
        .that(
            filters.project_id.is_none() || !left_out(MemoryScope::Project) || !left_out(MemoryScope::Repo),
            "filters.scopes",
            "must include project or repo, because filters.project_id matches only these scopes",
        )
        .that(
            filters.repo_id.is_none() || !left_out(MemoryScope::Repo),
            "filters.scopes",
            "must include repo, because filters.repo_id matches only this scope",
        )
        .that(
            out_of_reach.is_none(),
            "filters.statuses",
            format!(
                "names {}; a recall finds only active and contradicted memories",
                out_of_reach.map(ToString::to_string).unwrap_or_default()
            ),
        )
        .time("filters.from", filters.from)
        .time("filters.until", filters.until)
        .time("as_of", request.as_of)
        .that(request.as_of.is_none_or(|at| at <= now), "as_of", "must not be in the future")
        .done()
}

/// Marks the hits that a person confirmed. If that cannot be read, they stay unconfirmed.
pub(super) async fn show_reviews(engine: &Engine, ctx: &OpContext, hits: &mut [RecallHit]) {
    match memories::reviewed(engine, ctx, &ids(hits, is_others)).await {
        Ok(reviewed) => mark_reviewed(hits, &reviewed),
        Err(error) => tracing::warn!(%error, "a recall is answered without what people confirmed"),
    }
    show_authors(engine, ctx, hits).await;
}

fn mark_reviewed(hits: &mut [RecallHit], reviewed: &[MemoryId]) {
    for hit in hits {
        if let RecallHit::Memory(hit) = hit
            && reviewed.contains(&hit.memory_id)
        {
            hit.memory.provenance.confirmed = true;
            if hit.trust == Trust::Unreviewed {
                hit.memory.trust = Trust::Reviewed;
            }
        }
    }
}

fn ids(hits: &[RecallHit], is: impl Fn(&Hit) -> bool) -> Vec<MemoryId> {
    hits.iter().filter_map(RecallHit::memory).filter(|hit| is(hit)).map(|hit| hit.memory_id).collect()
}

/// Whether a person may have confirmed it: the words that an agent keeps for itself are not reviewed.
fn is_others(hit: &Hit) -> bool {
    hit.trust != Trust::Own
}

/// Adds to each hit the memories that contradict it, and marks those that a person confirmed and those that the agent wrote: in one
/// transaction, and in none if no hit needs it. If they cannot be read, the answer does not fail: the status still shows that there are some,
/// and hits stay unconfirmed.
async fn show_marks(engine: &Engine, ctx: &OpContext, hits: &mut [RecallHit]) {
    let agent = ctx.agent_id().ok();
    let disputed = ids(hits, |hit| hit.status == MemoryStatus::Contradicted);
    let (mut contradicting, reviewed) = match marks(engine, ctx, &disputed, &ids(hits, is_others)).await {
        Ok(marks) => marks,
        Err(error) => return tracing::warn!(%error, "a recall is answered without what contradicts its hits and who reviewed them"),
    };
    mark_reviewed(hits, &reviewed);
    for hit in hits {
        if let RecallHit::Memory(hit) = hit {
            hit.contradicts = contradicting.remove(&hit.memory_id).unwrap_or_default();
            if agent == Some(hit.created_by) && hit.provenance.said_by == Speaker::OtherAgent {
                hit.memory.provenance.said_by = Speaker::Agent;
            }
        }
    }
}

/// Begins each shared statement with whose it is: the organisation's if a person confirmed it or the agent wrote it, else its author's. If the
/// authors cannot be read, they have no names.
async fn show_authors(engine: &Engine, ctx: &OpContext, hits: &mut [RecallHit]) {
    let agent = ctx.agent_id().ok();
    let is_statement =
        |hit: &Hit| hit.source_tag == SourceTag::Shared && matches!(hit.provenance.said_by, Speaker::Agent | Speaker::OtherAgent);
    let is_ours = |hit: &Hit| hit.provenance.confirmed || agent == Some(hit.created_by);
    let slugs = if ids(hits, |hit| is_statement(hit) && !is_ours(hit)).is_empty() {
        Ok(HashMap::new())
    } else {
        memories::slugs(engine, ctx).await
    };
    let slugs = slugs.unwrap_or_else(|error| {
        tracing::warn!(%error, "a recall is answered without the names of agents");
        HashMap::new()
    });
    for hit in hits {
        if let RecallHit::Memory(hit) = hit
            && is_statement(hit)
        {
            let whose = if is_ours(hit) { Whose::Ours } else { Whose::Agent(slugs.get(&hit.created_by).map(String::as_str)) };
            hit.attribution = memories::statement(whose, hit.observed_at.unwrap_or(hit.created_at), &hit.provenance);
        }
    }
}

/// The memories that contradict each of the `disputed` ones, and those of the `others` that a person confirmed.
async fn marks(
    engine: &Engine,
    ctx: &OpContext,
    disputed: &[MemoryId],
    others: &[MemoryId],
) -> Result<(HashMap<MemoryId, Vec<MemoryId>>, Vec<MemoryId>), Error> {
    let (mut contradicting, mut reviewed): (HashMap<_, Vec<_>>, _) = (HashMap::new(), Vec::new());
    if disputed.is_empty() && others.is_empty() {
        return Ok((contradicting, reviewed));
    }
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if !disputed.is_empty() {
        let agents = [ctx.agent_id()?, ctx.commons_id];
        for (id, other) in memories::store::contradictions(&mut tx, ctx.tenancy(), &agents, disputed, engine.clock().now()).await? {
            contradicting.entry(id).or_default().push(other);
        }
    }
    if !others.is_empty() {
        reviewed = memories::store::reviewed(&mut tx, ctx.tenancy(), others).await?;
    }
    tx.commit().await?;
    Ok((contradicting, reviewed))
}
