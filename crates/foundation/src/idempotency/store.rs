//! All SQL of idempotent requests. Each of the three databases has a table with the same columns.

use chrono::{DateTime, Utc};
use db::{DbError, SystemPool, Tenancy, Tx, of_user};
use serde_json::Value;
use sqlx::Arguments;
use sqlx::postgres::PgArguments;
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

/// The condition that a row `r` is the request of [`arguments`], `$1` to `$6`.
macro_rules! is_the_request {
    () => {
        concat!(
            "r.tenant_id = $1 and r.agent_id = $3 and r.key_id = $4 and r.operation = $5 and r.idempotency_key = $6 and ",
            of_user!("r", "$2")
        )
    };
}

fn arguments(tenancy: Tenancy, request: Request<'_>) -> Result<PgArguments, DbError> {
    let mut arguments = PgArguments::default();
    let added = (|| {
        arguments.add(tenancy.tenant)?;
        arguments.add(tenancy.users)?;
        arguments.add(request.agent)?;
        arguments.add(request.key)?;
        arguments.add(request.operation)?;
        arguments.add(request.idempotency_key)
    })();
    added.map_err(sqlx::Error::Encode)?;
    Ok(arguments)
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
    let inserted = sqlx::query(
        r"insert into idempotent_requests (tenant_id, agent_id, user_id, key_id, operation, idempotency_key, fingerprint, created_at)
          values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing",
    )
    .bind(tenancy.tenant)
    .bind(request.agent)
    .bind(tenancy.users.id())
    .bind(request.key)
    .bind(request.operation)
    .bind(request.idempotency_key)
    .bind(request.fingerprint)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// The request that ran with the same key at `since` or later.
pub async fn find(tx: &mut Tx, tenancy: Tenancy, request: Request<'_>, since: DateTime<Utc>) -> Result<Option<StoredRequest>, DbError> {
    let text =
        concat!("select r.fingerprint, r.answer, r.memory_ids from idempotent_requests r where r.created_at >= $7 and ", is_the_request!());
    Ok(sqlx::query_as_with(text, arguments(tenancy, request)?).bind(since).fetch_optional(&mut **tx).await?)
}

/// Whether one of some memories is deleted or expired `now`, or no longer stored. What is only archived stays in answers about the past. For the database of memories.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, memories = memories.len()))]
pub async fn is_out_of_reach(tx: &mut Tx, tenancy: Tenancy, memories: &[MemoryId], now: DateTime<Utc>) -> Result<bool, DbError> {
    let query = sqlx::query_scalar(concat!(
        r"select (select count(*) from agent_memories m
                   where m.tenant_id = $1 and m.id = any($2) and m.deleted_at is null
                     and (m.expires_at is null or m.expires_at > $3) and ",
        of_user!("m", "$4"),
        ") < (select count(distinct i) from unnest($2::uuid[]) i)"
    ));
    Ok(query.bind(tenancy.tenant).bind(memories).bind(now).bind(tenancy.users).fetch_one(&mut **tx).await?)
}

/// Deletes the request if it ran before `since`.
pub async fn delete_expired(tx: &mut Tx, tenancy: Tenancy, request: Request<'_>, since: DateTime<Utc>) -> Result<u64, DbError> {
    let text = concat!("delete from idempotent_requests r where r.created_at < $7 and ", is_the_request!());
    let dropped = sqlx::query_with(text, arguments(tenancy, request)?).bind(since).execute(&mut **tx).await?;
    Ok(dropped.rows_affected())
}

/// Writes the answer to a request, and the memories whose words it may hold.
pub async fn put_answer(
    tx: &mut Tx,
    tenancy: Tenancy,
    request: Request<'_>,
    answer: &Value,
    memories: &[MemoryId],
) -> Result<u64, DbError> {
    let text = concat!("update idempotent_requests r set answer = $7, memory_ids = $8 where ", is_the_request!());
    let written = sqlx::query_with(text, arguments(tenancy, request)?).bind(answer).bind(memories).execute(&mut **tx).await?;
    Ok(written.rows_affected())
}

/// Adds memories whose words a request may hold.
pub async fn add_memories(tx: &mut Tx, tenancy: Tenancy, request: Request<'_>, memories: &[MemoryId]) -> Result<u64, DbError> {
    let text =
        concat!("update idempotent_requests r set memory_ids = r.memory_ids || $7 where r.fingerprint is not null and ", is_the_request!());
    let written = sqlx::query_with(text, arguments(tenancy, request)?).bind(memories).execute(&mut **tx).await?;
    Ok(written.rows_affected())
}

/// Erases the requests and answers that hold words of a forgotten memory; returns how many. For the database of memories.
pub async fn erase(tx: &mut Tx, tenancy: Tenancy, memory: MemoryId) -> Result<i64, DbError> {
    Ok(sqlx::query_scalar("select erase_answers($1, $2)").bind(tenancy.tenant).bind(memory).fetch_one(&mut **tx).await?)
}

/// Deletes up to `most` requests of all tenants that ran before a time; returns how many.
#[tracing::instrument(level = "debug", skip_all)]
pub async fn sweep(pool: &SystemPool, before: DateTime<Utc>, most: i64) -> Result<i64, DbError> {
    Ok(sqlx::query_scalar("select sweep_idempotent_requests($1, $2)").bind(before).bind(most).fetch_one(pool).await?)
}
