//! Who did what to what, when and why: append-only, hash-chained, on by default, never with content.

mod chain;
pub mod store;

use crate::api::{AgentId, AuditEntry, AuditFilter, AuditVisibility, EventId, OperatorRole, Page, RequestId, TenantId};
use crate::db::cursor::{Cursor, Seek};
use crate::db::{DbError, Tx};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::op::OpContext;
use async_recursion::async_recursion as boxed;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use tracing::instrument;

/// Entries on one page of the console.
const PAGE: usize = 50;
/// Links that the verification reads at a time.
const VERIFY_BATCH: i64 = 1000;

/// An entry before it has its place in the chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewEntry {
    pub event_id: EventId,
    pub at: DateTime<Utc>,
    pub actor_kind: String,
    pub actor_id: String,
    pub actor_name: String,
    pub action: String,
    pub target_kind: String,
    pub target_id: String,
    pub agent_id: Option<AgentId>,
    pub message: String,
    pub reason: Option<String>,
    pub request_id: Option<RequestId>,
    pub changes: serde_json::Value,
    pub visibility: AuditVisibility,
}

impl NewEntry {
    /// An entry about `target`, by whoever acts in `ctx`. What agents do the organisation may read; what operators do only they.
    pub fn new(
        engine: &Engine,
        ctx: &OpContext,
        action: impl Into<String>,
        target_kind: &str,
        target_id: impl ToString,
        message: impl Into<String>,
    ) -> Self {
        Self {
            event_id: EventId(engine.clock().id()),
            at: engine.clock().now(),
            actor_kind: ctx.actor.kind().into(),
            actor_id: ctx.actor.id(),
            actor_name: ctx.actor.name().into(),
            action: action.into(),
            target_kind: target_kind.into(),
            target_id: target_id.to_string(),
            agent_id: None,
            message: message.into(),
            reason: None,
            request_id: Some(ctx.request_id),
            changes: serde_json::json!({}),
            visibility: if ctx.actor.kind() == "agent" { AuditVisibility::Organisation } else { AuditVisibility::Operators },
        }
    }

    /// Whose memory it touched.
    pub fn agent(mut self, agent: AgentId) -> Self {
        self.agent_id = Some(agent);
        self
    }

    /// Why. What somebody typed is for operators only.
    pub fn reason(mut self, reason: Option<&str>) -> Self {
        if let Some(reason) = reason {
            self.reason = Some(reason.to_owned());
            self.visibility = AuditVisibility::Operators;
        }
        self
    }

    /// Names and hashes of what changed.
    pub fn changes(mut self, changes: serde_json::Value) -> Self {
        self.changes = changes;
        self
    }
}

/// Writes an entry to the outbox of the database in which the change happens, in the change's own transaction.
///
/// # Errors
/// When the connection is lost; the change is then not made either.
#[tracing::instrument(skip_all, fields(%tenant))]
pub async fn record(tx: &mut Tx, tenant: TenantId, commons: AgentId, entry: &NewEntry) -> Result<(), Error> {
    let payload = serde_json::to_value(entry).map_err(Error::failed("an audit entry cannot be serialised"))?;
    let agent = entry.agent_id.unwrap_or(commons);
    Ok(store::post(tx, tenant, agent, entry.event_id, store::Destination::Audit, &payload, entry.at).await?)
}

/// Appends an entry at once: for changes of the control database itself.
///
/// # Errors
/// When the database is out of reach.
#[boxed]
#[tracing::instrument(skip_all, fields(%tenant))]
pub async fn append(engine: &Engine, tenant: TenantId, entry: NewEntry) -> Result<(), DbError> {
    store::append(engine.db().control.system(), tenant, &[entry]).await
}

/// A page of the audit log, newest first.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for a foreign cursor.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn browse(engine: &Engine, ctx: &OpContext, filter: &AuditFilter) -> Result<Page<AuditEntry>, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    Checks::default()
        .optional_text("actor", filter.actor.as_deref(), 200)
        .optional_text("action", filter.action.as_deref(), 100)
        .optional_text("target", filter.target.as_deref(), 200)
        .that(!matches!((filter.from, filter.until), (Some(from), Some(until)) if from >= until), "until", "must be later than from")
        .done()?;
    let seek = Seek::from_parameters(filter.after.as_deref(), filter.before.as_deref())?;
    let mut tx = engine.db().control.begin_snapshot(ctx.tenancy()).await?;
    let total = store::count(&mut tx, ctx.tenant_id, filter).await?;
    let rows = store::list(&mut tx, ctx.tenant_id, filter, &seek, PAGE).await?;
    tx.commit().await?;
    Ok(seek.page(rows, PAGE, total, |entry| Cursor { key: entry.at, id: entry.event_id.0 }))
}

/// What a verification of the chain found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Entries whose hash is right, from the first on.
    pub entries: i64,
    /// The place of the first entry that was changed, removed or inserted.
    pub broken_at: Option<i64>,
}

/// Recomputes a tenant's chain from its first entry.
///
/// # Errors
/// `Forbidden` without the role `admin`.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn verify(engine: &Engine, ctx: &OpContext) -> Result<Verified, Error> {
    ctx.require_role(OperatorRole::Admin)?;
    let mut entries = 0;
    let mut previous = chain::GENESIS.to_vec();
    loop {
        let links = store::links(engine.db().control.system(), ctx.tenant_id, entries, VERIFY_BATCH).await?;
        if links.is_empty() {
            return Ok(Verified { entries, broken_at: None });
        }
        for link in links {
            let sound = link.seq == entries + 1
                && link.previous == previous
                && link.hash == chain::hash(ctx.tenant_id, link.seq, &link.entry, &previous);
            if !sound {
                return Ok(Verified { entries, broken_at: Some(entries + 1) });
            }
            entries += 1;
            previous = link.hash;
        }
    }
}
