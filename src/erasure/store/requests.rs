//! Requests, legal holds and the keys of tenants.

use chrono::{DateTime, Utc};
use db::{DbError, SystemPool, Tx, insert, sql};
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;
use wire::{AgentId, Erasure, ErasureId, LegalHold, MentionRef, OperatorId, TableCount, TenantId, UserId};

/// The secret of a tenant's key, if it has one.
pub async fn secret(control: &SystemPool, tenant: TenantId) -> Result<Option<String>, DbError> {
    control.value_if_any(sql!([tenant], "select secret from tenant_keys where tenant_id = $1")).await
}

/// Gives a tenant a secret, unless it has one.
pub async fn insert_secret(control: &SystemPool, tenant: TenantId, secret: &str, now: DateTime<Utc>) -> Result<(), DbError> {
    control
        .run(sql!(
            [tenant, secret, now],
            "insert into tenant_keys (tenant_id, secret, created_at) values ($1, $2, $3) on conflict do nothing"
        ))
        .await
}

/// Sets a legal hold; false: there is one.
pub async fn insert_hold(tx: &mut Tx, tenant: TenantId, commons: AgentId, id: Uuid, hold: &LegalHold) -> Result<bool, DbError> {
    let query = insert!("insert into legal_holds" {
        tenant_id: tenant,
        agent_id: commons,
        id: id,
        user_id: hold.user_id,
        reason: &hold.reason,
        set_by: &hold.set_by,
        set_at: hold.set_at,
    } "on conflict (tenant_id, user_id) where lifted_at is null do nothing");
    tx.changed_any(query).await
}

/// Lifts a legal hold; false: there is none.
pub async fn lift_hold(tx: &mut Tx, tenant: TenantId, user: UserId, by: &str, reason: &str, now: DateTime<Utc>) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, user, by, reason, now],
        r"update legal_holds set lifted_by = $3, lift_reason = $4, lifted_at = $5 where tenant_id = $1 and user_id = $2
                 and lifted_at is null"
    ))
    .await
}

/// The open legal holds of a tenant, newest first.
pub async fn holds(tx: &mut Tx, tenant: TenantId) -> Result<Vec<LegalHold>, DbError> {
    tx.rows(sql!(
        [tenant],
        "select user_id, reason, set_by, set_at from legal_holds where tenant_id = $1 and lifted_at is null order by set_at desc, id desc"
    ))
    .await
}

/// The first open legal hold on one of some users.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, users = users.len()))]
pub async fn hold_of(tx: &mut Tx, tenant: TenantId, users: &[UserId]) -> Result<Option<LegalHold>, DbError> {
    tx.row_if_any(sql!(
        [tenant, users],
        r"select user_id, reason, set_by, set_at from legal_holds
           where tenant_id = $1 and user_id = any($2) and lifted_at is null order by set_at limit 1"
    ))
    .await
}

/// A request before it is stored.
pub struct NewRequest<'a> {
    pub id: ErasureId,
    pub user: UserId,
    pub reason: &'a str,
    pub names: &'a [String],
    pub mentions: &'a [MentionRef],
    pub by: (OperatorId, &'a str),
    pub at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

pub async fn insert_request(tx: &mut Tx, tenant: TenantId, new: &NewRequest<'_>) -> Result<(), DbError> {
    let query = insert!("insert into erasure_requests" {
        tenant_id: tenant,
        id: new.id,
        user_id: new.user,
        reason: new.reason,
        names: new.names,
        mentions: Json(new.mentions),
        state: "waiting",
        requested_by: new.by.0,
        requested_by_name: new.by.1,
        requested_at: new.at,
        expires_at: new.expires_at,
    } "");
    tx.run(query).await
}

/// Marks requests that nobody confirmed in time.
pub async fn expire(tx: &mut Tx, tenant: TenantId, now: DateTime<Utc>) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, now],
        r"update erasure_requests set state = 'expired', ended_at = expires_at, names = '{}', mentions = '[]'
           where tenant_id = $1 and state = 'waiting' and expires_at <= $2"
    ))
    .await
}

macro_rules! columns {
    () => {
        "id, user_id, reason, case when state = 'waiting' and expires_at <= $2 then 'expired' else state end as state, requested_by, \
         requested_by_name, requested_at, expires_at, confirmed_by_name, confirmed_at, ended_by_name, ended_at, step, \
         jsonb_array_length(mentions)::bigint as mentions, (select coalesce(u.name, u.external_ref) from users u \
         where u.tenant_id = erasure_requests.tenant_id and u.id = erasure_requests.user_id) as user_name"
    };
}

/// The latest requests of a tenant, newest first.
pub async fn list(tx: &mut Tx, tenant: TenantId, now: DateTime<Utc>, most: i64) -> Result<Vec<Erasure>, DbError> {
    tx.rows(sql!(
        [tenant, now, most],
        "select ",
        columns!(),
        " from erasure_requests where tenant_id = $1 order by requested_at desc, id desc limit $3"
    ))
    .await
}

/// A request with what the list leaves out.
#[derive(FromRow)]
pub struct Stored {
    #[sqlx(flatten)]
    pub request: Erasure,
    pub names: Vec<String>,
    #[sqlx(rename = "rows")]
    pub ticked: Json<Vec<MentionRef>>,
    pub found: Option<Json<Vec<TableCount>>>,
}

macro_rules! stored {
    ($end:literal) => {
        concat!("select ", columns!(), ", names, mentions as rows, found from erasure_requests where tenant_id = $1 and id = $3", $end)
    };
}

pub async fn request(tx: &mut Tx, tenant: TenantId, id: ErasureId, now: DateTime<Utc>) -> Result<Option<Stored>, DbError> {
    tx.row_if_any(sql!([tenant, now, id], stored!(""))).await
}

/// One request, locked until the transaction ends.
pub async fn lock_request(tx: &mut Tx, tenant: TenantId, id: ErasureId, now: DateTime<Utc>) -> Result<Option<Stored>, DbError> {
    tx.row_if_any(sql!([tenant, now, id], stored!(" for update"))).await
}

pub async fn confirm(tx: &mut Tx, tenant: TenantId, id: ErasureId, by: OperatorId, name: &str, now: DateTime<Utc>) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, id, by, name, now],
        r"update erasure_requests set state = 'confirmed', confirmed_by = $3, confirmed_by_name = $4, confirmed_at = $5
           where tenant_id = $1 and id = $2"
    ))
    .await
}

pub async fn withdraw(tx: &mut Tx, tenant: TenantId, id: ErasureId, by: &str, now: DateTime<Utc>) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, id, by, now],
        r"update erasure_requests set state = 'withdrawn', ended_by_name = $3, ended_at = $4, names = '{}', mentions = '[]'
           where tenant_id = $1 and id = $2"
    ))
    .await
}

/// The requests of a tenant that were confirmed and are not done.
pub async fn unfinished(control: &SystemPool, tenant: TenantId) -> Result<Vec<ErasureId>, DbError> {
    control
        .values(sql!([tenant], "select id from erasure_requests where tenant_id = $1 and state = 'confirmed' order by confirmed_at"))
        .await
}

/// Puts the job of a request on the bus of memories, or wakes a dead one. A job that waits or runs stays as it is.
pub async fn post_job(
    memory: &SystemPool,
    tenant: TenantId,
    commons: AgentId,
    id: ErasureId,
    payload: &serde_json::Value,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    memory
        .run(sql!(
            [tenant, commons, id, payload, now],
            r"insert into events (tenant_id, agent_id, id, kind, task, payload, state, run_after, created_at)
          values ($1, $2, $3, 'maintenance', 'erase', $4, 'pending', $5, $5)
          on conflict (tenant_id, agent_id, id) do update
             set state = 'pending', attempts_before = events.attempt, run_after = excluded.run_after, error = null, finished_at = null
           where events.tenant_id = excluded.tenant_id and events.state = 'dead'"
        ))
        .await
}

/// Says what the job of a request does now.
pub async fn begin_step(control: &SystemPool, tenant: TenantId, id: ErasureId, step: &str) -> Result<(), DbError> {
    control
        .run(sql!([tenant, id, step], "update erasure_requests set step = $3 where tenant_id = $1 and id = $2 and state = 'confirmed'"))
        .await
}

/// Records the counts before the first row goes; later ones change nothing.
pub async fn put_found(control: &SystemPool, tenant: TenantId, id: ErasureId, found: &[TableCount]) -> Result<(), DbError> {
    control
        .run(sql!(
            [tenant, id, Json(found)],
            "update erasure_requests set found = $3 where tenant_id = $1 and id = $2 and state = 'confirmed' and found is null"
        ))
        .await
}

/// Ends a request with its signed report; false: somebody else ended it.
pub async fn finish(
    tx: &mut Tx,
    tenant: TenantId,
    id: ErasureId,
    report: &str,
    signature: &str,
    now: DateTime<Utc>,
) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, id, report, signature, now],
        r"update erasure_requests
             set state = 'done', ended_at = $5, report = $3, signature = $4, names = '{}', mentions = '[]', step = null
           where tenant_id = $1 and id = $2 and state = 'confirmed'"
    ))
    .await
}

/// The signed text of a request's report and its signature.
pub async fn report(tx: &mut Tx, tenant: TenantId, id: ErasureId) -> Result<Option<(String, String)>, DbError> {
    tx.row_if_any(sql!(
        [tenant, id],
        "select report, signature from erasure_requests where tenant_id = $1 and id = $2 and report is not null"
    ))
    .await
}

/// Whether rows from before a time wait for their delivery. Their receivers would get words after these were erased.
pub async fn is_waiting(tx: &mut Tx, tenant: TenantId, before: DateTime<Utc>) -> Result<bool, DbError> {
    tx.value(sql!(
        [tenant, before],
        r"select exists (select from outbox where tenant_id = $1 and delivered_at is null and error is null and created_at <= $2)
              or exists (select from events where tenant_id = $1 and task = 'recanonicalise' and state in ('pending', 'running', 'failed'))"
    ))
    .await
}
