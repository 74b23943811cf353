//! All SQL of the audit log and of the outboxes that feed it.

use super::{NewEntry, chain};
use crate::api::{AgentId, AuditEntry, AuditFilter, AuditVisibility, EventId, RequestId, TenantId};
use crate::db::cursor::Seek;
use crate::db::like;
use crate::db::{DbError, Tx, begin, lock, lock_key};
use chrono::{DateTime, Utc};
use sqlx::{PgPool, Postgres, QueryBuilder};
use uuid::Uuid;

/// Where an outbox row goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "lowercase")]
pub enum Destination {
    Audit,
    Proposal,
    /// Onto the event bus of private memory.
    Job,
}

/// Writes what must reach another database beside the change that caused it.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, %agent))]
pub async fn post(
    tx: &mut Tx,
    tenant: TenantId,
    agent: AgentId,
    id: EventId,
    destination: Destination,
    payload: &serde_json::Value,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    sqlx::query("insert into outbox (tenant_id, agent_id, id, destination, payload, created_at) values ($1, $2, $3, $4, $5, $6)")
        .bind(tenant)
        .bind(agent)
        .bind(id)
        .bind(destination)
        .bind(payload)
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// A row on its way.
#[derive(sqlx::FromRow)]
pub struct Waiting {
    pub tenant_id: TenantId,
    pub agent_id: AgentId,
    pub id: EventId,
    pub destination: Destination,
    pub payload: serde_json::Value,
}

/// Takes undelivered rows, oldest first, leaving out those that another relay holds.
pub async fn take(tx: &mut Tx, batch: i64) -> Result<Vec<Waiting>, DbError> {
    Ok(sqlx::query_as(
        r"select tenant_id, agent_id, id, destination, payload from outbox
           where delivered_at is null and error is null order by created_at, id limit $1 for update skip locked",
    )
    .bind(batch)
    .fetch_all(&mut **tx)
    .await?)
}

/// Marks rows as delivered.
pub async fn delivered(tx: &mut Tx, rows: &[(AgentId, EventId)], now: DateTime<Utc>) -> Result<(), DbError> {
    let (agents, ids): (Vec<Uuid>, Vec<Uuid>) = rows.iter().map(|(agent, id)| (agent.0, id.0)).unzip();
    sqlx::query(
        r"update outbox set delivered_at = $3, attempts = attempts + 1
           where (agent_id, id) in (select * from unnest($1::uuid[], $2::uuid[]))",
    )
    .bind(agents)
    .bind(ids)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Marks a row that cannot be read.
pub async fn set_aside(tx: &mut Tx, row: &Waiting, error: &str) -> Result<(), DbError> {
    sqlx::query("update outbox set error = $3, attempts = attempts + 1 where agent_id = $1 and id = $2")
        .bind(row.agent_id)
        .bind(row.id)
        .bind(error)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// How many rows wait, and since when the oldest does.
pub async fn lag(pool: &PgPool) -> Result<(i64, Option<DateTime<Utc>>), DbError> {
    Ok(sqlx::query_as("select count(*), min(created_at) from outbox where delivered_at is null").fetch_one(pool).await?)
}

/// The same for one tenant.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn lag_of(tx: &mut Tx, tenant: TenantId) -> Result<(i64, Option<DateTime<Utc>>), DbError> {
    Ok(sqlx::query_as("select count(*), min(created_at) from outbox where tenant_id = $1 and delivered_at is null")
        .bind(tenant)
        .fetch_one(&mut **tx)
        .await?)
}

/// Appends entries to one tenant's chain. An entry that is there already is left alone, so delivering twice is harmless.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, entries = entries.len()))]
pub async fn append(control: &PgPool, tenant: TenantId, entries: &[NewEntry]) -> Result<(), DbError> {
    let mut tx = begin(control).await?;
    lock(&mut tx, lock_key(&[b"audit", tenant.0.as_bytes()])).await?;
    let ids: Vec<Uuid> = entries.iter().map(|entry| entry.event_id.0).collect();
    let there: Vec<Uuid> = sqlx::query_scalar("select event_id from audit_log where tenant_id = $1 and event_id = any($2)")
        .bind(tenant)
        .bind(&ids)
        .fetch_all(&mut *tx)
        .await?;
    let last: Option<(i64, Vec<u8>)> = sqlx::query_as("select seq, hash from audit_log where tenant_id = $1 order by seq desc limit 1")
        .bind(tenant)
        .fetch_optional(&mut *tx)
        .await?;
    let (mut seq, mut previous) = last.unwrap_or((0, chain::GENESIS.to_vec()));
    for entry in entries.iter().filter(|entry| !there.contains(&entry.event_id.0)) {
        seq += 1;
        let hash = chain::hash(tenant, seq, entry, &previous);
        sqlx::query(
            r"insert into audit_log (tenant_id, event_id, seq, at, actor_kind, actor_id, actor_name, action, target_kind, target_id,
                                     agent_id, message, reason, request_id, changes, visibility, previous, hash)
              values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
              on conflict (tenant_id, event_id) do nothing",
        )
        .bind(tenant)
        .bind(entry.event_id)
        .bind(seq)
        .bind(entry.at)
        .bind(&entry.actor_kind)
        .bind(&entry.actor_id)
        .bind(&entry.actor_name)
        .bind(&entry.action)
        .bind(&entry.target_kind)
        .bind(&entry.target_id)
        .bind(entry.agent_id)
        .bind(&entry.message)
        .bind(&entry.reason)
        .bind(entry.request_id)
        .bind(&entry.changes)
        .bind(entry.visibility)
        .bind(&previous)
        .bind(&hash)
        .execute(&mut *tx)
        .await?;
        previous = hash;
    }
    Ok(tx.commit().await?)
}

#[derive(sqlx::FromRow)]
struct Row {
    event_id: EventId,
    seq: i64,
    at: DateTime<Utc>,
    actor_kind: String,
    actor_id: String,
    actor_name: String,
    action: String,
    target_kind: String,
    target_id: String,
    agent_id: Option<AgentId>,
    message: String,
    reason: Option<String>,
    request_id: Option<RequestId>,
    changes: serde_json::Value,
    visibility: AuditVisibility,
}

impl From<Row> for AuditEntry {
    fn from(row: Row) -> Self {
        Self {
            event_id: row.event_id,
            seq: row.seq,
            at: row.at,
            actor_kind: row.actor_kind,
            actor_id: row.actor_id,
            actor_name: row.actor_name,
            action: row.action,
            target_kind: row.target_kind,
            target_id: row.target_id,
            agent_id: row.agent_id,
            message: row.message,
            reason: row.reason,
            request_id: row.request_id,
            changes: row.changes,
            visibility: row.visibility,
        }
    }
}

const COLUMNS: &str = "event_id, seq, at, actor_kind, actor_id, actor_name, action, target_kind, target_id, agent_id, message, reason, \
                       request_id, changes, visibility";

fn narrow(query: &mut QueryBuilder<Postgres>, tenant: TenantId, filter: &AuditFilter) {
    query.push(" where tenant_id = ").push_bind(tenant);
    if let Some(actor) = &filter.actor {
        let like = like::contains(actor);
        query.push(" and (actor_name ilike ").push_bind(like.clone()).push(" or actor_id ilike ").push_bind(like).push(")");
    }
    if let Some(action) = &filter.action {
        query.push(" and action like ").push_bind(like::starts_with(action));
    }
    if let Some(target) = &filter.target {
        query.push(" and target_id = ").push_bind(target.clone());
    }
    if let Some(from) = filter.from {
        query.push(" and at >= ").push_bind(from);
    }
    if let Some(until) = filter.until {
        query.push(" and at < ").push_bind(until);
    }
}

/// How many entries a filter matches.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn count(tx: &mut Tx, tenant: TenantId, filter: &AuditFilter) -> Result<i64, DbError> {
    let mut query = QueryBuilder::new("select count(*) from audit_log");
    narrow(&mut query, tenant, filter);
    Ok(query.build_query_scalar().fetch_one(&mut **tx).await?)
}

/// One page's entries and one more, in reading order.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn list(tx: &mut Tx, tenant: TenantId, filter: &AuditFilter, seek: &Seek, size: usize) -> Result<Vec<AuditEntry>, DbError> {
    let mut query = QueryBuilder::new(format!("select {COLUMNS} from audit_log"));
    narrow(&mut query, tenant, filter);
    seek.push(&mut query, "at", "event_id", true, size);
    let rows: Vec<Row> = query.build_query_as().fetch_all(&mut **tx).await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// The newest entries about one target.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn of_target(tx: &mut Tx, tenant: TenantId, target: &str, most: i64) -> Result<Vec<AuditEntry>, DbError> {
    let rows: Vec<Row> = sqlx::query_as(
        r"select event_id, seq, at, actor_kind, actor_id, actor_name, action, target_kind, target_id, agent_id, message, reason,
                 request_id, changes, visibility
            from audit_log where tenant_id = $1 and target_id = $2 order by seq desc limit $3",
    )
    .bind(tenant)
    .bind(target)
    .bind(most)
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// A link of the chain as it is stored.
pub struct Link {
    pub entry: NewEntry,
    pub seq: i64,
    pub previous: Vec<u8>,
    pub hash: Vec<u8>,
}

/// Links of a tenant's chain after `seq`, in order.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn links(control: &PgPool, tenant: TenantId, seq: i64, most: i64) -> Result<Vec<Link>, DbError> {
    #[derive(sqlx::FromRow)]
    struct Stored {
        #[sqlx(flatten)]
        row: Row,
        previous: Vec<u8>,
        hash: Vec<u8>,
    }
    let rows: Vec<Stored> = sqlx::query_as(
        r"select event_id, seq, at, actor_kind, actor_id, actor_name, action, target_kind, target_id, agent_id, message, reason,
                 request_id, changes, visibility, previous, hash
            from audit_log where tenant_id = $1 and seq > $2 order by seq limit $3",
    )
    .bind(tenant)
    .bind(seq)
    .bind(most)
    .fetch_all(control)
    .await?;
    Ok(rows
        .into_iter()
        .map(|Stored { row, previous, hash }| Link {
            seq: row.seq,
            entry: NewEntry {
                event_id: row.event_id,
                at: row.at,
                actor_kind: row.actor_kind,
                actor_id: row.actor_id,
                actor_name: row.actor_name,
                action: row.action,
                target_kind: row.target_kind,
                target_id: row.target_id,
                agent_id: row.agent_id,
                message: row.message,
                reason: row.reason,
                request_id: row.request_id,
                changes: row.changes,
                visibility: row.visibility,
            },
            previous,
            hash,
        })
        .collect())
}
