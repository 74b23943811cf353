//! Recall health: how often recall finds nothing, and why. For operators.

use super::near::Near;
use super::store::{self, Counted, SilentRow};
use crate::api::{AgentId, HealthFilter, MemoryId, NearMiss, OperatorRole, Page, RecallHealth, Silence, TOPIC_MAX, ZeroHit};
use crate::db::Tx;
use crate::db::cursor::{Cursor, Seek};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::memories::{self, model::Memory};
use crate::op::OpContext;
use async_recursion::async_recursion as boxed;
use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use std::collections::{BTreeMap, HashMap};
use tracing::instrument;

/// Zero hits on one page of the console.
const PAGE: usize = 25;
/// Topics shown.
const TOPICS: usize = 10;
/// Periods, in days.
const PERIODS: [u32; 3] = [7, 30, 90];

/// How often recall came back empty, by day, cause, agent and topic.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for a period that is not offered.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn health(engine: &Engine, ctx: &OpContext, filter: &HealthFilter) -> Result<RecallHealth, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    let (first, today) = period(engine, filter)?;
    let slugs = memories::slugs(engine, ctx).await?;
    let since = first.and_time(NaiveTime::MIN).and_utc();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let rows = store::grouped(&mut tx, ctx.tenant_id, since, filter).await?;
    let causes = store::causes(&mut tx, ctx.tenant_id, since, filter).await?;
    tx.commit().await?;
    let mut totals = Silence::default();
    let mut days: BTreeMap<NaiveDate, Silence> =
        first.iter_days().take_while(|day| *day <= today).map(|day| (day, Silence::default())).collect();
    let (mut agents, mut topics) = (BTreeMap::<AgentId, Silence>::new(), BTreeMap::<String, Silence>::new());
    for row in rows {
        add(&mut totals, &row.counted);
        add(days.entry(row.day).or_default(), &row.counted);
        add(agents.entry(row.agent_id).or_default(), &row.counted);
        add(topics.entry(row.topic).or_default(), &row.counted);
    }
    let mut agents: Vec<_> = agents.into_iter().map(|(id, counts)| (id, slugs.get(&id).cloned().unwrap_or_default(), counts)).collect();
    agents.sort_by(|a, b| (b.2.zero_hits, b.2.recalls).cmp(&(a.2.zero_hits, a.2.recalls)).then_with(|| a.1.cmp(&b.1)));
    let mut topics: Vec<_> = topics.into_iter().collect();
    topics.sort_by(|a, b| (b.1.zero_hits, b.1.recalls).cmp(&(a.1.zero_hits, a.1.recalls)).then_with(|| a.0.cmp(&b.0)));
    topics.truncate(TOPICS);
    Ok(RecallHealth { totals, days: days.into_iter().collect(), causes, agents, topics })
}

/// A page of recalls that found nothing, newest first, each with what was closest.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for a period that is not offered or a foreign cursor.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn zero_hits(engine: &Engine, ctx: &OpContext, filter: &HealthFilter) -> Result<Page<ZeroHit>, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    let (first, _) = period(engine, filter)?;
    let seek = Seek::from_parameters(filter.after.as_deref(), filter.before.as_deref())?;
    let slugs = memories::slugs(engine, ctx).await?;
    let since = first.and_time(NaiveTime::MIN).and_utc();
    let mut tx = engine.db().memory.begin_snapshot(ctx.tenancy()).await?;
    let total = store::count_silent(&mut tx, ctx.tenant_id, since, filter).await?;
    let rows = store::list_silent(&mut tx, ctx.tenant_id, since, filter, &seek, PAGE).await?;
    let page = seek.page(rows, PAGE, total, |row: &SilentRow| Cursor { key: row.at, id: row.id.0 });
    let near: Vec<Near> = page.rows.iter().flat_map(|row| row.near_misses.0.iter().cloned()).collect();
    let known = known(&mut tx, ctx, &near).await?;
    tx.commit().await?;
    Ok(page.map(|row| ZeroHit {
        retrieval_id: row.id,
        at: row.at,
        agent_slug: slugs.get(&row.agent_id).cloned().unwrap_or_default(),
        agent_id: row.agent_id,
        user_id: row.user_id,
        query: row.query,
        query_canonical: row.query_canonical,
        expected: row.expected,
        cause: row.cause,
        degraded: row.degraded,
        near_misses: row.near_misses.0.into_iter().map(|near| near_miss(near, &known, &slugs)).collect(),
        knowledge_hits: i64::from(row.knowledge_hits),
    }))
}

/// Near misses with their current topics.
pub(super) async fn near_misses(
    tx: &mut Tx,
    ctx: &OpContext,
    slugs: &HashMap<AgentId, String>,
    near: Vec<Near>,
) -> Result<Vec<NearMiss>, Error> {
    let known = known(tx, ctx, &near).await?;
    Ok(near.into_iter().map(|near| near_miss(near, &known, slugs)).collect())
}

/// What near misses are now.
async fn known(tx: &mut Tx, ctx: &OpContext, near: &[Near]) -> Result<HashMap<MemoryId, Memory>, Error> {
    let mut ids: Vec<MemoryId> = near.iter().map(|near| near.memory_id).collect();
    ids.sort_unstable();
    ids.dedup();
    let memories = memories::store::by_ids(tx, ctx.tenancy(), None, &ids, false).await?;
    Ok(memories.into_iter().map(|memory| (memory.id, memory)).collect())
}

fn near_miss(near: Near, known: &HashMap<MemoryId, Memory>, slugs: &HashMap<AgentId, String>) -> NearMiss {
    let memory = known.get(&near.memory_id);
    NearMiss {
        memory_id: near.memory_id,
        agent_slug: slugs.get(&near.agent_id).cloned().unwrap_or_default(),
        topic: memory.map(|memory| memory.topic.clone()).unwrap_or_default(),
        similarity: near.similarity,
        floor: near.floor,
        state: near.state,
        restorable: memory.is_some_and(|memory| memory.deleted_at.is_some() || memory.archived_at.is_some()),
    }
}

/// First and last day, both included.
fn period(engine: &Engine, filter: &HealthFilter) -> Result<(NaiveDate, NaiveDate), Error> {
    let days = filter.days.unwrap_or(30);
    Checks::default()
        .that(PERIODS.contains(&days), "days", "is one of 7, 30, 90")
        .optional_text("topic", filter.topic.as_deref(), TOPIC_MAX)
        .done()?;
    Ok(last_days(engine.clock().now(), days))
}

/// The last `days` days (UTC) up to `now`: first and last.
pub(crate) fn last_days(now: DateTime<Utc>, days: u32) -> (NaiveDate, NaiveDate) {
    let today = now.date_naive();
    (today.checked_sub_days(Days::new(u64::from(days.saturating_sub(1)))).unwrap_or(today), today)
}

/// Adds counts.
pub(crate) fn add(silence: &mut Silence, counted: &Counted) {
    silence.recalls += counted.recalls;
    silence.zero_hits += counted.zero_hits;
    silence.expected += counted.expected;
    silence.expected_zero_hits += counted.expected_zero_hits;
}
