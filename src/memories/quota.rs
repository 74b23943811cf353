//! Most episodes and most memories of an agent.

use super::model::Draft;
use super::store::{self, Which};
use crate::api::{AgentId, ArchiveReason, LifecyclePolicy};
use crate::audit::{self, NewEntry};
use crate::db::{Tx, Users, lock, lock_key, see_users_of};
use crate::engine::Engine;
use crate::error::Error;
use crate::op::OpContext;
use serde_json::json;

/// Refuses a new memory if its agent has its most live ones already. Episodes that fade make room for one another instead.
///
/// # Errors
/// `Conflict` with what to do; when the database is out of reach.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn refuse_if_full(engine: &Engine, ctx: &OpContext, draft: &Draft) -> Result<(), Error> {
    let (agent, most) = (draft.key.agent_id, i64::from(draft.lifecycle.memories_max));
    if draft.fades() {
        return Ok(());
    }
    let live = store::live(engine.db().memory.system(), ctx.tenant_id, agent).await?;
    if live < most {
        return Ok(());
    }
    let whose = if agent == ctx.commons_id { "the shared memory has" } else { "the agent has" };
    Err(Error::Conflict(format!(
        "{whose} {live} memories, and {most} are allowed: forget some, or ask an admin to raise `memories_max` in the lifecycle policy"
    )))
}

/// Archives the weakest episodes of an agent until it has at most its limit, in the transaction that added some; how many. Writers of one
/// agent's episodes take turns here, so that the agent never has more.
///
/// # Errors
/// When the database is out of reach.
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
    let over = store::fading(tx, every.tenancy(), agent).await? - i64::from(policy.episodes_max);
    let (mut ids, now) = (Vec::new(), engine.clock().now());
    if over > 0 {
        ids = store::to_archive(tx, every.tenancy(), agent, Which::Weakest, over, now).await?;
        store::archive(tx, every, agent, &ids, ArchiveReason::Limit, now).await?;
    }
    see_users_of(tx, ctx.tenancy()).await?;
    if ids.is_empty() {
        return Ok(0);
    }
    let count = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    metrics::counter!("remembrancer_archived_total", "reason" => "limit").increment(ids.len() as u64);
    let message = format!("{count} episodes archived to make room");
    let entry = NewEntry::new(engine, ctx, "memory.archived", "agent", agent, message).agent(agent).changes(json!({ "memories": ids }));
    audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    Ok(count)
}

/// Takes the turn of an agent's writers of episodes.
///
/// # Errors
/// When the database is out of reach.
pub(crate) async fn lock_episodes(tx: &mut Tx, agent: AgentId) -> Result<(), Error> {
    Ok(lock(tx, lock_key(&[b"episodes", agent.0.as_bytes()])).await?)
}
