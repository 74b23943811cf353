//! Recall health: how often recall finds nothing, and why. For operators.

use super::near::Near;
use super::period::{Bars, Period};
use super::store::{self, Recalls, Share, ZeroHitRow};
use crate::memories::{self, model::Memory};
use db::cursor::{Cursor, Seek};
use db::{DbError, Planned, Tx};
use foundation::{Engine, Error, OpContext};
use std::collections::HashMap;
use verb::verb;
use wire::{
    AgentId, BarUnit, HealthBar, HealthFilter, MemoryId, NearMiss, OperatorRole, Page, RecallCounts, RecallHealth, RetrievalId, ZeroHit,
};

/// Zero hits on one page of the console.
const PAGE: usize = 25;
/// Agents and topics shown.
const MOST: i64 = 10;

/// How often recall came back empty, by hour or day, cause, agent and topic, how many memories were stored meanwhile, and which agents recall
/// without a memory of their own.
///
/// # Errors
/// `Forbidden` without the role `viewer`; `Invalid` for a period that is not offered, and for a day or an hour outside of it.
#[verb]
pub async fn health(engine: &Engine, ctx: &OpContext, filter: &HealthFilter) -> Result<RecallHealth, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    let now = engine.clock().now();
    let Period { unit, chart, counted } = Period::of(filter, now, ctx.zone)?;
    let slugs = memories::slugs(engine, ctx).await?;
    let recalls = Recalls { tenant: ctx.tenant_id, span: chart, filter };
    let ids: &[AgentId] = &slugs.keys().copied().collect::<Vec<_>>();
    let read = |mut tx: Tx| async move {
        let bars = by_bar(&mut tx, recalls, unit).await?;
        let counts = memories::store::counts(&mut tx, ctx.tenant_id, ids, now).await?;
        let empty: Vec<AgentId> = counts.into_iter().filter(|counts| counts.live == 0).map(|counts| counts.agent_id).collect();
        let shares = store::shares(&mut tx, Recalls { span: counted, ..recalls }, MOST, &empty).await?;
        let last_write = memories::store::last_write(&mut tx, ctx.tenant_id, filter.agent_id).await?;
        tx.commit().await?;
        Ok::<_, Error>((bars, empty, shares, last_write))
    };
    let (bars, empty, shares, last_write) = ctx.read(&engine.db().memory, Planned::Once, read).await?;
    let (mut totals, mut causes, mut agents, mut topics) = (RecallCounts::default(), Vec::new(), Vec::new(), Vec::new());
    for Share { part, agent_id, topic, cause, counts } in shares {
        match (part.as_str(), agent_id, topic, cause) {
            ("all", ..) => totals = counts,
            ("agent", Some(id), ..) => agents.push((id, slugs.get(&id).cloned().unwrap_or_default(), counts)),
            ("topic", _, Some(topic), _) => topics.push((topic, counts)),
            ("cause", _, _, Some(cause)) if counts.zero_hits > 0 => causes.push((cause, counts.zero_hits)),
            _ => {}
        }
    }
    let without_memories = agents.iter().filter(|(id, ..)| empty.contains(id)).map(|(id, slug, _)| (*id, slug.clone())).collect();
    agents.truncate(MOST as usize);
    Ok(RecallHealth { totals, unit, bars, last_write, causes, agents, topics, without_memories })
}

/// The hours or days of a span with their recalls and the memories stored, oldest first. Of the filter, only the agent narrows the latter.
pub(crate) async fn by_bar(tx: &mut Tx, recalls: Recalls<'_>, unit: BarUnit) -> Result<Vec<HealthBar>, DbError> {
    let counts = store::by_bar(tx, recalls, unit).await?;
    let Bars { starts, ends } = recalls.span.bars(unit);
    let stored = memories::store::stored_by(tx, recalls.tenant, recalls.filter.agent_id, &starts, &ends).await?;
    Ok(counts.into_iter().zip(stored).map(|((from, recalls), stored)| HealthBar { from, recalls, stored }).collect())
}

/// A page of recalls that found nothing, newest first, each with what was closest.
///
/// # Errors
/// `Forbidden` without the role `viewer`; `Invalid` for a period that is not offered, a day or an hour outside of it, or a foreign cursor.
#[verb]
pub async fn zero_hits(engine: &Engine, ctx: &OpContext, filter: &HealthFilter) -> Result<Page<ZeroHit>, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    let span = Period::of(filter, engine.clock().now(), ctx.zone)?.counted;
    let seek = &Seek::from_parameters(filter.after.as_deref(), filter.before.as_deref())?;
    let slugs = memories::slugs(engine, ctx).await?;
    let recalls = Recalls { tenant: ctx.tenant_id, span, filter };
    let read = |mut tx: Tx| async move {
        let total = store::count_zero_hits(&mut tx, recalls).await?;
        let rows = store::list_zero_hits(&mut tx, recalls, seek, PAGE).await?;
        let page = seek.clone().page(rows, PAGE, total, |row: &ZeroHitRow| Cursor { key: row.at, id: row.id.0 });
        let near: Vec<Near> = page.rows.iter().flat_map(|row| row.near_misses.0.iter().cloned()).collect();
        let known = known(&mut tx, ctx, &near).await?;
        tx.commit().await?;
        Ok::<_, Error>((page, known))
    };
    let (page, known) = ctx.read(&engine.db().memory, Planned::ByPostgres, read).await?;
    Ok(page.map(|row| with_near_misses(row, &known, &slugs)))
}

/// Why one recall found nothing, and what was closest; nothing if it found something.
#[verb(role = Viewer)]
pub async fn zero_hit(engine: &Engine, ctx: &OpContext, id: RetrievalId) -> Result<Option<ZeroHit>, Error> {
    let slugs = memories::slugs(engine, ctx).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let row = store::zero_hit(&mut tx, ctx.tenant_id, id).await?;
    let near = row.as_ref().map(|row| row.near_misses.0.as_slice()).unwrap_or_default();
    let known = known(&mut tx, ctx, near).await?;
    tx.commit().await?;
    Ok(row.map(|row| with_near_misses(row, &known, &slugs)))
}

fn with_near_misses(row: ZeroHitRow, known: &HashMap<MemoryId, Memory>, slugs: &HashMap<AgentId, String>) -> ZeroHit {
    ZeroHit {
        retrieval_id: row.id,
        at: row.at,
        agent_slug: slugs.get(&row.agent_id).cloned().unwrap_or_default(),
        agent_id: row.agent_id,
        user_id: row.user_id,
        query: row.query,
        query_canonical: row.query_canonical,
        filters: row.filters,
        expected: row.expected,
        cause: row.cause,
        degraded: row.degraded,
        near_misses: row.near_misses.0.into_iter().map(|near| near_miss(near, known, slugs)).collect(),
        knowledge_hits: i64::from(row.knowledge_hits),
    }
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
        deleted_by: memory.and_then(|memory| memory.deleted_by.clone()),
        delete_reason: memory.and_then(|memory| memory.delete_reason.clone()),
    }
}
