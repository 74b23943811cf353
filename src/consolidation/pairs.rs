//! Decisions about what is proposed for two memories.

use super::place::lock_keys;
use super::promote::{make_durable, merge};
use super::store;
use crate::api::{MemoryId, MemoryStatus, OperatorRole, PairId, PairRelation, Relation};
use crate::audit::{self, NewEntry};
use crate::db::Tx;
use crate::engine::Engine;
use crate::error::Error;
use crate::jobs::{self, NewEvent, Task};
use crate::memories::model::{Change, Memory};
use crate::memories::{post_settling, store as memories};
use crate::op::OpContext;
use async_recursion::async_recursion as boxed;
use tracing::instrument;

/// Accepts or declines a proposal. An accepted contradiction links both memories and hides neither. An accepted correction makes its first
/// memory durable and puts the second out of reach. An accepted duplicate merges the first into the second.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `NotFound` for a proposal that is not open or not the tenant's.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn decide_pair(engine: &Engine, ctx: &OpContext, id: PairId, accept: bool) -> Result<(), Error> {
    ctx.require_role(OperatorRole::Reviewer)?;
    let now = engine.clock().now();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let pair = store::pair(&mut tx, ctx.tenancy(), id).await?.ok_or(Error::NotFound("proposal"))?;
    store::close_pair(&mut tx, ctx.tenancy(), id, (accept, ctx.actor.name()), now).await?;
    if accept {
        let ids = [pair.from.id, pair.to.id];
        let rows = memories::by_ids(&mut tx, ctx.tenancy(), Some(pair.agent_id), &ids, false).await?;
        lock_keys(&mut tx, rows.iter().map(Memory::key)).await?;
        let rows = memories::by_ids(&mut tx, ctx.tenancy(), Some(pair.agent_id), &ids, true).await?;
        memories::lock_counts(&mut tx, ctx.tenancy(), &[pair.agent_id]).await?;
        let end = |id: MemoryId| rows.iter().find(|row| row.id == id).cloned().ok_or(Error::NotFound("memory"));
        accepted(engine, ctx, &mut tx, pair.relation, &end(pair.from.id)?, &end(pair.to.id)?).await?;
    }
    let word = if accept { "accepted" } else { "declined" };
    let message = format!("proposal {word}: {} {} {}", pair.from.short_id, pair.relation, pair.to.short_id);
    let entry = NewEntry::new(engine, ctx, "proposal.decided", "memory", pair.from.id, message).agent(pair.agent_id);
    audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    tx.commit().await?;
    engine.jobs().wake();
    engine.relay().settle().await;
    Ok(())
}

async fn accepted(engine: &Engine, ctx: &OpContext, tx: &mut Tx, relation: PairRelation, from: &Memory, to: &Memory) -> Result<(), Error> {
    let (tenancy, agent, now) = (ctx.tenancy(), from.agent_id, engine.clock().now());
    let whose = (agent, from.user_id.or(to.user_id));
    match relation {
        // The candidate goes; what is in force stays.
        PairRelation::Duplicates if to.status == MemoryStatus::Inbox && from.live => merge(engine, ctx, tx, to, from).await,
        PairRelation::Duplicates => merge(engine, ctx, tx, from, to).await,
        PairRelation::Contradicts => {
            // It holds in both directions and is stored once, the lesser id first.
            let (one, other) = if to.id < from.id { (to, from) } else { (from, to) };
            memories::link(tx, ctx, whose, one.id, other.id, Relation::Contradicts, now).await?;
            let payload = serde_json::json!({ "memory_id": from.id });
            Ok(jobs::store::insert(tx, ctx.tenant_id, agent, &NewEvent::pending(engine, Task::SettleLinks, payload)).await?)
        }
        PairRelation::Supersedes => {
            if from.status == MemoryStatus::Inbox {
                make_durable(engine, ctx, tx, from).await?;
            }
            memories::link(tx, ctx, whose, from.id, to.id, Relation::Supersedes, now).await?;
            memories::mark_superseded(tx, tenancy, agent, to.id).await?;
            memories::write_version(tx, ctx, agent, to.id, Change::Superseded, None, now).await?;
            if to.live {
                memories::drop_words(tx, tenancy, agent, to.id).await?;
                memories::sync_live(tx, tenancy, agent, &[to.id]).await?;
                post_settling(engine, ctx, tx, agent, to.id).await?;
            }
            Ok(())
        }
    }
}
