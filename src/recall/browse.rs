//! The console's search: the retrieval that agents use, without a trace.

use super::RANKING;
use super::find;
use super::question::Question;
use super::scope::Scoping;
use super::store::{Narrowing, Reach};
use crate::memories;
use crate::ranking::explain;
use foundation::{Checks, Engine, Error, OpContext, identity};
use verb::verb;
use wire::{AgentId, MemoryFilter, OperatorRole, QUERY_MAX, SearchHit, SearchResults, UserRef};

/// Most hits.
const HITS: i64 = 100;

/// Searches the memories that one agent recalls, its own and the shared ones, or the memories of all agents, for `filter.q`. No counter moves
/// and nothing is logged.
///
/// # Errors
/// `Forbidden` without the role `viewer`; `Invalid` for an empty or over-long query, an invalid filter, or a search among deleted memories,
/// which have no words and no vectors in reach.
#[verb]
pub async fn search_console(engine: &Engine, ctx: &OpContext, filter: &MemoryFilter) -> Result<SearchResults, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    memories::check_filter(filter)?;
    let query = filter.q.as_deref().unwrap_or_default();
    Checks::default()
        .bytes("q", query, QUERY_MAX)
        .that(filter.deleted != Some(true), "deleted", "cannot be combined with a search: a search does not find deleted memories")
        .done()?;
    let slugs = memories::slugs(engine, ctx).await?;
    let agents: Vec<AgentId> = match filter.agent_id {
        Some(agent) if agent != ctx.commons_id && slugs.contains_key(&agent) => vec![agent, ctx.commons_id],
        Some(agent) => vec![agent],
        None => slugs.keys().copied().collect(),
    };
    // The agents are in the reach; as a filter, the agent would leave out what is shared.
    let user_id = identity::person(engine, ctx, filter.user_id.as_ref()).await?.map(UserRef::Id);
    let narrowing = MemoryFilter { agent_id: None, user_id, ..filter.clone() };
    let (filters, scoping, now) = (Narrowing::Console(&narrowing), Scoping::default(), engine.clock().now());
    let reach = Reach { tenancy: ctx.tenancy(), agents: &agents, filters, scoping: &scoping, now };
    let question = Question {
        query,
        ranking: RANKING,
        reach,
        most: HITS,
        knowledge: false,
        all_scored: false,
        floors: None,
        counted: true,
        past: None,
    };
    let found = find::find(engine, question).await?;
    let nearest = found.order.below.first().map(|ranked| ranked.breakdown.similarity).filter(|_| found.order.passed.is_empty());
    let hit = |ranked: crate::ranking::Ranked| {
        let matched_words = explain::matched(&ranked, &found.prepared.terms);
        let explanation = explain::sentence(&ranked, &matched_words, found.now);
        SearchHit {
            score: ranked.score,
            breakdown: ranked.breakdown,
            matched_by: ranked.matched_by,
            memory: memories::with_slug(ranked.candidate.memory, &slugs),
            matched_words,
            explanation,
        }
    };
    Ok(SearchResults {
        degraded: found.missing(),
        hits: found.order.passed.into_iter().take(usize::try_from(HITS).unwrap_or(usize::MAX)).map(hit).collect(),
        passed: found.totals.map_or(0, |totals| totals.passed),
        more: found.totals.is_some_and(|totals| totals.more),
        memories: found.totals.map_or(0, |totals| totals.memories),
        nearest,
        floor: found.floors.vector,
        query_canonical: found.query_canonical,
        agents,
    })
}
