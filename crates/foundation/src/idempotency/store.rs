//! All SQL of idempotent requests. Each of the three databases has a table with the same columns.

use chrono::{DateTime, Utc};
use db::{DbError, SystemPool, Tenancy, Tx, insert, of_user, sql};
use serde_json::Value;
use wire::{AgentId, KeyId, MemoryId};

/// What makes two requests the same one.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub agent: AgentId,
    pub key: KeyId,
    pub operation: &'static str,
    pub idempotency_key: &'a str,
    /// SHA-256 of the request and its user.
    pub fingerprint: &'a [u8],
}

/// A statement about a request: what comes before the condition that a row `r` is the request, and its values from `$7` on.
macro_rules! of_request {
    ($tenancy:expr, $request:expr, [$($value:expr),+], $text:literal) => {
        sql!(
            [$tenancy.tenant, $tenancy.users, $request.agent, $request.key, $request.operation, $request.idempotency_key, $($value),+],
            $text,
            "r.tenant_id = $1 and r.agent_id = $3 and r.key_id = $4 and r.operation = $5 and r.idempotency_key = $6 and ",
            of_user!("r", "$2")
        )
    };
}

/// A request that ran, and its answer.
#[derive(Debug, sqlx::FromRow)]
pub struct StoredRequest {
    /// Absent: request and answer were erased.
    pub fingerprint: Option<Vec<u8>>,
    pub answer: Option<Value>,
    /// The memories whose words it may hold.
    pub memory_ids: Vec<MemoryId>,
}

/// Inserts a request; returns false if it exists. Waits while another transaction inserts the same one.
pub async fn insert(tx: &mut Tx, tenancy: Tenancy, request: Request<'_>, now: DateTime<Utc>) -> Result<bool, DbError> {
    let inserted = tx
        .changed(insert!("insert into idempotent_requests" {
            tenant_id: tenancy.tenant,
            agent_id: request.agent,
            user_id: tenancy.users.id(),
            key_id: request.key,
            operation: request.operation,
            idempotency_key: request.idempotency_key,
            fingerprint: request.fingerprint,
            created_at: now,
        } "on conflict do nothing"))
        .await?;
    Ok(inserted == 1)
}

/// The request that ran with the same key at `since` or later.
pub async fn find(tx: &mut Tx, tenancy: Tenancy, request: Request<'_>, since: DateTime<Utc>) -> Result<Option<StoredRequest>, DbError> {
    tx.row_if_any(of_request!(
        tenancy,
        request,
        [since],
        "select r.fingerprint, r.answer, r.memory_ids from idempotent_requests r where r.created_at >= $7 and "
    ))
    .await
}

/// Whether one of some memories is deleted or expired `now`, or no longer stored. What is only archived stays in answers about the past. For the database of memories.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, memories = memories.len()))]
pub async fn is_out_of_reach(tx: &mut Tx, tenancy: Tenancy, memories: &[MemoryId], now: DateTime<Utc>) -> Result<bool, DbError> {
    tx.value(sql!(
        [tenancy.tenant, memories, now, tenancy.users],
        r"select (select count(*) from agent_memories m
                   where m.tenant_id = $1 and m.id = any($2) and m.deleted_at is null
                     and (m.expires_at is null or m.expires_at > $3) and ",
        of_user!("m", "$4"),
        ") < (select count(distinct i) from unnest($2::uuid[]) i)"
    ))
    .await
}

/// Deletes the request if it ran before `since`.
pub async fn delete_expired(tx: &mut Tx, tenancy: Tenancy, request: Request<'_>, since: DateTime<Utc>) -> Result<u64, DbError> {
    tx.changed(of_request!(tenancy, request, [since], "delete from idempotent_requests r where r.created_at < $7 and ")).await
}

/// Writes the answer to a request, and the memories whose words it may hold.
pub async fn put_answer(
    tx: &mut Tx,
    tenancy: Tenancy,
    request: Request<'_>,
    answer: &Value,
    memories: &[MemoryId],
) -> Result<u64, DbError> {
    tx.changed(of_request!(tenancy, request, [answer, memories], "update idempotent_requests r set answer = $7, memory_ids = $8 where "))
        .await
}

/// Adds memories whose words a request may hold.
pub async fn add_memories(tx: &mut Tx, tenancy: Tenancy, request: Request<'_>, memories: &[MemoryId]) -> Result<u64, DbError> {
    tx.changed(of_request!(
        tenancy,
        request,
        [memories],
        "update idempotent_requests r set memory_ids = r.memory_ids || $7 where r.fingerprint is not null and "
    ))
    .await
}

/// Erases the requests and answers that hold words of a forgotten memory; returns how many. For the database of memories.
pub async fn erase(tx: &mut Tx, tenancy: Tenancy, memory: MemoryId) -> Result<i64, DbError> {
    tx.value(sql!([tenancy.tenant, memory], "select erase_answers($1, $2)")).await
}

/// Deletes up to `most` requests of all tenants that ran before a time; returns how many.
#[tracing::instrument(level = "debug", skip_all)]
pub async fn sweep(pool: &SystemPool, before: DateTime<Utc>, most: i64) -> Result<i64, DbError> {
    pool.value(sql!([before, most], "select sweep_idempotent_requests($1, $2)")).await
}
