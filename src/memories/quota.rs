//! Most episodes and most memories of an agent.

use super::archive::archive;
use super::model::Draft;
use super::store::{self, Which};
use db::{Tx, Users, lock, lock_key, see_users_of};
use foundation::{Engine, Error, OpContext};
use wire::{AgentId, ArchiveReason, LifecyclePolicy};

/// Refuses a new memory if its agent has its most live ones already. Episodes that fade make room for one another instead.
///
/// # Errors
/// `Conflict` with what to do; when the database is out of reach.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn refuse_if_full(ctx: &OpContext, tx: &mut Tx, draft: &Draft) -> Result<(), Error> {
    let (agent, most) = (draft.key.agent_id, i64::from(draft.lifecycle.memories_max));
    if draft.fades() {
        return Ok(());
    }
    let live = store::live(tx, ctx.tenancy(), agent).await?;
    if live < most {
        return Ok(());
    }
    let whose = if agent == ctx.commons_id { "the shared memory has" } else { "the agent has" };
    Err(Error::Conflict(format!(
        "{whose} {live} memories, and {most} are allowed: forget some, or ask an admin to raise `memories_max` in the lifecycle policy"
    )))
}

/// Archives the weakest episodes of an agent until it has at most its limit, in the transaction that added some; how many. The transaction
/// holds [`lock_episodes`], so that the agent never has more.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor, %agent))]
pub(crate) async fn make_room(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    agent: AgentId,
    policy: &LifecyclePolicy,
) -> Result<i64, Error> {
    // The limit is the agent's, over all of its users.
    let every = &OpContext { users: Users::Every, ..ctx.clone() };
    see_users_of(tx, every.tenancy()).await?;
    let over = store::fading(tx, every.tenancy(), agent, engine.clock().now()).await? - i64::from(policy.episodes_max);
    let archived = if over > 0 { archive(engine, every, tx, agent, Which::Weakest, ArchiveReason::Limit, over).await? } else { 0 };
    see_users_of(tx, ctx.tenancy()).await?;
    Ok(archived)
}

/// Takes the turn of an agent's writers of episodes.
pub(crate) async fn lock_episodes(tx: &mut Tx, agent: AgentId) -> Result<(), Error> {
    Ok(lock(tx, lock_key(&[b"episodes", agent.0.as_bytes()])).await?)
}
