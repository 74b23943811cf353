//! All SQL of webhooks.

use crate::identity::store::parse_all;
use chrono::{DateTime, Utc};
use db::{DbError, SystemPool, Tx, lock, lock_key, sql};
use wire::{AgentId, NoticeKind, TenantId, Webhook, WebhookId, WebhookState};

/// A webhook that is made.
pub struct NewRow<'a> {
    pub id: WebhookId,
    pub url: &'a str,
    pub events: &'a [NoticeKind],
    /// The one agent whose memory it is called for.
    pub agent_id: Option<AgentId>,
    pub secret: &'a str,
}

/// Inserts a webhook that is called for what happens from now on; false if the tenant has `most` already. Until the transaction ends, nobody
/// else inserts one of the tenant.
pub async fn insert(tx: &mut Tx, tenant: TenantId, row: &NewRow<'_>, most: i64, now: DateTime<Utc>) -> Result<bool, DbError> {
    lock(tx, lock_key(&[b"webhooks", tenant.0.as_bytes()])).await?;
    tx.changed_any(sql!(
        [tenant, row.id, row.url, texts(row.events), row.agent_id, row.secret, now, most],
        r"insert into webhooks (tenant_id, id, url, kinds, agent_id, secret, state, seen, created_at)
          select $1, $2, $3, $4, $5, $6, 'active', coalesce((select last from notice_heads where tenant_id = $1), 0), $7
           where (select count(*) from webhooks where tenant_id = $1) < $8"
    ))
    .await
}

fn texts(events: &[NoticeKind]) -> Vec<&'static str> {
    events.iter().map(|event| event.as_str()).collect()
}

#[derive(sqlx::FromRow)]
struct Row {
    id: WebhookId,
    url: String,
    kinds: Vec<String>,
    agent: Option<String>,
    state: WebhookState,
    reason: Option<String>,
    created_at: DateTime<Utc>,
    attempted_at: Option<DateTime<Utc>>,
    delivered_at: Option<DateTime<Utc>>,
    error: Option<String>,
    failing_since: Option<DateTime<Utc>>,
    previous_ends_at: Option<DateTime<Utc>>,
}

impl TryFrom<Row> for Webhook {
    type Error = DbError;
    fn try_from(row: Row) -> Result<Self, DbError> {
        Ok(Self {
            id: row.id,
            events: parse_all("webhooks", "kinds", &row.id.to_string(), &row.kinds)?,
            url: row.url,
            agent: row.agent,
            state: row.state,
            reason: row.reason,
            created_at: row.created_at,
            attempted_at: row.attempted_at,
            delivered_at: row.delivered_at,
            error: row.error,
            failing_since: row.failing_since,
            previous_secret_until: row.previous_ends_at,
        })
    }
}

/// Selects webhooks as [`Row`].
macro_rules! webhooks {
    () => {
        r"select w.id, w.url, w.kinds, a.slug as agent, w.state, w.reason, w.created_at, w.attempted_at, w.delivered_at, w.error,
                 w.failing_since, w.previous_ends_at
            from webhooks w left join agents a on a.tenant_id = w.tenant_id and a.id = w.agent_id
           where w.tenant_id = $1 "
    };
}

/// The webhooks of a tenant, the oldest first.
pub async fn list(tx: &mut Tx, tenant: TenantId) -> Result<Vec<Webhook>, DbError> {
    let rows: Vec<Row> = tx.rows(sql!([tenant], webhooks!(), "order by w.created_at, w.id")).await?;
    rows.into_iter().map(Webhook::try_from).collect()
}

/// A webhook, locked until the transaction ends.
pub async fn to_change(tx: &mut Tx, tenant: TenantId, id: WebhookId) -> Result<Option<Webhook>, DbError> {
    let row: Option<Row> = tx.row_if_any(sql!([tenant, id], webhooks!(), "and w.id = $2 for update of w")).await?;
    row.map(Webhook::try_from).transpose()
}

/// Writes what can change of a webhook; one that `begins` is called for what happens from now on. False when the tenant has no such webhook.
pub async fn update(tx: &mut Tx, tenant: TenantId, webhook: &Webhook, begins: bool) -> Result<bool, DbError> {
    let Webhook { id, url, events, state, reason, error, failing_since, .. } = webhook;
    tx.changed_any(sql!(
        [tenant, *id, url, texts(events), *state, reason, error, *failing_since, begins],
        r"update webhooks set url = $3, kinds = $4, state = $5, reason = $6, error = $7, failing_since = $8,
                 seen = case when $9 then coalesce((select last from notice_heads where tenant_id = $1), 0) else seen end
           where tenant_id = $1 and id = $2"
    ))
    .await
}

/// Replaces the secret; the one before signs until a time. False when the tenant has no such webhook.
pub async fn rotate(tx: &mut Tx, tenant: TenantId, id: WebhookId, secret: &str, until: DateTime<Utc>) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, id, secret, until],
        "update webhooks set previous_secret = secret, previous_ends_at = $4, secret = $3 where tenant_id = $1 and id = $2"
    ))
    .await
}

/// Forgets the replaced secrets of any tenant that sign no more.
pub async fn forget_secrets(control: &SystemPool, now: DateTime<Utc>) -> Result<(), DbError> {
    control.run(sql!([now], "update webhooks set previous_secret = null, previous_ends_at = null where previous_ends_at <= $1")).await
}

/// Deletes a webhook; false when the tenant has no such webhook.
pub async fn delete(tx: &mut Tx, tenant: TenantId, id: WebhookId) -> Result<bool, DbError> {
    tx.changed_any(sql!([tenant, id], "delete from webhooks where tenant_id = $1 and id = $2")).await
}

/// A webhook that has not seen every notice.
#[derive(sqlx::FromRow)]
pub struct Behind {
    pub tenant_id: TenantId,
    pub commons_id: AgentId,
    pub id: WebhookId,
    pub agent_id: Option<AgentId>,
    kinds: Vec<String>,
    pub seen: i64,
}

impl Behind {
    /// Whether it is called for a kind of notice.
    pub fn wants(&self, kind: NoticeKind) -> bool {
        self.kinds.iter().any(|wanted| wanted == kind.as_str())
    }
}

/// The active webhooks of all tenants that have not seen every notice.
pub async fn behind(control: &SystemPool) -> Result<Vec<Behind>, DbError> {
    control
        .rows(sql!(
            [],
            r"select w.tenant_id, c.id as commons_id, w.id, w.agent_id, w.kinds, w.seen
            from webhooks w
            join notice_heads h on h.tenant_id = w.tenant_id and h.last > w.seen
            join agents c on c.tenant_id = w.tenant_id and c.kind = 'commons'
           where w.state = 'active'"
        ))
        .await
}

/// The webhooks of all tenants that a person paused.
pub async fn paused(control: &SystemPool) -> Result<Vec<WebhookId>, DbError> {
    control.values(sql!([], "select id from webhooks where state = 'paused'")).await
}

/// Notes that notices up to a number have their deliveries.
pub async fn set_seen(control: &SystemPool, tenant: TenantId, id: WebhookId, seen: i64) -> Result<bool, DbError> {
    control.changed_any(sql!([tenant, id, seen], "update webhooks set seen = $3 where tenant_id = $1 and id = $2 and seen < $3")).await
}

/// Where a delivery goes, and what signs it.
#[derive(sqlx::FromRow)]
pub struct Target {
    pub url: String,
    pub state: WebhookState,
    pub secret: String,
    pub previous_secret: Option<String>,
    pub previous_ends_at: Option<DateTime<Utc>>,
}

/// The target of a webhook, if it is still there.
pub async fn target(control: &SystemPool, tenant: TenantId, id: WebhookId) -> Result<Option<Target>, DbError> {
    control
        .row_if_any(sql!(
            [tenant, id],
            "select url, state, secret, previous_secret, previous_ends_at from webhooks where tenant_id = $1 and id = $2"
        ))
        .await
}

/// Notes an attempt to deliver something, and why it failed if it did; since when attempts fail. Nothing if the webhook got another address
/// meanwhile.
pub async fn attempted(
    control: &SystemPool,
    tenant: TenantId,
    id: WebhookId,
    url: &str,
    now: DateTime<Utc>,
    error: Option<&str>,
) -> Result<Option<DateTime<Utc>>, DbError> {
    let since: Option<Option<DateTime<Utc>>> = control
        .value_if_any(sql!(
            [tenant, id, now, error, url],
            r"update webhooks set attempted_at = $3, error = $4,
                     delivered_at = case when $4::text is null then $3 else delivered_at end,
                     failing_since = case when $4::text is null then null else coalesce(failing_since, $3) end
               where tenant_id = $1 and id = $2 and url = $5 returning failing_since"
        ))
        .await?;
    Ok(since.flatten())
}
