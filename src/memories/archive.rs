//! Archiving: what expired, faded or makes room leaves the live set with everything derived from it.

use super::link::post_settling;
use super::store::{self, Which};
use db::Tx;
use foundation::audit::{self, NewEntry};
use foundation::{Engine, Error, OpContext};
use serde_json::json;
use wire::{AgentId, ArchiveReason, MemoryId};

/// Archives up to `most` memories of an agent, the weakest first, in the caller's transaction, which sees every user; how many. Rows that
/// somebody else changes now are left out.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor, %agent))]
pub(crate) async fn archive(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    agent: AgentId,
    which: Which,
    reason: ArchiveReason,
    most: i64,
) -> Result<i64, Error> {
    let now = engine.clock().now();
    let ids = store::to_archive(tx, ctx.tenancy(), agent, which, most, now).await?;
    if ids.is_empty() {
        return Ok(0);
    }
    store::archive(tx, ctx, agent, &ids, reason, now).await?;
    let disputed: Vec<MemoryId> = store::disputed(tx, ctx.tenancy(), &ids).await?;
    for id in disputed {
        post_settling(engine, ctx, tx, agent, id).await?;
    }
    let message = format!("{} memories archived: {reason}", ids.len());
    let entry = NewEntry::new(engine, ctx, "memory.archived", "agent", agent, message).agent(agent).changes(json!({ "memories": ids }));
    audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    metrics::counter!("remembrancer_archived_total", "reason" => reason.as_str()).increment(u64::try_from(ids.len()).unwrap_or_default());
    Ok(i64::try_from(ids.len()).unwrap_or(i64::MAX))
}
