//! What a sweep deletes: old records of memories that no answer depends on any more. The memories themselves stay.

use super::store::{self, Record};
use chrono::TimeDelta;
use db::lift_statement_timeout;
use foundation::audit::{self, NewEntry};
use foundation::{Engine, Error, OpContext, identity, jobs};
use tracing::instrument;
use wire::{AgentId, HistoryDays, LifecyclePolicy};

/// Rows of one transaction. Nobody else waits for them, and they are deleted in milliseconds.
pub(super) const BATCH: i64 = 500;

/// How many days a record is kept after it was replaced, finished or decided; `None` without an end.
fn days(engine: &Engine, policy: &LifecyclePolicy, record: Record) -> Option<u32> {
    let HistoryDays { versions, moments, events, quarantine } = policy.history_days;
    match record {
        Record::Versions => identity::days_with_log(engine, versions),
        Record::Moments => identity::days_with_log(engine, moments),
        Record::Events | Record::KnowledgeEvents => Some(events),
        Record::Quarantine => Some(quarantine),
        // As long as a message would have been kept.
        Record::Sessions => Some(policy.retention_days.longest()),
        // They carry their own time.
        Record::Schemas => Some(0),
    }
}

/// Deletes some old records of an agent in one transaction; how many.
#[instrument(level = "debug", skip_all, fields(tenant = %ctx.tenant_id, %agent, ?record))]
pub(super) async fn delete(
    engine: &Engine,
    ctx: &OpContext,
    agent: AgentId,
    record: Record,
    policy: &LifecyclePolicy,
) -> Result<i64, Error> {
    let now = engine.clock().now();
    let Some(before) = days(engine, policy, record).and_then(|days| now.checked_sub_signed(TimeDelta::days(days.into()))) else {
        return Ok(0);
    };
    let database = match record {
        // The knowledge of an organisation belongs to no agent.
        Record::KnowledgeEvents if agent != ctx.commons_id => return Ok(0),
        Record::KnowledgeEvents => &engine.db().kb,
        _ => &engine.db().memory,
    };
    let mut tx = database.begin(ctx.tenancy()).await?;
    // To find the first rows among millions of others may take longer than a request may.
    lift_statement_timeout(&mut tx).await?;
    let deleted = match record {
        Record::KnowledgeEvents => jobs::store::sweep(&mut tx, ctx.tenant_id, before, BATCH).await?,
        _ => store::sweep_records(&mut tx, ctx.tenant_id, agent, record, before, BATCH).await?,
    };
    if deleted > 0 {
        let message = format!("{deleted} {} from before {} deleted", record.plural(), before.date_naive());
        let entry = NewEntry::new(engine, ctx, "history.swept", "agent", agent, message).agent(agent);
        audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    }
    tx.commit().await?;
    if deleted > 0 {
        engine.relay().wake();
    }
    Ok(deleted)
}
