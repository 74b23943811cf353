//! SQL of the log as operators read it.

use crate::api::{AgentId, DocumentId, HealthFilter, RetrievalId, TenantId, UserId, ZeroHitCause};
use crate::db::cursor::Seek;
use crate::db::{DbError, Tx};
use crate::memories::store::vector_table;
use crate::recall::silence::{Near, Silent as Asked};
use chrono::{DateTime, NaiveDate, Utc};
use pgvector::Vector;
use sqlx::types::Json;
use sqlx::{AssertSqlSafe, FromRow, Postgres, QueryBuilder};
use uuid::Uuid;

/// The nearest of everything the agents ever had, in reach or not, nearest first.
pub async fn nearest_of_all(tx: &mut Tx, asked: &Asked<'_>, vector: &[f32], most: i64) -> Result<Vec<Near>, DbError> {
    let table = vector_table(vector.len())?;
    let agents: Vec<Uuid> = asked.agents.iter().map(|agent| agent.0).collect();
    let sql = format!(
        "with near as (select e.agent_id, e.memory_id, greatest(0, 1 - (e.embedding <=> $4)) as similarity from {table} e
             where e.tenant_id = $1 and e.agent_id = any($2) and e.model = $3 order by e.embedding <=> $4, e.memory_id limit $5)
         select near.agent_id, near.memory_id, near.similarity, $6::float8 as floor,
                case when m.deleted_at is not null then 'deleted'
                     when not m.live then 'superseded'
                     when m.expires_at <= $7 then 'expired'
                     when m.user_id is not null and m.user_id is distinct from $8 then 'other_user'
                     when near.similarity >= $6 then 'filtered'
                     else 'below_floor' end as state
           from near join agent_memories m on m.agent_id = near.agent_id and m.id = near.memory_id order by near.similarity desc, m.id"
    );
    Ok(sqlx::query_as(AssertSqlSafe(sql))
        .bind(asked.tenant)
        .bind(agents)
        .bind(asked.model)
        .bind(Vector::from(vector.to_vec()))
        .bind(most)
        .bind(asked.floor)
        .bind(asked.at)
        .bind(asked.user_id)
        .fetch_all(&mut **tx)
        .await?)
}

/// Queries outside the vocabulary share this topic.
const TOPIC: &str = "coalesce(r.query_canonical, 'other')";

fn narrow(query: &mut QueryBuilder<Postgres>, tenant: TenantId, since: DateTime<Utc>, filter: &HealthFilter) {
    query.push(" from retrievals r where r.tenant_id = ").push_bind(tenant).push(" and r.at >= ").push_bind(since);
    if let Some(agent) = filter.agent_id {
        query.push(" and r.agent_id = ").push_bind(agent);
    }
    if let Some(topic) = &filter.topic {
        query.push(format!(" and {TOPIC} = ")).push_bind(topic.clone());
    }
    if let Some(expected) = filter.expected {
        query.push(" and r.expected = ").push_bind(expected);
    }
}

/// Recalls and zero hits.
#[derive(Clone, Debug, FromRow)]
pub struct Counted {
    pub recalls: i64,
    pub zero_hits: i64,
    pub expected: i64,
    pub expected_zero_hits: i64,
}

const COUNTED: &str = "count(*) as recalls, count(*) filter (where r.zero_hit) as zero_hits, count(*) filter (where r.expected) as expected, \
    count(*) filter (where r.expected and r.zero_hit) as expected_zero_hits";

/// Recalls of one day, agent and topic.
#[derive(Clone, Debug, FromRow)]
pub struct Grouped {
    pub day: NaiveDate,
    pub agent_id: AgentId,
    pub topic: String,
    #[sqlx(flatten)]
    pub counted: Counted,
}

/// Recalls since a moment by day (UTC), agent and topic.
pub async fn grouped(tx: &mut Tx, tenant: TenantId, since: DateTime<Utc>, filter: &HealthFilter) -> Result<Vec<Grouped>, DbError> {
    let mut query = QueryBuilder::new(format!("select (r.at at time zone 'UTC')::date as day, r.agent_id, {TOPIC} as topic, {COUNTED}"));
    narrow(&mut query, tenant, since, filter);
    query.push(" group by 1, 2, 3");
    Ok(query.build_query_as().fetch_all(&mut **tx).await?)
}

/// Zero hits since a moment by cause, most first.
pub async fn causes(
    tx: &mut Tx,
    tenant: TenantId,
    since: DateTime<Utc>,
    filter: &HealthFilter,
) -> Result<Vec<(ZeroHitCause, i64)>, DbError> {
    let mut query = QueryBuilder::new("select r.cause, count(*)");
    narrow(&mut query, tenant, since, filter);
    query.push(" and r.zero_hit and r.cause is not null group by 1 order by 2 desc, 1");
    Ok(query.build_query_as().fetch_all(&mut **tx).await?)
}

/// A recall that found nothing, as it is stored.
#[derive(Clone, Debug, FromRow)]
pub struct Silent {
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

fn silent(query: &mut QueryBuilder<Postgres>, tenant: TenantId, since: DateTime<Utc>, filter: &HealthFilter) {
    narrow(query, tenant, since, filter);
    query.push(" and r.zero_hit and r.cause is not null");
    if let Some(cause) = filter.cause {
        query.push(" and r.cause = ").push_bind(cause);
    }
}

/// How many zero hits a filter matches.
pub async fn count_silent(tx: &mut Tx, tenant: TenantId, since: DateTime<Utc>, filter: &HealthFilter) -> Result<i64, DbError> {
    let mut query = QueryBuilder::new("select count(*)");
    silent(&mut query, tenant, since, filter);
    Ok(query.build_query_scalar().fetch_one(&mut **tx).await?)
}

/// One page's zero hits and one more, in reading order; newest first.
pub async fn list_silent(
    tx: &mut Tx,
    tenant: TenantId,
    since: DateTime<Utc>,
    filter: &HealthFilter,
    seek: &Seek,
    size: usize,
) -> Result<Vec<Silent>, DbError> {
    let mut query = QueryBuilder::new(
        "select r.id, r.at, r.agent_id, r.user_id, r.query, r.query_canonical, r.expected, r.cause, r.degraded, r.near_misses, r.knowledge_hits",
    );
    silent(&mut query, tenant, since, filter);
    seek.push(&mut query, "r.at", "r.id", true, size);
    Ok(query.build_query_as().fetch_all(&mut **tx).await?)
}

/// A recall that cited a document.
#[derive(Clone, Debug, FromRow)]
pub struct Cited {
    pub retrieval_id: RetrievalId,
    pub agent_id: AgentId,
    pub query: String,
    pub at: DateTime<Utc>,
    pub rank: i32,
}

/// The newest recalls that cited a document, each with its best rank.
pub async fn citations_of(tx: &mut Tx, tenant: TenantId, document: DocumentId, most: i64) -> Result<Vec<Cited>, DbError> {
    Ok(sqlx::query_as(
        r"select c.retrieval_id, c.agent_id, r.query, c.at, min(c.rank) as rank
            from citations c join retrievals r on r.agent_id = c.agent_id and r.id = c.retrieval_id
           where c.tenant_id = $1 and c.document_id = $2
           group by c.retrieval_id, c.agent_id, r.query, c.at order by c.at desc, c.retrieval_id desc limit $3",
    )
    .bind(tenant)
    .bind(document)
    .bind(most)
    .fetch_all(&mut **tx)
    .await?)
}

/// In how many recalls since a moment each document was cited.
pub async fn citation_counts(
    tx: &mut Tx,
    tenant: TenantId,
    ids: &[DocumentId],
    since: DateTime<Utc>,
) -> Result<Vec<(DocumentId, i64)>, DbError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    Ok(sqlx::query_as(
        r"select document_id, count(distinct retrieval_id) from citations
           where tenant_id = $1 and document_id = any($2) and at >= $3 group by document_id",
    )
    .bind(tenant)
    .bind(ids)
    .bind(since)
    .fetch_all(&mut **tx)
    .await?)
}
