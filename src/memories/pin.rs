//! Pinning: a pinned memory never expires and is never archived.

use super::access::{self, Purpose};
use super::store;
use foundation::audit::{self, NewEntry};
use foundation::idempotency::Once;
use foundation::identity::{self, acting_for};
use foundation::intake::Admitted;
use foundation::op::Actor;
use foundation::{Engine, Error, OpContext};
use verb::verb;
use wire::{KeyScope, MemoryRef, OperatorRole, PinResponse, UserRef};
use words::aging::expiry;

/// Pins a memory, which removes the end of its retention, or unpins it, and its retention begins now. To do it twice is no error.
///
/// # Errors
/// `Forbidden` without `memory:write` or, for operators, the role `operator`; `NotFound`; `Conflict` for a deleted or archived memory.
#[verb]
pub async fn set_pinned(
    engine: &Engine,
    ctx: &OpContext,
    name: &MemoryRef,
    user: Option<UserRef>,
    pinned: bool,
) -> Result<PinResponse, Error> {
    match &ctx.actor {
        Actor::Agent { .. } => ctx.require(KeyScope::MemoryWrite)?,
        Actor::Operator { .. } | Actor::System => ctx.require_role(OperatorRole::Operator)?,
    }
    let ctx = &acting_for(engine, ctx, user.as_ref()).await?;
    let once = Once::new(engine, ctx, "pin", &Admitted::new((name.clone(), pinned))?)?;
    let now = engine.clock().now();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let agent = access::find(&mut tx, ctx, name, Purpose::Read, now).await?.agent_id;
    tx.commit().await?;
    let days = identity::lifecycle_policy(engine, ctx, agent).await?.retention_days;

    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let memory = access::find(&mut tx, ctx, name, Purpose::Change, now).await?;
    let id = memory.id;
    let mut expires_at = memory.expires_at;
    if memory.pinned != pinned {
        expires_at = expiry(&days, memory.retention, pinned, now);
        store::set_pinned(&mut tx, ctx.tenancy(), agent, id, pinned, expires_at).await?;
        store::sync_live(&mut tx, ctx.tenancy(), agent, &[id]).await?;
        let (action, message) = if pinned { ("memory.pinned", "pinned") } else { ("memory.unpinned", "unpinned") };
        let entry = NewEntry::new(engine, ctx, action, "memory", id, message).agent(agent);
        audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    }
    let answer = PinResponse { memory_id: id, short_id: memory.short_id, pinned, expires_at };
    once.commit(tx, &answer, &[id]).await?;
    engine.relay().wake();
    Ok(answer)
}
