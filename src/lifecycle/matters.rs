//! What a sweep deletes of profiles: entries about sensitive matters that nobody observed for as long as the capture policy keeps them. No read
//! shows them by then.

use super::store;
use foundation::audit::{self, NewEntry};
use foundation::{Engine, Error, OpContext, identity};
use serde_json::Map;
use tracing::instrument;
use wire::AgentId;

/// Rows of one transaction.
pub(super) const BATCH: i64 = 500;

/// Deletes some entries of an agent's profiles in one transaction; how many.
#[instrument(level = "debug", skip_all, fields(tenant = %ctx.tenant_id, %agent))]
pub(super) async fn delete(engine: &Engine, ctx: &OpContext, agent: AgentId) -> Result<i64, Error> {
    let ended = identity::capture_policy(engine, ctx).await?.sensitive.ended(engine.clock().now());
    if ended.as_object().is_none_or(Map::is_empty) {
        return Ok(0);
    }
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let deleted = store::sweep_leaves(&mut tx, ctx.tenant_id, agent, &ended, BATCH).await?;
    if deleted > 0 {
        let message = format!("{deleted} profile entries about sensitive matters deleted");
        let entry = NewEntry::new(engine, ctx, "profile.swept", "agent", agent, message).agent(agent);
        audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    }
    tx.commit().await?;
    if deleted > 0 {
        engine.relay().wake();
    }
    Ok(deleted)
}
