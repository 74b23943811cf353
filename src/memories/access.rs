//! Which memory a name means, and whether the caller may see or change it.

use super::model::Memory;
use super::store;
use chrono::{DateTime, Utc};
use db::{DbError, Tx};
use foundation::op::Actor;
use foundation::{Error, OpContext};
use wire::{AgentId, KeyScope, MemoryRef};

/// What the caller wants to do with it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Read,
    /// Locks the row; changing shared memory requires `commons:write`.
    Change,
}

/// The memory that `name` means to the caller: an agent's own before the commons'. Agents do not find memories that are deleted, expired,
/// archived or another user's.
///
/// # Errors
/// `NotFound`; `Forbidden` for a change of shared memory without `commons:write`; `Conflict` for a change of a deleted or archived memory.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn find(tx: &mut Tx, ctx: &OpContext, name: &MemoryRef, purpose: Purpose, now: DateTime<Utc>) -> Result<Memory, Error> {
    let lock = purpose == Purpose::Change;
    let agents = match &ctx.actor {
        Actor::Agent { id, .. } => vec![*id, ctx.commons_id],
        Actor::Operator { .. } | Actor::System => vec![],
    };
    let found = rows(tx, ctx, &agents, name, lock).await?;
    let gone =
        |memory: &Memory| memory.deleted_at.is_none() && (memory.archived_at.is_some() || memory.expires_at.is_some_and(|end| end <= now));
    let visible =
        |memory: &Memory| agents.is_empty() || (agents.contains(&memory.agent_id) && ctx.users.include(memory.user_id) && !gone(memory));
    let memory = found.into_iter().find(visible).ok_or(Error::NotFound("memory"))?;
    // Verbs of operators require a role themselves.
    let by_role = matches!(ctx.actor, Actor::Operator { .. });
    if purpose == Purpose::Change && memory.agent_id == ctx.commons_id && !by_role {
        ctx.require(KeyScope::CommonsWrite)?;
    }
    match (memory.deleted_at, purpose) {
        (Some(at), Purpose::Change) => {
            Err(Error::Conflict(format!("the memory {} was deleted on {}: remember it again", memory.short_id, at.format("%-d %B %Y"))))
        }
        (None, Purpose::Change) if memory.archived_at.is_some() => {
            Err(Error::Conflict(format!("the memory {} is archived: restore it first", memory.short_id)))
        }
        (Some(_), Purpose::Read) if !agents.is_empty() => Err(Error::NotFound("memory")),
        _ => Ok(memory),
    }
}

/// The rows that `name` may mean, the first agent's first. A short id is looked up among `agents` (none named: of any), an id everywhere, so
/// the caller checks who owns the row.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn rows(tx: &mut Tx, ctx: &OpContext, agents: &[AgentId], name: &MemoryRef, lock: bool) -> Result<Vec<Memory>, DbError> {
    match name {
        MemoryRef::Id(id) => store::by_ids(tx, ctx.tenancy(), None, &[*id], lock).await,
        MemoryRef::Short(short) => store::by_short(tx, ctx.tenancy(), agents, short, lock).await,
    }
}
