//! Who did what to what, when and why: append-only, hash-chained, on by default, never with content.

pub mod anchor_log;
mod chain;
mod exported;
mod proposal;
pub mod store;
mod verify;

pub use exported::{Proven, verify_exported};
pub use proposal::{Proposal, propose};
pub use verify::{anchors, integrity, verify, verify_end};

use crate::engine::Engine;
pub use crate::engine::chains::{Anchor, Fault, Verification, Verified};
use crate::error::{Checks, Error};
use crate::intake::Reason;
use crate::notices;
use crate::op::{Access, Actor, OpContext};
use async_recursion::async_recursion as boxed;
use chrono::{DateTime, TimeDelta, Utc};
use db::cursor::{Cursor, Seek};
use db::{DbError, Planned, Tx};
use serde::{Deserialize, Serialize};
use verb::verb;
use wire::{AgentId, AuditEntry, AuditFilter, AuditVisibility, EventId, Notice, NoticeKind, Page, RequestId, TenantId};
use words::guard;

/// Entries on one page of the console.
const PAGE: usize = 50;
/// Characters of the salt of an entry's texts: 32 of 62 symbols are 190 bits.
const SALT_LENGTH: usize = 32;
/// How long a delivered row of an outbox is kept, with its words: a receiver that is restored from a backup of this age lacks nothing.
const KEPT: TimeDelta = TimeDelta::days(1);
/// Rows deleted by one statement of a sweep.
const SWEEP: i64 = 10_000;

/// An entry before it has its place in the chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, sqlx::FromRow)]
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
    /// An entry about `target`, by the actor of `ctx`. The organisation may read what agents do; only operators may read what operators do.
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
            message: guard::without_secrets(message.into()),
            reason: None,
            request_id: Some(ctx.request_id),
            changes: serde_json::json!({}),
            visibility: match (&ctx.actor, &ctx.access) {
                // A key that manages the organisation does what operators do.
                (Actor::Agent { .. }, Access::KeyScopes(_) | Access::System) => AuditVisibility::Organisation,
                _ => AuditVisibility::Operators,
            },
        }
    }

    /// Whose memory it touched.
    pub fn agent(mut self, agent: AgentId) -> Self {
        self.agent_id = Some(agent);
        self
    }

    /// The reason. Only operators may read a reason that somebody typed.
    pub fn reason(mut self, reason: Option<&Reason>) -> Self {
        if let Some(reason) = reason {
            self.reason = Some(reason.as_str().to_owned());
            self.visibility = AuditVisibility::Operators;
        }
        self
    }

    /// What those outside hear of it, if they do.
    fn notice(&self) -> Option<Notice> {
        let kind = notices::kind_of(&self.action, &self.target_kind)?;
        Some(Notice { id: self.event_id, kind, agent_id: self.agent_id, target_id: self.target_id.clone(), at: self.at })
    }

    /// Names and hashes of what changed.
    pub fn changes(mut self, changes: serde_json::Value) -> Self {
        self.changes = guard::json_without_secrets(changes);
        self
    }
}

/// What differs between two states of something: the fields of `after` that `before` has not, or has with another value, each as
/// `{"before": …, "after": …}`. Of something new, every field.
///
/// # Errors
/// `Internal` for what cannot be serialised.
pub fn differences<T: Serialize>(before: Option<&T>, after: &T) -> Result<serde_json::Value, Error> {
    let value = |state: &T| serde_json::to_value(state).map_err(Error::failed("a state cannot be serialised"));
    let before = before.map(value).transpose()?.unwrap_or_default();
    let mut changes = serde_json::Map::new();
    for (field, new) in value(after)?.as_object().into_iter().flatten() {
        let old = &before[field.as_str()];
        if old != new {
            changes.insert(field.clone(), serde_json::json!({ "before": old, "after": new }));
        }
    }
    Ok(changes.into())
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

/// Writes a notice to the outbox of the database in which something happens to an agent's memory, in the transaction of what happens: for
/// what is no entry of the audit log.
///
/// # Errors
/// When the connection is lost.
#[tracing::instrument(skip_all, fields(%tenant))]
pub async fn announce(
    engine: &Engine,
    tx: &mut Tx,
    tenant: TenantId,
    agent: AgentId,
    kind: NoticeKind,
    target: impl ToString,
) -> Result<(), DbError> {
    let (id, at) = (EventId(engine.clock().id()), engine.clock().now());
    let notice = Notice { id, kind, agent_id: Some(agent), target_id: target.to_string(), at };
    let payload = serde_json::to_value(notice).map_err(|error| sqlx::Error::Encode(error.into()))?;
    store::post(tx, tenant, agent, id, store::Destination::Notice, &payload, at).await
}

/// Appends an entry at once: for what happens in the control database without changing it.
#[boxed]
#[tracing::instrument(skip_all, fields(%tenant))]
pub async fn append(engine: &Engine, tenant: TenantId, entry: NewEntry) -> Result<(), DbError> {
    append_all(engine, tenant, &[entry]).await
}

/// Appends entries at once, in their order and in one transaction. Existing entries are left alone.
///
/// # Errors
/// When the database is out of reach; then none is appended.
#[boxed]
#[tracing::instrument(skip_all, fields(%tenant, entries = entries.len()))]
pub async fn append_all(engine: &Engine, tenant: TenantId, entries: &[NewEntry]) -> Result<(), DbError> {
    let mut tx = engine.db().control.begin_system().await?;
    append_in(engine, &mut tx, tenant, entries).await?;
    Ok(tx.commit().await?)
}

/// Appends entries in the transaction of a change to the control database: both happen or neither does.
///
/// # Errors
/// When the connection is lost; the change is then not made either.
#[tracing::instrument(skip_all, fields(%tenant, entries = entries.len()))]
pub async fn append_in(engine: &Engine, tx: &mut Tx, tenant: TenantId, entries: &[NewEntry]) -> Result<(), DbError> {
    let salted: Vec<_> = entries.iter().map(|entry| (entry, engine.clock().secret(SALT_LENGTH))).collect();
    store::append(tx, tenant, &salted).await
}

/// A page of the audit log, newest first.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for a foreign cursor.
#[verb]
pub async fn browse(engine: &Engine, ctx: &OpContext, filter: &AuditFilter) -> Result<Page<AuditEntry>, Error> {
    page(engine, ctx, filter, PAGE).await
}

/// Refuses a filter whose texts are too long or whose period is empty.
pub fn check(filter: &AuditFilter) -> Result<(), Error> {
    Checks::default()
        .optional_text("actor", filter.actor.as_deref(), 200)
        .optional_text("action", filter.action.as_deref(), 100)
        .optional_text("target", filter.target.as_deref(), 200)
        .that(!matches!((filter.from, filter.until), (Some(from), Some(until)) if from >= until), "until", "must be later than from")
        .done()
}

/// A page of the audit log of any size, newest first.
///
/// # Errors
/// As [`browse`].
#[verb(role = Viewer, size)]
pub async fn page(engine: &Engine, ctx: &OpContext, filter: &AuditFilter, size: usize) -> Result<Page<AuditEntry>, Error> {
    check(filter)?;
    let seek = &Seek::from_parameters(filter.after.as_deref(), filter.before.as_deref())?;
    let read = |mut tx: Tx| async move {
        let total = store::count(&mut tx, ctx.tenant_id, filter).await?;
        let rows = store::list(&mut tx, ctx.tenant_id, filter, seek, size).await?;
        tx.commit().await?;
        Ok::<_, Error>((total, rows))
    };
    let (total, rows) = ctx.read(&engine.db().control, Planned::ByPostgres, read).await?;
    Ok(seek.clone().page(rows, size, total, |entry| Cursor { key: entry.at, id: entry.event_id.0 }))
}

/// Empties what the outboxes delivered for a tenant, before words are erased where they were delivered to.
#[boxed]
pub async fn empty_delivered(engine: &Engine, tenant: TenantId) -> Result<(), DbError> {
    for database in [&engine.db().memory, &engine.db().kb] {
        store::empty_delivered(database.system(), tenant).await?;
    }
    Ok(())
}

/// Deletes rows of the outboxes that were delivered a day ago, and notices of that age, of every tenant. Returns how many rows of outboxes
/// it deleted.
#[boxed]
pub async fn sweep(engine: &Engine, now: DateTime<Utc>) -> Result<i64, DbError> {
    while notices::store::sweep(engine.db().control.system(), now - KEPT, SWEEP).await? == SWEEP.unsigned_abs() {}
    let mut swept = 0;
    for database in [&engine.db().memory, &engine.db().kb] {
        loop {
            let gone = store::sweep(database.system(), now - KEPT, SWEEP).await?;
            swept += gone;
            if gone < SWEEP {
                break;
            }
        }
    }
    Ok(swept)
}
