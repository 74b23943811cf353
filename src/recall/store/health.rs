//! SQL of the log for operators.

use crate::memories::store::VECTORS;
use crate::recall::near::{EmptyRecall, Near};
use crate::recall::period::{Bars, Span};
use chrono::{DateTime, Utc};
use db::cursor::Seek;
use db::{DbError, Tx, sql, statement};
use pgvector::Vector;
use sqlx::types::Json;
use sqlx::{FromRow, Postgres, QueryBuilder};
use wire::{AgentId, BarUnit, HealthFilter, RecallCounts, RetrievalId, TenantId, UserId, ZeroHitCause};

/// The nearest of all memories that the agent and the commons ever had, in reach or not, nearest first.
pub async fn nearest_of_all(tx: &mut Tx, empty: &EmptyRecall<'_>, vector: &[f32], most: i64) -> Result<Vec<Near>, DbError> {
    let table = VECTORS.of(vector.len())?.table;
    let sql = format!(
        r"with near as (
              select e.agent_id, e.memory_id, greatest(0, 1 - (e.embedding <=> $4)) as similarity
                from {table} e
               where e.tenant_id = $1 and e.agent_id = any($2) and e.model = $3
               order by e.embedding <=> $4, e.memory_id limit $5)
          select near.agent_id, near.memory_id, near.similarity, $6::float8 as floor,
                 case when m.deleted_at is not null then 'deleted'
                      when m.archived_at is not null then 'archived'
                      when m.status = 'inbox' then 'inbox'
                      when not m.live then 'superseded'
                      when m.expires_at <= $7 then 'expired'
                      when m.user_id is not null and m.user_id is distinct from $8 then 'other_user'
                      when near.similarity >= $6 then 'filtered'
                      else 'below_floor' end as state
            from near join agent_memories m on m.tenant_id = $1 and m.agent_id = near.agent_id and m.id = near.memory_id
           order by near.similarity desc, m.id"
    );
    // The table follows from the dimension.
    tx.rows(statement!(
        sql,
        empty.tenant,
        vec![empty.agent.0, empty.commons.0],
        empty.model,
        Vector::from(vector.to_vec()),
        most,
        empty.floor,
        empty.at,
        empty.user_id
    ))
    .await
}

/// The recalls that a statement counts or lists.
#[derive(Clone, Copy)]
pub struct Recalls<'a> {
    pub tenant: TenantId,
    pub span: Span,
    pub filter: &'a HealthFilter,
}

/// The columns of [`RecallCounts`]. Knowledge fulfils what an agent expected, too. `$4` is the cause of the filter: it narrows zero hits, not recalls.
macro_rules! counts {
    () => {
        "count(*) as recalls,
         count(*) filter (where r.zero_hit and ($4::text is null or r.cause = $4)) as zero_hits,
         count(*) filter (where r.expected) as expected,
         count(*) filter (where r.expected and r.zero_hit and r.knowledge_hits = 0 and ($4::text is null or r.cause = $4))
           as expected_zero_hits"
    };
}

/// `select …` of recalls. The text may use `$4`, the cause of the filter.
fn of_recalls(select: &str, recalls: Recalls<'_>) -> Result<QueryBuilder<Postgres>, DbError> {
    let Recalls { tenant, span, filter } = recalls;
    let text = format!("select {select} from retrievals r where r.tenant_id = $1 and r.at >= $2 and r.at < $3");
    let mut query = statement!(text, tenant, span.from, span.until, filter.cause);
    push_filter(&mut query, filter);
    Ok(query)
}

/// Narrows recalls to those of a filter, except for its cause.
fn push_filter(query: &mut QueryBuilder<Postgres>, filter: &HealthFilter) {
    if let Some(agent) = filter.agent_id {
        query.push(" and r.agent_id = ").push_bind(agent);
    }
    if let Some(topic) = &filter.topic {
        query.push(" and coalesce(r.query_canonical, 'other') = ").push_bind(topic.clone());
    }
    if let Some(expected) = filter.expected {
        query.push(" and r.expected = ").push_bind(expected);
    }
}

/// Recalls of each hour or day of the span, oldest first. Each is counted by its place in the index: to compute the day of every recall
/// takes five times as long.
pub async fn by_bar(tx: &mut Tx, recalls: Recalls<'_>, unit: BarUnit) -> Result<Vec<(DateTime<Utc>, RecallCounts)>, DbError> {
    #[derive(FromRow)]
    struct Row {
        start: DateTime<Utc>,
        #[sqlx(flatten)]
        counts: RecallCounts,
    }
    let Recalls { tenant, span, filter } = recalls;
    let Bars { starts, ends } = span.bars(unit);
    let mut query = statement!(
        concat!(
            "select bar.start, counted.* from unnest($2::timestamptz[], $3::timestamptz[]) as bar (start, until) cross join lateral (select ",
            counts!(),
            " from retrievals r where r.tenant_id = $1 and r.at >= bar.start and r.at < bar.until"
        ),
        tenant,
        starts,
        ends,
        filter.cause,
    );
    push_filter(&mut query, filter);
    query.push(") counted order by bar.start");
    let rows: Vec<Row> = tx.rows(query).await?;
    Ok(rows.into_iter().map(|row| (row.start, row.counts)).collect())
}

/// The time in which 95 of 100 recalls were answered, in milliseconds, of the newest `most` of them; none without recalls.
pub async fn slow(tx: &mut Tx, recalls: Recalls<'_>, most: i64) -> Result<Option<f64>, DbError> {
    let Recalls { tenant, span, filter } = recalls;
    let mut query = statement!(
        "select percentile_disc(0.95) within group (order by took_ms) from (
             select r.took_ms from retrievals r where r.tenant_id = $1 and r.at >= $2 and r.at < $3",
        tenant,
        span.from,
        span.until,
    );
    push_filter(&mut query, filter);
    query.push(" order by r.at desc, r.id desc limit ").push_bind(most).push(") newest");
    tx.value(query).await
}

/// The recalls of all, of one agent, of one topic or of one cause. `part` names which.
#[derive(Clone, Debug, FromRow)]
pub struct Share {
    pub part: String,
    pub agent_id: Option<AgentId>,
    pub topic: Option<String>,
    /// Also absent: the recalls that found something.
    pub cause: Option<ZeroHitCause>,
    #[sqlx(flatten)]
    pub counts: RecallCounts,
}

/// Recalls in total, by agent, by topic and by cause, in one pass; of each at most `most`, those with most zero hits first, and the recalls of
/// `agents` in any case. Queries outside the vocabulary share one topic.
pub async fn shares(tx: &mut Tx, recalls: Recalls<'_>, most: i64, agents: &[AgentId]) -> Result<Vec<Share>, DbError> {
    let select = concat!(
        "s.part, s.agent_id, s.topic, s.cause, s.recalls, s.zero_hits, s.expected, s.expected_zero_hits
           from (select g.*, row_number() over (partition by g.part
                                                order by g.zero_hits desc, g.recalls desc, g.agent_id, g.topic, g.cause) as place
                   from (select case grouping(r.agent_id, coalesce(r.query_canonical, 'other'), r.cause)
                                     when 7 then 'all' when 3 then 'agent' when 5 then 'topic' else 'cause' end as part,
                                r.agent_id, coalesce(r.query_canonical, 'other') as topic, r.cause, ",
        counts!()
    );
    let mut query = of_recalls(select, recalls)?;
    query.push(
        " group by grouping sets ((), (r.agent_id), (coalesce(r.query_canonical, 'other')), (r.cause))) g) s
          where s.place <= ",
    );
    query.push_bind(most).push(" or s.agent_id = any(").push_bind(agents.to_vec()).push(") order by s.part, s.place");
    tx.rows(query).await
}

/// A recall that found nothing, as it is stored.
#[derive(Clone, Debug, FromRow)]
pub struct ZeroHitRow {
    pub id: RetrievalId,
    pub at: DateTime<Utc>,
    pub agent_id: AgentId,
    pub user_id: Option<UserId>,
    pub query: String,
    pub query_canonical: Option<String>,
    pub filters: serde_json::Value,
    pub expected: bool,
    pub cause: ZeroHitCause,
    pub degraded: Vec<String>,
    pub near_misses: Json<Vec<Near>>,
    pub knowledge_hits: i32,
}

/// The columns of a [`ZeroHitRow`], for a table called `r`.
macro_rules! columns {
    () => {
        "r.id, r.at, r.agent_id, r.user_id, r.query, r.query_canonical, r.filters, r.expected, r.cause, r.degraded, r.near_misses, \
         r.knowledge_hits"
    };
}

/// `select …` of the zero hits that a filter matches.
fn zero_hits(select: &str, recalls: Recalls<'_>) -> Result<QueryBuilder<Postgres>, DbError> {
    let mut query = of_recalls(select, recalls)?;
    query.push(" and r.zero_hit and r.cause is not null and ($4::text is null or r.cause = $4)");
    Ok(query)
}

/// How many zero hits a filter matches.
pub async fn count_zero_hits(tx: &mut Tx, recalls: Recalls<'_>) -> Result<i64, DbError> {
    tx.value(zero_hits("count(*)", recalls)?).await
}

/// One page's zero hits and one more, in reading order; newest first.
pub async fn list_zero_hits(tx: &mut Tx, recalls: Recalls<'_>, seek: &Seek, size: usize) -> Result<Vec<ZeroHitRow>, DbError> {
    let mut query = zero_hits(columns!(), recalls)?;
    seek.push(&mut query, "r.at", "r.id", true, size);
    tx.rows(query).await
}

/// The zero hit of one recall; nothing if the recall found something.
pub async fn zero_hit(tx: &mut Tx, tenant: TenantId, id: RetrievalId) -> Result<Option<ZeroHitRow>, DbError> {
    tx.row_if_any(sql!(
        [tenant, id],
        "select ",
        columns!(),
        " from retrievals r where r.tenant_id = $1 and r.id = $2 and r.zero_hit and r.cause is not null"
    ))
    .await
}
