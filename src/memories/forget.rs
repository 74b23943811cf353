//! forget and restore, and undoing either: soft, together with everything derived, in one transaction. Archived memories are restored, too.

use super::link::post_settling;
use super::model::{Change, Memory};
use super::origin::CONSOLE;
use super::{access, store, twins};
use chrono::{DateTime, Utc};
use db::{Tx, lock_all as lock_keys};
use foundation::audit::{self, NewEntry};
use foundation::idempotency::{self, Once};
use foundation::identity::{self, acting_for};
use foundation::intake::{Admitted, Reason};
use foundation::jobs::{self, NewEvent, Task};
use foundation::op::Actor;
use foundation::{Checks, Engine, Error, OpContext};
use std::collections::HashMap;
use verb::verb;
use wire::{
    AgentId, BULK_MAX, BulkOutcome, ForgetRequest, ForgetResponse, KeyScope, MemoryId, OperatorRole, REASON_MAX, RetentionDays, Source,
};
use words::aging::expiry;

/// The reason of an undo in the audit log.
const UNDO: &str = "Undo";

/// Forgets one memory for an agent. Forgetting twice is no error.
///
/// # Errors
/// `Forbidden` without `memory:forget`; `NotFound` for another agent's, another tenant's or another user's memory; `Forbidden` for a
/// shared memory unless the agent wrote it and may write to the commons.
#[verb]
pub async fn forget(engine: &Engine, ctx: &OpContext, request: ForgetRequest) -> Result<ForgetResponse, Error> {
    ctx.agent_id()?;
    ctx.require(KeyScope::MemoryForget)?;
    let request = Admitted::new(request)?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    Checks::default().optional_text("reason", request.reason.as_deref(), REASON_MAX).done()?;
    let once = Once::new(engine, ctx, "forget", &request)?;
    forget_once(engine, ctx, &request, &once).await
}

/// As [`forget`], for a caller whose right and user are known.
///
/// # Errors
/// As [`forget`].
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn forget_once(
    engine: &Engine,
    ctx: &OpContext,
    request: &ForgetRequest,
    once: &Once<'_>,
) -> Result<ForgetResponse, Error> {
    let agent = ctx.agent_id()?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let agents = [agent, ctx.commons_id];
    // Unlike other verbs, this one reaches what is forgotten already.
    let found = access::rows(&mut tx, ctx, &agents, &request.memory_id, true).await?;
    let visible = |memory: &Memory| agents.contains(&memory.agent_id) && ctx.users.include(memory.user_id);
    let memory = found.into_iter().find(visible).ok_or(Error::NotFound("memory"))?;
    if memory.agent_id != agent && (memory.created_by != agent || ctx.require(KeyScope::CommonsWrite).is_err()) {
        return Err(Error::Forbidden("this memory is shared: only the agent that wrote it or an operator can forget it".into()));
    }
    let copies = store::copies_of(&mut tx, ctx.tenancy(), &agents, &memory, engine.clock().now()).await?;
    if let Some(forgotten_at) = memory.deleted_at {
        let answer = ForgetResponse { memory_id: memory.id, forgotten_at, already_forgotten: true, copies };
        once.commit(tx, &answer, &[]).await?;
        return Ok(answer);
    }
    let forgotten_at = engine.clock().now();
    take_away(engine, ctx, &mut tx, &memory, request.reason.as_deref().map(Reason::new).as_ref(), forgotten_at).await?;
    let answer = ForgetResponse { memory_id: memory.id, forgotten_at, already_forgotten: false, copies };
    once.commit(tx, &answer, &[]).await?;
    engine.relay().wake();
    metrics::counter!("agent_memory_forget_total").increment(1);
    Ok(answer)
}

/// Soft-deletes up to 100 memories, all or none, for an operator.
///
/// # Errors
/// `Forbidden` without the role `operator`; `Invalid` without a reason or with more than 100 ids; `NotFound` if any is not the tenant's.
#[verb]
pub async fn delete(engine: &Engine, ctx: &OpContext, ids: &[MemoryId], reason: &str) -> Result<BulkOutcome, Error> {
    let (mut tx, memories) = lock_all(engine, ctx, ids, reason).await?;
    let reason = &Reason::new(reason);
    let mut outcome = BulkOutcome::at(engine.clock().now());
    for memory in memories {
        if memory.deleted_at.is_some() {
            outcome.unchanged.push(memory.id);
        } else {
            take_away(engine, ctx, &mut tx, &memory, Some(reason), outcome.at).await?;
            outcome.changed.push(memory.id);
            outcome.undoable.push(memory.id);
        }
    }
    tx.commit().await?;
    // The operator looks at the audit trail next.
    engine.relay().settle().await;
    Ok(outcome)
}

/// Undoes deletions and archiving, up to 100, all or none. The retention of an archived memory begins now.
///
/// # Errors
/// As [`delete`].
#[verb]
pub async fn restore(engine: &Engine, ctx: &OpContext, ids: &[MemoryId], reason: &str) -> Result<BulkOutcome, Error> {
    let days = days_of(engine, ctx, ids).await?;
    let (mut tx, memories) = lock_all(engine, ctx, ids, reason).await?;
    let reason = &Reason::new(reason);
    let mut outcome = BulkOutcome::at(engine.clock().now());
    for memory in memories {
        if memory.deleted_at.is_none() && memory.archived_at.is_none() {
            outcome.unchanged.push(memory.id);
            continue;
        }
        let unarchive = memory.archived_at.map(|_| days.get(&memory.agent_id).copied().unwrap_or_default());
        bring_back(engine, ctx, &mut tx, &memory, reason, unarchive, outcome.at).await?;
        outcome.changed.push(memory.id);
        if unarchive.is_none() {
            outcome.undoable.push(memory.id);
        }
    }
    tx.commit().await?;
    engine.jobs().wake();
    // The operator looks at the audit trail next.
    engine.relay().settle().await;
    Ok(outcome)
}

/// Undoes a deletion or a restoration that was made at `at`, of up to 100 memories, all or none. A memory that changed since stays as it
/// is, so that a second undo does nothing and no other deletion is undone.
///
/// # Errors
/// As [`delete`], without those about the reason.
#[verb]
pub async fn undo(engine: &Engine, ctx: &OpContext, ids: &[MemoryId], at: DateTime<Utc>) -> Result<BulkOutcome, Error> {
    let (mut tx, memories) = lock_all(engine, ctx, ids, UNDO).await?;
    let reason = &Reason::new(UNDO);
    let removals = store::removals_at(&mut tx, ctx.tenancy(), ids, at).await?;
    let mut outcome = BulkOutcome::at(engine.clock().now());
    for memory in memories {
        match removals.get(&memory.id) {
            Some(true) => bring_back(engine, ctx, &mut tx, &memory, reason, None, outcome.at).await?,
            Some(false) => take_away(engine, ctx, &mut tx, &memory, Some(reason), outcome.at).await?,
            None => {
                outcome.unchanged.push(memory.id);
                continue;
            }
        }
        outcome.changed.push(memory.id);
    }
    tx.commit().await?;
    engine.jobs().wake();
    // The operator looks at the audit trail next.
    engine.relay().settle().await;
    Ok(outcome)
}

/// The days of each retention for the owners of some memories, read before these are locked.
async fn days_of(engine: &Engine, ctx: &OpContext, ids: &[MemoryId]) -> Result<HashMap<AgentId, RetentionDays>, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let memories = store::by_ids(&mut tx, ctx.tenancy(), None, ids.get(..BULK_MAX).unwrap_or(ids), false).await?;
    tx.commit().await?;
    let mut days = HashMap::new();
    for memory in memories.iter().filter(|memory| memory.archived_at.is_some()) {
        days.insert(memory.agent_id, identity::lifecycle_policy(engine, ctx, memory.agent_id).await?.retention_days);
    }
    Ok(days)
}

async fn lock_all(engine: &Engine, ctx: &OpContext, ids: &[MemoryId], reason: &str) -> Result<(Tx, Vec<Memory>), Error> {
    ctx.require_role(OperatorRole::Operator)?;
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    Checks::default()
        .text("reason", reason, REASON_MAX)
        .that(!ids.is_empty(), "ids", "must name at least one memory")
        .that(ids.len() <= BULK_MAX, "ids", format!("names {} memories; at most {BULK_MAX} are allowed", ids.len()))
        .done()?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    // In the order of everybody who writes: keys, rows, counts.
    let memories = store::by_ids(&mut tx, ctx.tenancy(), None, &ids, false).await?;
    lock_keys(&mut tx, memories.iter().flat_map(Memory::locks)).await?;
    let memories = store::by_ids(&mut tx, ctx.tenancy(), None, &ids, true).await?;
    if memories.len() < ids.len() {
        return Err(Error::NotFound("memory"));
    }
    let agents: Vec<AgentId> = memories.iter().map(|memory| memory.agent_id).collect();
    store::lock_counts(&mut tx, ctx.tenancy(), &agents).await?;
    Ok((tx, memories))
}

/// Deletes a memory softly.
pub(super) async fn take_away(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    memory: &Memory,
    reason: Option<&Reason>,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let (tenant, agent, id) = (ctx.tenant_id, memory.agent_id, memory.id);
    store::mark_deleted(tx, ctx.tenancy(), memory, ctx.actor.name(), reason.map(Reason::as_str), now).await?;
    store::write_version(tx, ctx, agent, id, Change::Forgotten, origin(ctx).as_ref(), now).await?;
    store::drop_words(tx, ctx.tenancy(), agent, id).await?;
    store::sync_live(tx, ctx.tenancy(), agent, &[id]).await?;
    post_settling(engine, ctx, tx, agent, id).await?;
    idempotency::store::erase(tx, ctx.tenancy(), id).await?;
    let entry = NewEntry::new(engine, ctx, "memory.forgotten", "memory", id, "forgotten").agent(agent).reason(reason);
    audit::record(tx, tenant, ctx.commons_id, &entry).await
}

/// Where a person's change comes from: not from where the memory was said.
pub(super) fn origin(ctx: &OpContext) -> Option<Source> {
    matches!(ctx.actor, Actor::Operator { .. }).then(|| Source { platform: CONSOLE.into(), ..Source::default() })
}

/// Restores a memory. `unarchive` has the days of each retention, and also takes it out of the archive.
async fn bring_back(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    memory: &Memory,
    reason: &Reason,
    unarchive: Option<RetentionDays>,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let (tenant, agent, id) = (ctx.tenant_id, memory.agent_id, memory.id);
    if let Some(days) = unarchive {
        store::unarchive(tx, ctx.tenancy(), memory, expiry(&days, memory.retention, memory.pinned, now), now).await?;
    }
    let live = store::mark_restored(tx, ctx.tenancy(), memory).await?;
    store::write_version(tx, ctx, agent, id, Change::Restored, origin(ctx).as_ref(), now).await?;
    store::sync_live(tx, ctx.tenancy(), agent, &[id]).await?;
    post_settling(engine, ctx, tx, agent, id).await?;
    // A memory that was superseded before it was forgotten is still superseded.
    if live {
        store::put_words(tx, ctx.tenancy(), agent, id, &memory.topic, &memory.wording()).await?;
        // It may have been forgotten before its vector came, and the same may have been remembered again since.
        let payload = serde_json::json!({ "memory_id": id });
        jobs::store::insert(tx, tenant, agent, &NewEvent::pending(engine, Task::Embed, payload)).await?;
        twins::leave_one(engine, ctx, tx, agent, id).await?;
    }
    let entry = NewEntry::new(engine, ctx, "memory.restored", "memory", id, "restored").agent(agent).reason(Some(reason));
    audit::record(tx, tenant, ctx.commons_id, &entry).await
}
