//! Notices: what happened, for those outside who follow it, with ids and without text. Those of an organisation are numbered without gaps,
//! in the order in which they appear: whoever has seen one number has seen all before it.

pub mod store;

use crate::engine::Engine;
use crate::error::Error;
use crate::op::OpContext;
use async_recursion::async_recursion as boxed;
use db::DbError;
use std::collections::{BTreeMap, HashSet};
use uuid::Uuid;
use verb::verb;
use wire::{AgentId, Notice, NoticeBody, NoticeKind, TenantId};

/// Notices of one page.
const PAGE: i64 = 100;

/// A part of what happened: the notices after a number that a caller may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Following {
    /// With their numbers, the oldest first.
    pub notices: Vec<(i64, NoticeBody)>,
    /// Everything up to this number was looked at.
    pub seen: i64,
    /// Whether notices between the given number and these are gone: they are kept for a day.
    pub missed: bool,
}

/// Appends notices. Those that are there already are left alone.
///
/// # Errors
/// When the database is out of reach; then none is appended.
#[boxed]
pub async fn append(engine: &Engine, tenant: TenantId, notices: &[Notice]) -> Result<(), DbError> {
    let mut tx = engine.db().control.begin_system().await?;
    store::append(&mut tx, tenant, notices).await?;
    Ok(tx.commit().await?)
}

/// The number of the newest notice of the organisation; 0 if there is none.
///
/// # Errors
/// `Forbidden` as for [`after`].
#[verb]
pub async fn newest(engine: &Engine, ctx: &OpContext) -> Result<i64, Error> {
    ctx.require_reader()?;
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let head = store::head(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    Ok(head.unwrap_or(0))
}

/// The next notices after a number that the caller may see: an agent those about memories that it can read, its own and shared ones;
/// people all of the organisation.
///
/// # Errors
/// `Forbidden` without the scope `memory:read` or the role `viewer`.
#[verb]
pub async fn after(engine: &Engine, ctx: &OpContext, seen: i64) -> Result<Following, Error> {
    ctx.require_reader()?;
    let mut tx = engine.db().control.begin_snapshot(ctx.tenancy()).await?;
    let head = store::head(&mut tx, ctx.tenant_id).await?.unwrap_or(0);
    let of_agent = ctx.is_key().then_some(ctx.tenancy().agent);
    let page = store::after(&mut tx, ctx.tenant_id, seen, of_agent, ctx.commons_id, PAGE).await?;
    let slugs: BTreeMap<AgentId, String> = store::slugs(&mut tx, ctx.tenant_id).await?.into_iter().collect();
    tx.commit().await?;
    // Not before: a notice that is appended meanwhile must not look like one after a gap.
    let first = store::first(engine.db().control.system(), ctx.tenant_id).await?;
    let is_full = i64::try_from(page.len()).is_ok_and(|rows| rows == PAGE);
    let last = page.last().map_or(head, |(seq, _)| *seq);
    let readable = readable(engine, ctx, &page).await?;
    let notices = page.into_iter().filter(|(_, notice)| is_for(ctx, notice, &readable));
    Ok(Following {
        notices: notices.map(|(seq, notice)| (seq, body(&notice, &slugs))).collect(),
        seen: if is_full { last } else { head },
        missed: first.unwrap_or(head + 1) > seen.saturating_add(1),
    })
}

/// A notice as it is sent, with the slug of its agent.
pub fn body(notice: &Notice, slugs: &BTreeMap<AgentId, String>) -> NoticeBody {
    NoticeBody::new(notice, notice.agent_id.and_then(|agent| slugs.get(&agent).cloned()))
}

/// Of the memories that notices are about, those that an agent can read: another user's stay out of sight.
async fn readable(engine: &Engine, ctx: &OpContext, page: &[(i64, Notice)]) -> Result<HashSet<Uuid>, Error> {
    let ids: Vec<Uuid> = page.iter().filter_map(|(_, notice)| notice.target_id.parse().ok()).collect();
    if ids.is_empty() || !ctx.is_key() {
        return Ok(HashSet::new());
    }
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let readable = store::readable(&mut tx, ctx.tenancy(), &ids).await?;
    tx.commit().await?;
    Ok(readable.into_iter().collect())
}

fn is_for(ctx: &OpContext, notice: &Notice, readable: &HashSet<Uuid>) -> bool {
    let is_readable = || notice.target_id.parse::<Uuid>().is_ok_and(|id| readable.contains(&id));
    !ctx.is_key() || notice.kind.is_for_agents() && is_readable()
}

/// What an entry of the audit log is to those outside who follow what happens; nothing for most of them.
pub fn kind_of(action: &str, target: &str) -> Option<NoticeKind> {
    match (action, target) {
        ("memory.remembered" | "memory.revised" | "memory.promoted" | "memory.shared", "memory") => Some(NoticeKind::MemoryStored),
        ("memory.proposed" | "memory.returned", "memory") => Some(NoticeKind::CandidateWaiting),
        (
            "memory.amended"
            | "memory.forgotten"
            | "memory.restored"
            | "memory.merged"
            | "memory.superseded"
            | "memory.contradicted"
            | "memory.reinstated"
            | "memory.made_private",
            "memory",
        ) => Some(NoticeKind::MemoryChanged),
        ("erasure.confirmed", _) => Some(NoticeKind::ErasureConfirmed),
        _ => None,
    }
}
