//! SQL of the retrieval log for agents and operators, and of its retention.

use crate::memories::model::{searched_text, wording};
use crate::recall::log::{LoggedChunk, LoggedMemory};
use chrono::{DateTime, Utc};
use db::cursor::Seek;
use db::{COUNTED, DbError, SystemPool, Tenancy, Tx, begin, count_rows, lift_statement_timeout, like, of_user, sql, statement};
use sqlx::types::Json;
use sqlx::{FromRow, Postgres, QueryBuilder};
use uuid::Uuid;
use wire::{AgentId, MemoryId, Retrieval, RetrievalFilter, RetrievalId, Role, UserRef};
use words::bm25::Statistics;

/// The other columns of a row: candidates and the numbers behind them.
#[derive(Clone, Debug, FromRow)]
pub struct Measured {
    #[sqlx(flatten)]
    pub logged: Retrieval,
    pub fewer: bool,
    pub filters: serde_json::Value,
    pub model: String,
    pub vector_floor: f64,
    pub lexical_floor: f64,
    pub vocabulary_version: i64,
    pub statistics: Json<Statistics>,
    pub candidates: Json<Vec<LoggedMemory>>,
    pub knowledge: Json<Vec<LoggedChunk>>,
}

/// The columns of [`Logged`], for a table called `r`.
macro_rules! logged {
    () => {
        "r.id, r.agent_id, r.at, r.user_id, r.query, r.query_canonical, r.k, r.expected, r.ranking, r.hits, r.knowledge_hits, r.zero_hit, \
         r.degraded, r.took_ms, r.for_context, r.given"
    };
}

/// `select …` of the recalls that a filter matches.
fn select(what: &str, tenancy: Tenancy, filter: &RetrievalFilter) -> Result<QueryBuilder<Postgres>, DbError> {
    let mut query = statement!(
        format!(concat!("select {what} from retrievals r where r.tenant_id = $1 and ", of_user!("r", "$2")), what = what),
        tenancy.tenant,
        tenancy.users,
    );
    if let Some(agent) = filter.agent_id {
        query.push(" and r.agent_id = ").push_bind(agent);
    }
    if let Some(text) = &filter.q {
        query.push(" and r.query").push(like::in_any_case(text)).push_bind(like::contains(text));
    }
    if let Some(ranking) = filter.ranking {
        query.push(" and r.ranking = ").push_bind(ranking);
    }
    if let Some(zero_hit) = filter.zero_hit {
        query.push(" and r.zero_hit = ").push_bind(zero_hit);
    }
    if let Some(memory) = filter.memory_id {
        query.push(
            r" and exists (select 1 from retrieval_hits h
                            where h.tenant_id = $1 and h.agent_id = r.agent_id and h.retrieval_id = r.id and h.memory_id = ",
        );
        query.push_bind(memory).push(")");
    }
    if let Some(UserRef::Id(user)) = filter.user_id {
        query.push(" and r.user_id = ").push_bind(user);
    }
    if let Some(session) = filter.session_id {
        query.push(" and r.session_id = ").push_bind(session);
    }
    if let Some(from) = filter.from {
        query.push(" and r.at >= ").push_bind(from);
    }
    if let Some(until) = filter.until {
        query.push(" and r.at < ").push_bind(until);
    }
    Ok(query)
}

/// How many recalls a filter matches, up to [`wire::TOTAL_MAX`] and one more.
pub async fn count_retrievals(tx: &mut Tx, tenancy: Tenancy, filter: &RetrievalFilter) -> Result<i64, DbError> {
    count_rows(tx, select(COUNTED, tenancy, filter)?, "r.at desc, r.id desc").await
}

/// Recalls, newest first.
pub async fn list_retrievals(
    tx: &mut Tx,
    tenancy: Tenancy,
    filter: &RetrievalFilter,
    seek: &Seek,
    size: usize,
) -> Result<Vec<Retrieval>, DbError> {
    let mut query = select(logged!(), tenancy, filter)?;
    seek.push(&mut query, "r.at", "r.id", !filter.reversed, size);
    tx.rows(query).await
}

/// One recall with everything that the log kept.
pub async fn retrieval(tx: &mut Tx, tenancy: Tenancy, id: RetrievalId) -> Result<Option<Measured>, DbError> {
    tx.row_if_any(sql!(
        [tenancy.tenant, id, tenancy.users],
        "select ",
        logged!(),
        r", r.fewer, r.filters, r.model, r.vector_floor, r.lexical_floor, r.vocabulary_version, r.statistics, r.candidates, r.knowledge
            from retrievals r where r.tenant_id = $1 and r.id = $2 and ",
        of_user!("r", "$3")
    ))
    .await
}

/// A version of a memory, and whether the memory is out of reach by now.
#[derive(Clone, Debug, FromRow)]
pub struct Seen {
    pub memory_id: MemoryId,
    pub version: i32,
    pub role: Option<Role>,
    pub topic: String,
    pub title: Option<String>,
    pub content: String,
    pub summary: Option<String>,
    pub gone: bool,
}

impl Seen {
    /// The text whose words are matched.
    pub fn words(&self) -> String {
        searched_text(self.role, &self.topic, &wording(&self.content, self.title.as_deref(), self.summary.as_deref()))
    }
}

/// Versions of memories as they were. Erased ones are absent, and so are, unless `with_deleted`, those that are deleted or expired `now`.
pub async fn versions_seen(
    tx: &mut Tx,
    tenancy: Tenancy,
    seen: &[(AgentId, MemoryId, i32)],
    with_deleted: bool,
    now: DateTime<Utc>,
) -> Result<Vec<Seen>, DbError> {
    let agents: Vec<Uuid> = seen.iter().map(|(agent, ..)| agent.0).collect();
    let ids: Vec<Uuid> = seen.iter().map(|(_, id, _)| id.0).collect();
    let versions: Vec<i32> = seen.iter().map(|(.., version)| *version).collect();
    tx.rows(sql!(
        [tenancy.tenant, agents, ids, versions, now, with_deleted, tenancy.users],
        r"select v.memory_id, v.version, m.role, v.topic, v.content, case when v.confidence is null then m.title
                 else v.title end as title,
                 case when v.confidence is null then m.summary else v.summary end as summary,
                      (not m.live or coalesce(m.expires_at <= $5, false)) as gone
            from unnest($2::uuid[], $3::uuid[], $4::integer[]) as s (agent_id, memory_id, version)
            join agent_memory_versions v
              on v.tenant_id = $1 and v.agent_id = s.agent_id and v.memory_id = s.memory_id and v.version = s.version
            join agent_memories m on m.tenant_id = v.tenant_id and m.agent_id = v.agent_id and m.id = v.memory_id
           where ($6 or (m.deleted_at is null and (m.expires_at is null or m.expires_at > $5))) and ",
        of_user!("v", "$7")
    ))
    .await
}

/// Deletes at most `most` recalls that are older than `before`, of any tenant, with their dependent rows; how many.
pub async fn sweep(pool: &SystemPool, before: DateTime<Utc>, most: i64) -> Result<i64, DbError> {
    let mut tx = begin(pool).await?;
    lift_statement_timeout(&mut tx).await?;
    let swept = tx.value(sql!([before, most], "select sweep_retrievals($1, $2)")).await?;
    tx.commit().await?;
    Ok(swept)
}
