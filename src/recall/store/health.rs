//! SQL of the log for operators.

use crate::api::{AgentId, HealthFilter, RetrievalId, TenantId, UserId, ZeroHitCause};
use crate::db::cursor::Seek;
use crate::db::{DbError, Tx, statement};
use crate::memories::store::VectorTable;
use crate::recall::near::{Near, Silent};
use chrono::{DateTime, NaiveDate, Utc};
use pgvector::Vector;
use sqlx::types::Json;
use sqlx::{AssertSqlSafe, FromRow, Postgres, QueryBuilder};
use uuid::Uuid;

/// The nearest of all memories that the agents ever had, in reach or not, nearest first.
pub async fn nearest_of_all(tx: &mut Tx, silent: &Silent<'_>, vector: &[f32], most: i64) -> Result<Vec<Near>, DbError> {
    let VectorTable { table, .. } = VectorTable::of(vector.len())?;
    let agents: Vec<Uuid> = silent.agents.iter().map(|agent| agent.0).collect();
    let sql = format!(
        r"with near as (
              select e.agent_id, e.memory_id, greatest(0, 1 - (e.embedding <=> $4)) as similarity
                from {table} e
               where e.tenant_id = $1 and e.agent_id = any($2) and e.model = $3
               order by e.embedding <=> $4, e.memory_id limit $5)
          select near.agent_id, near.memory_id, near.similarity, $6::float8 as floor,
                 case when m.deleted_at is not null then 'deleted'
                      when not m.live then 'superseded'
                      when m.expires_at <= $7 then 'expired'
                      when m.user_id is not null and m.user_id is distinct from $8 then 'other_user'
                      when near.similarity >= $6 then 'filtered'
                      else 'below_floor' end as state
            from near join agent_memories m on m.agent_id = near.agent_id and m.id = near.memory_id
           order by near.similarity desc, m.id"
    );
    // The table follows from the dimension.
    Ok(sqlx::query_as(AssertSqlSafe(sql))
        .bind(silent.tenant)
        .bind(agents)
        .bind(silent.model)
        .bind(Vector::from(vector.to_vec()))
        .bind(most)
        .bind(silent.floor)
        .bind(silent.at)
        .bind(silent.user_id)
        .fetch_all(&mut **tx)
        .await?)
}

/// Recalls and zero hits.
#[derive(Clone, Debug, FromRow)]
pub struct Counted {
    pub recalls: i64,
    pub zero_hits: i64,
    pub expected: i64,
    pub expected_zero_hits: i64,
}

/// Recalls of one day, agent and topic.
#[derive(Clone, Debug, FromRow)]
pub struct Grouped {
    pub day: NaiveDate,
    pub agent_id: AgentId,
    pub topic: String,
    #[sqlx(flatten)]
    pub counted: Counted,
}

/// Recalls since a moment by day (UTC), agent and topic; queries outside the vocabulary share one.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn grouped(tx: &mut Tx, tenant: TenantId, since: DateTime<Utc>, filter: &HealthFilter) -> Result<Vec<Grouped>, DbError> {
    Ok(sqlx::query_as(
        r"select (r.at at time zone 'UTC')::date as day, r.agent_id, coalesce(r.query_canonical, 'other') as topic, count(*) as recalls,
                 count(*) filter (where r.zero_hit) as zero_hits, count(*) filter (where r.expected) as expected,
                 count(*) filter (where r.expected and r.zero_hit) as expected_zero_hits
            from retrievals r
           where r.tenant_id = $1 and r.at >= $2
             and ($3::uuid is null or r.agent_id = $3)
             and ($4::text is null or coalesce(r.query_canonical, 'other') = $4)
             and ($5::boolean is null or r.expected = $5)
           group by 1, 2, 3",
    )
    .bind(tenant)
    .bind(since)
    .bind(filter.agent_id)
    .bind(&filter.topic)
    .bind(filter.expected)
    .fetch_all(&mut **tx)
    .await?)
}

/// Zero hits since a moment by cause, most first.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn causes(
    tx: &mut Tx,
    tenant: TenantId,
    since: DateTime<Utc>,
    filter: &HealthFilter,
) -> Result<Vec<(ZeroHitCause, i64)>, DbError> {
    Ok(sqlx::query_as(
        r"select r.cause, count(*)
            from retrievals r
           where r.tenant_id = $1 and r.at >= $2 and r.zero_hit and r.cause is not null
             and ($3::uuid is null or r.agent_id = $3)
             and ($4::text is null or coalesce(r.query_canonical, 'other') = $4)
             and ($5::boolean is null or r.expected = $5)
           group by 1 order by 2 desc, 1",
    )
    .bind(tenant)
    .bind(since)
    .bind(filter.agent_id)
    .bind(&filter.topic)
    .bind(filter.expected)
    .fetch_all(&mut **tx)
    .await?)
}

/// A recall that found nothing, as it is stored.
#[derive(Clone, Debug, FromRow)]
pub struct SilentRow {
    pub id: RetrievalId,
    pub at: DateTime<Utc>,
    pub agent_id: AgentId,
    pub user_id: Option<UserId>,
    pub query: String,
    pub query_canonical: Option<String>,
    pub expected: bool,
    pub cause: ZeroHitCause,
    pub degraded: Vec<String>,
    pub near_misses: Json<Vec<Near>>,
    pub knowledge_hits: i32,
}

/// `select …` of the zero hits since a moment that a filter matches.
fn zero_hits(what: &str, tenant: TenantId, since: DateTime<Utc>, filter: &HealthFilter) -> Result<QueryBuilder<Postgres>, DbError> {
    Ok(statement!(
        format!(
            r"select {what}
                from retrievals r
               where r.tenant_id = $1 and r.at >= $2 and r.zero_hit and r.cause is not null
                 and ($3::uuid is null or r.agent_id = $3)
                 and ($4::text is null or coalesce(r.query_canonical, 'other') = $4)
                 and ($5::boolean is null or r.expected = $5)
                 and ($6::text is null or r.cause = $6)"
        ),
        tenant,
        since,
        filter.agent_id,
        &filter.topic,
        filter.expected,
        filter.cause,
    ))
}

/// How many zero hits a filter matches.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn count_silent(tx: &mut Tx, tenant: TenantId, since: DateTime<Utc>, filter: &HealthFilter) -> Result<i64, DbError> {
    Ok(zero_hits("count(*)", tenant, since, filter)?.build_query_scalar().fetch_one(&mut **tx).await?)
}

/// One page's zero hits and one more, in reading order; newest first.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn list_silent(
    tx: &mut Tx,
    tenant: TenantId,
    since: DateTime<Utc>,
    filter: &HealthFilter,
    seek: &Seek,
    size: usize,
) -> Result<Vec<SilentRow>, DbError> {
    let columns =
        "r.id, r.at, r.agent_id, r.user_id, r.query, r.query_canonical, r.expected, r.cause, r.degraded, r.near_misses, r.knowledge_hits";
    let mut query = zero_hits(columns, tenant, since, filter)?;
    seek.push(&mut query, "r.at", "r.id", true, size);
    Ok(query.build_query_as().fetch_all(&mut **tx).await?)
}
