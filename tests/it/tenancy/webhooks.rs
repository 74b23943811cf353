//! The queries of webhooks.

use super::queries::{Case, Pooled, Query, control, kept, queries};
use db::{DbError, SystemPool, Tx};
use foundation::webhooks::store as webhooks;
use uuid::Uuid;
use wire::{NoticeKind, Webhook, WebhookId, WebhookState};

/// In the control database; kept apart by tenant.
pub const WEBHOOKS: &[Query] = queries! {
    "webhooks::list" |tx, c| webhooks::list(tx, c.tenant).await?.len();
};

/// The id of the webhook of the case's organisation, whoever asks.
async fn id(tx: &mut Tx, case: &Case) -> Result<WebhookId, DbError> {
    let by_agent = "select w.id from webhooks w join agents a on a.tenant_id = w.tenant_id where a.id = $1 order by w.created_at limit 1";
    Ok(sqlx::query_scalar(by_agent).bind(case.agent).fetch_one(&mut **tx).await?)
}

/// The same. The pool has one connection, so the transaction ends first.
async fn webhook(pool: &SystemPool, case: &Case) -> Result<WebhookId, DbError> {
    let mut tx = db::begin(pool).await?;
    let id = id(&mut tx, case).await?;
    tx.commit().await?;
    Ok(id)
}

/// Run by the role that sees all tenants, for one of them.
pub fn pooled() -> Vec<Pooled> {
    vec![
        control("webhooks::insert", |pool, c| {
            let events = &[NoticeKind::JobDead];
            // An agent of another tenant is refused.
            let row = webhooks::NewRow {
                id: WebhookId(Uuid::from_u128(c.fresh.as_u128() + 5)),
                url: "https://example.org/intruder",
                events,
                agent_id: Some(c.agent),
                secret: "x",
            };
            kept!(pool, |tx| usize::from(webhooks::insert(tx, c.tenant, &row, 9, c.now).await?))
        }),
        control("webhooks::to_change", |pool, c| {
            kept!(pool, |tx| {
                let id = id(tx, c).await?;
                usize::from(webhooks::to_change(tx, c.tenant, id).await?.is_some())
            })
        }),
        control("webhooks::target", |pool, c| {
            Box::pin(async move { Ok(usize::from(webhooks::target(pool, c.tenant, webhook(pool, c).await?).await?.is_some())) })
        }),
        control("webhooks::attempted", |pool, c| {
            Box::pin(async move {
                let (id, mut seen) = (webhook(pool, c).await?, 0);
                for url in ["https://example.org/tea", "https://example.org/intruder"] {
                    seen += usize::from(webhooks::attempted(pool, c.tenant, id, url, c.now, Some("intruded")).await?.is_some());
                }
                Ok(seen)
            })
        }),
        control("webhooks::set_seen", |pool, c| {
            Box::pin(async move { Ok(usize::from(webhooks::set_seen(pool, c.tenant, webhook(pool, c).await?, i64::MAX).await?)) })
        }),
        control("webhooks::update", |pool, c| {
            kept!(pool, |tx| {
                let webhook = Webhook { id: id(tx, c).await?, ..intruder(c) };
                usize::from(webhooks::update(tx, c.tenant, &webhook, false).await?)
            })
        }),
        control("webhooks::rotate", |pool, c| {
            kept!(pool, |tx| {
                let id = id(tx, c).await?;
                usize::from(webhooks::rotate(tx, c.tenant, id, "intruded", c.now).await?)
            })
        }),
        control("webhooks::delete", |pool, c| {
            kept!(pool, |tx| {
                let id = id(tx, c).await?;
                usize::from(webhooks::delete(tx, c.tenant, id).await?)
            })
        }),
    ]
}

fn intruder(case: &Case) -> Webhook {
    Webhook {
        id: WebhookId(case.fresh),
        url: "https://example.org/intruder".into(),
        events: vec![NoticeKind::JobDead],
        agent: None,
        state: WebhookState::Paused,
        reason: None,
        created_at: case.now,
        attempted_at: None,
        delivered_at: None,
        error: None,
        failing_since: None,
        previous_secret_until: None,
    }
}
