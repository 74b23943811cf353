//! All SQL of the event bus.

use super::{NewEvent, PostedJob, State};
use crate::api::{AgentId, EventId, TenantId};
use crate::db::{DbError, Tx};
use chrono::{DateTime, Utc};
use sqlx::PgPool;

/// Puts an event on the bus.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, %agent))]
pub async fn insert(tx: &mut Tx, tenant: TenantId, agent: AgentId, event: &NewEvent) -> Result<(), DbError> {
    sqlx::query(
        r"insert into events (tenant_id, agent_id, id, kind, task, payload, state, run_after, created_at, finished_at)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $8, case when $7 = 'done' then $8 end)",
    )
    .bind(tenant)
    .bind(agent)
    .bind(event.id)
    .bind(event.task.kind())
    .bind(event.task)
    .bind(&event.payload)
    .bind(event.state)
    .bind(event.now)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Puts a job from another database on the bus; delivering it again changes nothing.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, %agent))]
pub async fn deliver(
    pool: &PgPool,
    tenant: TenantId,
    agent: AgentId,
    id: EventId,
    posted: &PostedJob,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    sqlx::query(
        r"insert into events (tenant_id, agent_id, id, kind, task, payload, state, run_after, created_at)
          values ($1, $2, $3, $4, $5, $6, 'pending', $7, $8) on conflict do nothing",
    )
    .bind(tenant)
    .bind(agent)
    .bind(id)
    .bind(posted.task.kind())
    .bind(posted.task)
    .bind(&posted.payload)
    .bind(posted.run_after)
    .bind(now)
    .execute(pool)
    .await?;
    Ok(())
}

/// An event that this worker holds. `attempt` is its fencing token.
#[derive(sqlx::FromRow)]
pub struct Leased {
    pub tenant_id: TenantId,
    pub agent_id: AgentId,
    pub id: EventId,
    pub task: String,
    pub payload: serde_json::Value,
    pub attempt: i32,
}

/// Claims events that are due, and those whose worker died.
pub async fn claim(pool: &PgPool, now: DateTime<Utc>, lease_until: DateTime<Utc>, most: i64) -> Result<Vec<Leased>, DbError> {
    Ok(sqlx::query_as(
        r"update events set state = 'running', attempt = attempt + 1, leased_until = $2
           where (agent_id, id) in (
                 select agent_id, id from events
                  where run_after <= $1 and (state in ('pending', 'failed') or (state = 'running' and leased_until < $1))
                  order by run_after limit $3 for update skip locked)
          returning tenant_id, agent_id, id, task, payload, attempt",
    )
    .bind(now)
    .bind(lease_until)
    .bind(most)
    .fetch_all(pool)
    .await?)
}

/// Extends a lease; false when it was lost.
pub async fn extend(pool: &PgPool, event: &Leased, lease_until: DateTime<Utc>) -> Result<bool, DbError> {
    let done = sqlx::query("update events set leased_until = $4 where agent_id = $1 and id = $2 and attempt = $3 and state = 'running'")
        .bind(event.agent_id)
        .bind(event.id)
        .bind(event.attempt)
        .bind(lease_until)
        .execute(pool)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// How an attempt ended.
pub struct Ending<'a> {
    pub state: State,
    pub error: Option<&'a str>,
    pub outcome: Option<serde_json::Value>,
    pub run_after: DateTime<Utc>,
    pub now: DateTime<Utc>,
}

/// Ends an attempt; false when the lease was lost meanwhile, in which case nothing changes.
pub async fn finish(pool: &PgPool, event: &Leased, ending: &Ending<'_>) -> Result<bool, DbError> {
    let done = sqlx::query(
        r"update events set state = $4, error = $5, outcome = $6, run_after = $7, leased_until = null,
                 finished_at = case when $4 in ('done', 'dead') then $8 end
           where agent_id = $1 and id = $2 and attempt = $3 and state = 'running'",
    )
    .bind(event.agent_id)
    .bind(event.id)
    .bind(event.attempt)
    .bind(ending.state)
    .bind(ending.error)
    .bind(&ending.outcome)
    .bind(ending.run_after)
    .bind(ending.now)
    .execute(pool)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// How many events wait or run, by state.
pub async fn depth(pool: &PgPool) -> Result<Vec<(String, i64)>, DbError> {
    Ok(sqlx::query_as("select state, count(*) from events where state in ('pending', 'running', 'failed', 'dead') group by state")
        .fetch_all(pool)
        .await?)
}

/// The same for one tenant.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn depth_of(tx: &mut Tx, tenant: TenantId) -> Result<Vec<(String, i64)>, DbError> {
    Ok(sqlx::query_as(
        r"select state, count(*) from events
           where tenant_id = $1 and state in ('pending', 'running', 'failed', 'dead') group by state",
    )
    .bind(tenant)
    .fetch_all(&mut **tx)
    .await?)
}

/// How many memories the waiting jobs of re-canonicalisation still have to refile.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn unfiled(tx: &mut Tx, tenant: TenantId) -> Result<i64, DbError> {
    Ok(sqlx::query_scalar(
        r"select count(distinct (m.agent_id, m.id))
            from events e
            join agent_memories m
              on m.tenant_id = e.tenant_id and m.deleted_at is null and m.vocabulary_version < (e.payload->>'version')::bigint
             and m.topic_normal in (select jsonb_array_elements_text(e.payload->'forms'))
           where e.tenant_id = $1 and e.task = 'recanonicalise' and e.state in ('pending', 'running', 'failed')",
    )
    .bind(tenant)
    .fetch_one(&mut **tx)
    .await?)
}

/// The commons of a tenant; a worker needs it to act for the tenant, and agents' rows carry the tenant only.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn commons(control: &PgPool, tenant: TenantId) -> Result<Option<AgentId>, DbError> {
    Ok(sqlx::query_scalar("select id from agents where tenant_id = $1 and kind = 'commons'").bind(tenant).fetch_optional(control).await?)
}
