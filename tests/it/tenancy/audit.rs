//! The queries of the audit log and of the outbox, from which it is written.

use super::queries::{Case, Pooled, Query, control, kept, queries};
use db::cursor::Seek;
use foundation::audit::{NewEntry, store as audit};
use serde_json::json;
use wire::{AuditFilter, AuditVisibility, EventId};

fn entry(case: &Case) -> NewEntry {
    NewEntry {
        event_id: EventId(case.fresh),
        at: case.now,
        actor_kind: "system".into(),
        actor_id: String::new(),
        actor_name: "system".into(),
        action: "test".into(),
        target_kind: "memory".into(),
        target_id: case.id.to_string(),
        agent_id: Some(case.agent),
        message: "intruded".into(),
        reason: None,
        request_id: None,
        changes: json!({}),
        visibility: AuditVisibility::Operators,
    }
}

/// In the database of memories; kept apart by tenant and by agent.
pub const OUTBOX: &[Query] = queries! {
    "audit::post" |tx, c| {
        audit::post(tx, c.tenant, c.agent, EventId(c.fresh), audit::Destination::Audit, &json!({}), c.now).await?;
        0
    };
};

/// In the database of knowledge; kept apart by tenant.
pub const OUTBOX_KB: &[Query] = queries! {
    "audit::lag_of" |tx, c| audit::lag_of(tx, c.tenant).await?.0 as usize;
};

/// In the control database; kept apart by tenant.
pub const AUDIT: &[Query] = queries! {
    "audit::count" |tx, c| {
        audit::count(tx, c.tenant, &AuditFilter { target: Some(c.agent.to_string()), ..AuditFilter::default() }).await? as usize
    };
    "audit::list" |tx, c| {
        let about = AuditFilter { target: Some(c.agent.to_string()), ..AuditFilter::default() };
        audit::list(tx, c.tenant, &about, &Seek::First, 10).await?.len()
    };
    "audit::of_target" |tx, c| audit::of_target(tx, c.tenant, &c.agent.to_string(), 10).await?.len();
};

/// Run by the role that sees all tenants, for one of them.
pub fn pooled() -> Vec<Pooled> {
    vec![
        Pooled {
            name: "audit::empty_delivered",
            kb: true,
            run: |pool, c| Box::pin(async move { audit::empty_delivered(pool, c.tenant).await.map(|_| 0) }),
        },
        control("audit::append", |pool, c| {
            kept!(pool, |tx| audit::append(tx, c.tenant, &[(&entry(c), "salt".into())]).await.map(|()| 0)?)
        }),
        control("audit::erase_texts", |pool, c| {
            kept!(pool, |tx| {
                // Those of the agent's tenant; the one that was appended above is both tenants'.
                let entries =
                    "select l.event_id from audit_log l join agents a on a.tenant_id = l.tenant_id where a.id = $1 and l.event_id <> $2";
                let entries: Vec<EventId> = sqlx::query_scalar(entries).bind(c.agent).bind(c.fresh).fetch_all(&mut **tx).await?;
                audit::erase_texts(tx, c.tenant, &entries).await? as usize
            })
        }),
        control("audit::links", |pool, c| {
            Box::pin(async move {
                Ok(audit::links(pool, c.tenant, 0, 1000).await?.iter().filter(|link| link.entry.target_id == c.agent.to_string()).count())
            })
        }),
    ]
}
