//! All SQL of retrieval: candidates by vector and by words, the log, the counters, and what operators read of the log.

mod health;
mod hybrid;
mod past;
mod retrievals;

pub use health::{
    Cited, Counted, Grouped, Silent as SilentRow, causes, citation_counts, citations_of, count_silent, grouped, list_silent, nearest_of_all,
};

pub use hybrid::{Feature, Meaning, Sides, sides, turns};
pub use past::{Past, as_stored, count_past, past};
pub use retrievals::{Logged, Measured, Seen, count_retrievals, list_retrievals, retrieval, sweep, versions_seen};

use super::log::{Access, Entry};
use super::silence::Near;
use crate::api::{AgentId, MemoryFilter, RecallFilters, TenantId, UserId, ZeroHitCause};
use crate::db::{DbError, Tx};
use crate::memories::model::{DECAY_SECONDS, Memory};
use crate::memories::store::{COLUMNS, Row, narrow, vector_table};
use crate::models::Floors;
use crate::ranking::Candidate;
use crate::text::words::{B, K1, PRIOR_DOCUMENTS};
use chrono::{DateTime, Utc};
use pgvector::{HalfVector, Vector};
use sqlx::types::Json;
use sqlx::{FromRow, Postgres, QueryBuilder};
use uuid::Uuid;

/// Whose memories are searched, and which of them.
pub struct Reach<'a> {
    pub tenant: TenantId,
    pub agents: &'a [AgentId],
    /// `None`: of every user (operators); `Some(None)`: only rows without a user; `Some(Some(user))`: that user's and those without.
    pub user: Option<Option<UserId>>,
    pub filters: Narrowing<'a>,
    pub now: DateTime<Utc>,
}

/// What narrows the candidates before they are scored.
pub enum Narrowing<'a> {
    Agent(&'a RecallFilters),
    Console(&'a MemoryFilter),
}

impl Reach<'_> {
    fn agent_ids(&self) -> Vec<Uuid> {
        self.agents.iter().map(|agent| agent.0).collect()
    }

    fn filtered(&self) -> bool {
        match &self.filters {
            // Whose project it is asked for narrows nothing before the scores.
            Narrowing::Agent(filters) => {
                let plain = RecallFilters { for_project: None, for_repo: None, ..(*filters).clone() };
                plain != RecallFilters::default()
            }
            Narrowing::Console(_) => true,
        }
    }

    /// The conditions on the record itself, for a table called `m`.
    fn push_filters(&self, query: &mut QueryBuilder<Postgres>) {
        match &self.filters {
            Narrowing::Console(filter) => narrow(query, filter),
            Narrowing::Agent(filters) => {
                if !filters.kinds.is_empty() {
                    query.push(" and m.kind = any(").push_bind(texts(&filters.kinds)).push(")");
                }
                if !filters.scopes.is_empty() {
                    query.push(" and m.scope = any(").push_bind(texts(&filters.scopes)).push(")");
                }
                if let Some(platform) = &filters.platform {
                    query.push(" and m.source->>'platform' = ").push_bind(platform.clone());
                }
                if let Some(project) = filters.project_id {
                    query.push(" and m.project_id = ").push_bind(project);
                }
                if let Some(repo) = filters.repo_id {
                    query.push(" and m.repo_id = ").push_bind(repo);
                }
                if !filters.statuses.is_empty() {
                    query.push(" and m.status = any(").push_bind(texts(&filters.statuses)).push(")");
                }
                if let Some(from) = filters.from {
                    query.push(" and m.said_at >= ").push_bind(from);
                }
                if let Some(until) = filters.until {
                    query.push(" and m.said_at < ").push_bind(until);
                }
            }
        }
    }

    fn push_user(&self, query: &mut QueryBuilder<Postgres>, column: &'static str) {
        match self.user {
            None => {}
            Some(None) => {
                query.push(format!(" and {column} is null"));
            }
            Some(Some(user)) => {
                query.push(format!(" and ({column} is null or {column} = ")).push_bind(user).push(")");
            }
        }
    }
}

fn texts<T: ToString>(values: &[T]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

#[derive(FromRow)]
struct Found {
    #[sqlx(flatten)]
    row: Row,
    similarity: f64,
    passed: i64,
    considered: i64,
}

/// Candidates, and how many there were behind them.
#[derive(Default)]
pub struct Leg {
    pub candidates: Vec<Candidate>,
    /// How many reached the floor.
    pub passed: i64,
    /// How many were scored.
    pub considered: i64,
}

impl Leg {
    fn new(found: Vec<Found>, candidate: impl Fn(Memory, f64) -> Candidate) -> Self {
        let (passed, considered) = found.first().map_or((0, 0), |found| (found.passed, found.considered));
        Self { candidates: found.into_iter().map(|found| candidate(found.row.into(), found.similarity)).collect(), passed, considered }
    }
}

/// The best `most` memories by decayed cosine, exact, those above the floor first; below it the nearest.
///
/// The inner query reads the covering index only: cosine of unit vectors is the negative of pgvector's `<#>`, and its product with the
/// stored weight orders as the decayed similarity does at any moment. `offset 0` keeps the distance from being computed twice.
pub async fn by_vector(tx: &mut Tx, reach: &Reach<'_>, model: &str, vector: &[f32], floors: Floors, most: i64) -> Result<Leg, DbError> {
    let table = vector_table(vector.len())?;
    let mut query = QueryBuilder::new("with scored as (select e.agent_id, e.memory_id, e.weight, ");
    if table == "embeddings_384" {
        query.push("-(e.half <#> ").push_bind(HalfVector::from_f32_slice(vector)).push(")");
    } else {
        query.push("-(e.embedding <#> ").push_bind(Vector::from(vector.to_vec())).push(")");
    }
    query.push(format!(" as similarity from {table} e where e.agent_id = any(")).push_bind(reach.agent_ids());
    query.push(") and e.tenant_id = ").push_bind(reach.tenant).push(" and e.model = ").push_bind(model.to_owned());
    query.push(" and e.live and (e.expires_at is null or e.expires_at > ").push_bind(reach.now).push(")");
    reach.push_user(&mut query, "e.user_id");
    if reach.filtered() {
        query.push(" and exists (select 1 from agent_memories m where m.agent_id = e.agent_id and m.id = e.memory_id");
        reach.push_filters(&mut query);
        query.push(")");
    }
    query.push(" offset 0), top as (select *, count(*) filter (where similarity >= ").push_bind(floors.vector);
    query.push(") over () as passed, count(*) over () as considered from scored order by (similarity >= ").push_bind(floors.vector);
    query.push(") desc, case when similarity >= ").push_bind(floors.vector);
    query.push(" then similarity * weight else similarity end desc, memory_id desc limit ").push_bind(most);
    query.push(format!(
        ") select {COLUMNS}, top.similarity, top.passed, top.considered
             from top join agent_memories m on m.agent_id = top.agent_id and m.id = top.memory_id where m.live"
    ));
    let found: Vec<Found> = query.build_query_as().fetch_all(&mut **tx).await?;
    Ok(Leg::new(found, |memory, cosine| Candidate { memory, semantic: Some(cosine.clamp(0.0, 1.0)), lexical: None }))
}

/// What BM25 counted, kept in the log so that a recall can be explained later.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Statistics {
    pub documents: i64,
    pub terms: i64,
}

impl Statistics {
    /// Terms of a usual memory.
    pub fn mean_length(&self) -> f64 {
        (self.terms as f64 / (self.documents as f64).max(1.0)).max(1.0)
    }
}

/// How many live memories the agents have, and how many words in them.
pub async fn statistics(tx: &mut Tx, reach: &Reach<'_>) -> Result<Statistics, DbError> {
    let (documents, terms): (i64, i64) = sqlx::query_as(
        r"select coalesce(sum(documents), 0)::bigint, coalesce(sum(terms), 0)::bigint
            from memory_term_counts where tenant_id = $1 and agent_id = any($2)",
    )
    .bind(reach.tenant)
    .bind(reach.agent_ids())
    .fetch_one(&mut **tx)
    .await?;
    Ok(Statistics { documents, terms })
}

/// The best `most` memories by words. Their similarity is BM25 (k1 1.2, b 0.75) over the weight of all words asked for, so that a
/// memory of usual length that holds each of them once scores about 1.
///
/// With `awaiting_only` just those whose vector is still missing are looked at; there are few or none, and the search costs nothing.
pub async fn by_words(
    tx: &mut Tx,
    reach: &Reach<'_>,
    terms: &[String],
    statistics: &Statistics,
    floors: Floors,
    awaiting_only: bool,
    most: i64,
) -> Result<Leg, DbError> {
    if terms.is_empty() || statistics.documents == 0 {
        return Ok(Leg::default());
    }
    let documents = statistics.documents as f64;
    let mean_length = statistics.mean_length();
    let mut query = QueryBuilder::new("with asked as (select term, (select count(*) from memory_terms t where t.tenant_id = ");
    query.push_bind(reach.tenant).push(" and t.agent_id = any(").push_bind(reach.agent_ids());
    query.push(") and t.term = q.term)::float8 as df from unnest(").push_bind(terms.to_vec()).push("::text[]) as q (term)), ");
    query.push("weighed as (select term, ln(1 + (").push_bind(documents + PRIOR_DOCUMENTS);
    query.push("::float8 - df + 0.5) / (df + 0.5)) as idf from asked), ");
    query.push("scored as (select t.agent_id, t.memory_id, sum(w.idf * t.tf * ").push_bind(K1 + 1.0);
    query.push("::float8 / (t.tf + ").push_bind(K1).push("::float8 * (").push_bind(1.0 - B).push("::float8 + ").push_bind(B);
    query.push("::float8 * t.length / ").push_bind(mean_length).push("::float8))) / (select sum(idf) from weighed) as similarity ");
    query.push("from weighed w join memory_terms t on t.term = w.term and t.tenant_id = ").push_bind(reach.tenant);
    query.push(" and t.agent_id = any(").push_bind(reach.agent_ids()).push(")");
    if awaiting_only {
        query.push(" join agent_memories a on a.agent_id = t.agent_id and a.id = t.memory_id and a.live and a.awaiting_vector");
    }
    query.push(
        " group by t.agent_id, t.memory_id), top as (select s.agent_id, s.memory_id, s.similarity, count(*) filter (where s.similarity >= ",
    );
    query.push_bind(floors.lexical).push(") over () as passed, count(*) over () as considered from scored s join agent_memories m ");
    query
        .push("on m.agent_id = s.agent_id and m.id = s.memory_id where m.live and (m.expires_at is null or m.expires_at > ")
        .push_bind(reach.now);
    query.push(")");
    reach.push_user(&mut query, "m.user_id");
    reach.push_filters(&mut query);
    query
        .push(" order by (s.similarity >= ")
        .push_bind(floors.lexical)
        .push(") desc, case when s.similarity >= ")
        .push_bind(floors.lexical);
    query.push(" then s.similarity * exp(extract(epoch from m.updated_at - ").push_bind(reach.now);
    query.push(")::float8 / ").push_bind(DECAY_SECONDS).push(") else s.similarity end desc, s.memory_id desc limit ").push_bind(most);
    query.push(format!(
        ") select {COLUMNS}, top.similarity, top.passed, top.considered
             from top join agent_memories m on m.agent_id = top.agent_id and m.id = top.memory_id"
    ));
    let found: Vec<Found> = query.build_query_as().fetch_all(&mut **tx).await?;
    Ok(Leg::new(found, |memory, bm25| Candidate { memory, semantic: None, lexical: Some(bm25) }))
}

/// Writes what was asked and answered, which memories were returned and what was cited.
pub async fn insert_log(tx: &mut Tx, entry: &Entry, cause: Option<ZeroHitCause>, near: &[Near]) -> Result<(), DbError> {
    let rank = |rank: Option<u32>| rank.and_then(|rank| i32::try_from(rank).ok());
    let returned: Vec<(Uuid, i32)> = entry.candidates.iter().filter_map(|one| Some((one.memory_id.0, rank(one.rank)?))).collect();
    let cited: Vec<(Uuid, Uuid, i32)> =
        entry.knowledge.iter().filter_map(|one| Some((one.chunk_id.0, one.document_id.0, rank(one.rank)?))).collect();
    let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
    sqlx::query(
        r"insert into retrievals (tenant_id, agent_id, id, at, user_id, query, query_canonical, k, expected, ranking, filters, model,
              vector_floor, lexical_floor, vocabulary_version, statistics, candidates, hits, zero_hit, reason, degraded, took_ms, cause,
              near_misses, knowledge, knowledge_hits, fewer)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27)
          on conflict (agent_id, id) do nothing",
    )
    .bind(entry.tenancy.tenant)
    .bind(entry.agent_id)
    .bind(entry.id)
    .bind(entry.at)
    .bind(entry.user_id)
    .bind(&entry.query)
    .bind(&entry.query_canonical)
    .bind(i32::try_from(entry.k).unwrap_or(i32::MAX))
    .bind(entry.expected)
    .bind(entry.ranking)
    .bind(&entry.filters)
    .bind(&entry.model)
    .bind(entry.floors.vector)
    .bind(entry.floors.lexical)
    .bind(entry.vocabulary_version)
    .bind(&entry.statistics)
    .bind(Json(&entry.candidates))
    .bind(count(returned.len()))
    .bind(entry.zero_hit)
    .bind(entry.reason)
    .bind(&entry.degraded)
    .bind(entry.took_ms)
    .bind(cause)
    .bind(Json(near))
    .bind(Json(&entry.knowledge))
    .bind(count(cited.len()))
    .bind(entry.fewer)
    .execute(&mut **tx)
    .await?;
    let (memories, ranks): (Vec<Uuid>, Vec<i32>) = returned.into_iter().unzip();
    sqlx::query(
        r"insert into retrieval_hits (tenant_id, agent_id, retrieval_id, memory_id, rank, at)
          select $1, $2, $3, h.memory_id, h.rank, $6 from unnest($4::uuid[], $5::integer[]) as h (memory_id, rank) on conflict do nothing",
    )
    .bind(entry.tenancy.tenant)
    .bind(entry.agent_id)
    .bind(entry.id)
    .bind(memories)
    .bind(ranks)
    .bind(entry.at)
    .execute(&mut **tx)
    .await?;
    for (chunk, document, rank) in cited {
        sqlx::query(
            r"insert into citations (tenant_id, agent_id, retrieval_id, chunk_id, document_id, rank, at) values ($1, $2, $3, $4, $5, $6, $7)
              on conflict do nothing",
        )
        .bind(entry.tenancy.tenant)
        .bind(entry.agent_id)
        .bind(entry.id)
        .bind(chunk)
        .bind(document)
        .bind(rank)
        .bind(entry.at)
        .execute(&mut **tx)
        .await?;
    }
    Ok(())
}

/// Adds to access counts. Rows are locked in the order of their ids, so two writers never wait for each other in a circle.
pub async fn count_accesses(tx: &mut Tx, tenant: TenantId, accesses: &[Access]) -> Result<(), DbError> {
    let agents: Vec<Uuid> = accesses.iter().map(|access| access.agent_id.0).collect();
    let ids: Vec<Uuid> = accesses.iter().map(|access| access.memory_id.0).collect();
    let counts: Vec<i64> = accesses.iter().map(|access| access.count).collect();
    let last: Vec<DateTime<Utc>> = accesses.iter().map(|access| access.last).collect();
    sqlx::query(
        r"with hits as materialized (
              select m.agent_id, m.id, h.count, h.last
                from unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::timestamptz[]) as h (agent_id, id, count, last)
                join agent_memories m on m.agent_id = h.agent_id and m.id = h.id and m.tenant_id = $1
               order by m.agent_id, m.id for update of m)
          update agent_memories m
             set access_count = m.access_count + hits.count, last_accessed_at = greatest(m.last_accessed_at, hits.last)
            from hits where m.agent_id = hits.agent_id and m.id = hits.id",
    )
    .bind(tenant)
    .bind(agents)
    .bind(ids)
    .bind(counts)
    .bind(last)
    .execute(&mut **tx)
    .await?;
    Ok(())
}
