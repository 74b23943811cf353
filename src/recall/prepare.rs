//! A question, prepared for the sources of `search_my_memories`; and the memories that answer it.

use super::find;
use super::question::{Lost, Question};
use super::scope::{self, Scoping};
use super::store::{Narrowing, Reach};
use super::{RANKING, log};
use crate::knowledge::PreparedQuery;
use crate::ranking::Ranked;
use foundation::registry::Floors;
use foundation::{Engine, Error, OpContext};
use std::time::Duration;
use wire::{AgentId, DegradedPart, MemoryId};

/// How long the vocabulary may take before a question is searched as it was asked.
const VOCABULARY: Duration = Duration::from_millis(500);

/// A question with its canonical form and its vector.
pub(crate) struct PreparedQuestion {
    /// As it was asked.
    query: String,
    pub prepared: PreparedQuery,
    /// Parts that could not run.
    pub degraded: Vec<DegradedPart>,
}

/// Looks a question up in the vocabulary and embeds it, both within limits: it never fails.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn prepare(engine: &Engine, ctx: &OpContext, query: &str) -> PreparedQuestion {
    let (text, mut degraded) = look_up(engine, ctx, query).await;
    let prepared = PreparedQuery::new(engine, ctx.into(), text).await.or_by_words_of(query);
    degraded.extend(prepared.missing());
    PreparedQuestion { query: query.to_owned(), prepared, degraded }
}

/// Looks a question up in the vocabulary for a search by words alone: it never fails.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn prepare_words(engine: &Engine, ctx: &OpContext, query: &str) -> PreparedQuestion {
    let (text, degraded) = look_up(engine, ctx, query).await;
    PreparedQuestion { query: query.to_owned(), prepared: PreparedQuery::words(text).or_by_words_of(query), degraded }
}

/// The text to search for, and the vocabulary if that could not be asked in time.
async fn look_up(engine: &Engine, ctx: &OpContext, query: &str) -> (String, Vec<DegradedPart>) {
    let snapshot = tokio::time::timeout(VOCABULARY, engine.vocabulary().snapshot(&engine.db().kb, ctx.tenancy())).await;
    let snapshot = match snapshot {
        Ok(Ok(snapshot)) => Some(snapshot),
        Ok(Err(error)) => {
            tracing::warn!(%error, "searching without the vocabulary");
            None
        }
        Err(_) => None,
    };
    let degraded = if snapshot.is_none() { vec![DegradedPart::Vocabulary] } else { vec![] };
    let (canonical, inside) = snapshot.map(|snapshot| find::names(&snapshot, query)).unwrap_or_default();
    (find::searched(query, canonical.as_deref(), &inside), degraded)
}

/// The memories of some agents that the caller may see, that answer a prepared question and reach a floor, best first by the ranking of
/// recalls. Nothing is counted or logged.
///
/// # Errors
/// When the database is out of reach.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn candidates(
    engine: &Engine,
    ctx: &OpContext,
    agents: &[AgentId],
    question: &PreparedQuestion,
    filters: Narrowing<'_>,
    floors: Floors,
    most: usize,
) -> Result<Vec<Ranked>, Error> {
    let now = engine.clock().now();
    let scoping = match &filters {
        Narrowing::Agent(filters) => scope::of(engine, ctx, filters, now).await?,
        Narrowing::Decisions | Narrowing::Console(_) => Scoping::default(),
    };
    let reach = Reach { tenancy: ctx.tenancy(), agents, filters, scoping: &scoping, now };
    let search = Question {
        query: &question.query,
        ranking: RANKING,
        reach,
        most: i64::try_from(most).unwrap_or(i64::MAX),
        all_scored: false,
        knowledge: false,
        floors: Some(floors),
        counted: false,
        past: None,
    };
    let floors = find::floors_of(&question.prepared, floors);
    let found = find::in_memory(engine, ctx.tenancy(), &search, &question.prepared, floors, &mut Lost::default()).await?;
    Ok(found.order.passed)
}

/// Counts memories as returned, through the queue of the log.
pub(crate) fn count_accesses(engine: &Engine, ctx: &OpContext, memories: &[(AgentId, MemoryId)]) {
    if memories.is_empty() || engine.settings().backfill {
        return;
    }
    let now = engine.clock().now();
    let access =
        |(agent_id, memory_id): &(AgentId, MemoryId)| log::Access { agent_id: *agent_id, memory_id: *memory_id, count: 1, last: now };
    engine.log().count(ctx.tenancy(), memories.iter().map(access).collect());
}
