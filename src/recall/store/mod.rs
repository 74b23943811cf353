//! All SQL of retrieval: candidates by vector and by words, the log, the counters, and what operators read of the log.

mod health;
mod hybrid;
mod past;
mod retrievals;

pub use health::{Counted, Grouped, SilentRow, causes, count_silent, grouped, list_silent, nearest_of_all};

pub use hybrid::{Feature, Meaning, Sides, sides, turns};
pub use past::{Past, as_stored, count_past, past};
pub use retrievals::{Logged, Measured, Seen, count_retrievals, list_retrievals, retrieval, sweep, versions_seen};

use super::log::{Access, Entry};
use super::near::Near;
use crate::api::{AgentId, MemoryFilter, RecallFilters, TenantId, UserId, ZeroHitCause};
use crate::db::{DbError, Tenancy, Tx, Users, insert, statement};
use crate::memories::model::{DECAY_SECONDS, Memory};
use crate::memories::store::{VectorTable, columns, narrow};
use crate::models::Floors;
use crate::ranking::Candidate;
use crate::text::words::{B, K1, PRIOR_DOCUMENTS};
use chrono::{DateTime, Utc};
use sqlx::types::Json;
use sqlx::{FromRow, Postgres, QueryBuilder};
use uuid::Uuid;

/// Whose memories are searched, and which of them.
pub struct Reach<'a> {
    /// The tenant, and whose rows of its users.
    pub tenancy: Tenancy,
    pub agents: &'a [AgentId],
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

    /// The condition on `{table}.user_id`, where `parameter` is [`Reach::user_id`]. A condition of its own for each case, because an index
    /// answers them without the row.
    fn of_user(&self, table: &str, parameter: &str) -> String {
        match self.tenancy.users {
            Users::Every => String::new(),
            Users::Nobody => format!(" and {table}.user_id is null"),
            Users::One(_) => format!(" and ({table}.user_id is null or {table}.user_id = {parameter})"),
        }
    }

    fn tenant(&self) -> TenantId {
        self.tenancy.tenant
    }

    fn user_id(&self) -> Option<UserId> {
        self.tenancy.users.id()
    }

    /// The condition that the record of a vector `e` matches the filters; nothing without filters, so that the vectors alone are read.
    fn push_matching(&self, query: &mut QueryBuilder<Postgres>) {
        if self.filtered() {
            query.push(" and exists (select 1 from agent_memories m where m.agent_id = e.agent_id and m.id = e.memory_id");
            self.push_filters(query);
            query.push(")");
        }
    }
}

fn texts<T: ToString>(values: &[T]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

#[derive(FromRow)]
struct ScoredRow {
    #[sqlx(flatten)]
    memory: Memory,
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
    fn new(rows: Vec<ScoredRow>, candidate: impl Fn(Memory, f64) -> Candidate) -> Self {
        let (passed, considered) = rows.first().map_or((0, 0), |row| (row.passed, row.considered));
        Self { candidates: rows.into_iter().map(|row| candidate(row.memory, row.similarity)).collect(), passed, considered }
    }
}

/// The best `most` memories by decayed cosine, exact, those above the floor first; below it the nearest.
///
/// The inner query reads the covering index only: cosine of unit vectors is the negative of pgvector's `<#>`, and its product with the
/// stored weight orders as the decayed similarity does at any moment. `offset 0` keeps the distance from being computed twice.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %reach.tenancy.tenant))]
pub async fn by_vector(tx: &mut Tx, reach: &Reach<'_>, model: &str, vector: &[f32], floors: Floors, most: i64) -> Result<Leg, DbError> {
    let vectors = VectorTable::of(vector.len())?;
    let (VectorTable { table, column }, of_user) = (vectors, reach.of_user("e", "$6"));
    let mut query = statement!(
        format!(
            r"with scored as (
                  select e.agent_id, e.memory_id, e.weight, -(e.{column} <#> $1) as similarity
                    from {table} e
                   where e.agent_id = any($2) and e.tenant_id = $3 and e.model = $4
                     and e.live and (e.expires_at is null or e.expires_at > $5){of_user}"
        ),
        vectors.operand(vector),
        reach.agent_ids(),
        reach.tenant(),
        model,
        reach.now,
        reach.user_id(),
        floors.vector,
        most,
    );
    reach.push_matching(&mut query);
    query.push(concat!(
        r" offset 0),
              top as (
                  select *, count(*) filter (where similarity >= $7) over () as passed, count(*) over () as considered
                    from scored
                   order by (similarity >= $7) desc, case when similarity >= $7 then similarity * weight else similarity end desc,
                            memory_id desc
                   limit $8)
              select ",
        columns!(),
        r", top.similarity, top.passed, top.considered
                from top join agent_memories m on m.agent_id = top.agent_id and m.id = top.memory_id where m.live"
    ));
    let rows: Vec<ScoredRow> = query.build_query_as().fetch_all(&mut **tx).await?;
    Ok(Leg::new(rows, |memory, cosine| Candidate { memory, semantic: Some(cosine.clamp(0.0, 1.0)), lexical: None }))
}

/// What BM25 counted, kept in the log so that a recall can be explained later.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
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
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %reach.tenancy.tenant))]
pub async fn statistics(tx: &mut Tx, reach: &Reach<'_>) -> Result<Statistics, DbError> {
    let (documents, terms): (i64, i64) = sqlx::query_as(
        r"select coalesce(sum(documents), 0)::bigint, coalesce(sum(terms), 0)::bigint
            from memory_term_counts where tenant_id = $1 and agent_id = any($2)",
    )
    .bind(reach.tenant())
    .bind(reach.agent_ids())
    .fetch_one(&mut **tx)
    .await?;
    Ok(Statistics { documents, terms })
}

/// The best `most` memories by words. Their similarity is BM25 (k1 1.2, b 0.75) over the weight of all words asked for, so that a
/// memory of usual length that holds each of them once scores about 1.
///
/// With `awaiting_only` just those whose vector is still missing are looked at; there are few or none, and the search costs nothing.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %reach.tenancy.tenant, terms = terms.len()))]
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
    let awaiting = if awaiting_only {
        "join agent_memories a on a.agent_id = t.agent_id and a.id = t.memory_id and a.live and a.awaiting_vector"
    } else {
        ""
    };
    let (of_user, posting_of_user) = (reach.of_user("m", "$10"), reach.of_user("t", "$10"));
    let mut query = statement!(
        format!(
            r"with counted as (
                  select term, (select count(*) from memory_terms t
                                 where t.tenant_id = $1 and t.agent_id = any($2) and t.term = q.term{posting_of_user})::float8 as df
                    from unnest($3::text[]) as q (term)),
              weighed as (select term, ln(1 + ($4::float8 - df + 0.5) / (df + 0.5)) as idf from counted),
              scored as (
                  select t.agent_id, t.memory_id,
                         sum(w.idf * t.tf * $5::float8 / (t.tf + $6::float8 * ($7::float8 + $8::float8 * t.length / $9::float8)))
                             / (select sum(idf) from weighed) as similarity
                    from weighed w join memory_terms t on t.term = w.term and t.tenant_id = $1 and t.agent_id = any($2){posting_of_user}
                         {awaiting}
                   group by t.agent_id, t.memory_id),
              top as (
                  select s.agent_id, s.memory_id, s.similarity,
                         count(*) filter (where s.similarity >= $11) over () as passed, count(*) over () as considered
                    from scored s join agent_memories m on m.agent_id = s.agent_id and m.id = s.memory_id
                   where m.live and (m.expires_at is null or m.expires_at > $12){of_user}"
        ),
        reach.tenant(),
        reach.agent_ids(),
        terms,
        statistics.documents as f64 + PRIOR_DOCUMENTS,
        K1 + 1.0,
        K1,
        1.0 - B,
        B,
        statistics.mean_length(),
        reach.user_id(),
        floors.lexical,
        reach.now,
        DECAY_SECONDS,
        most,
    );
    reach.push_filters(&mut query);
    query.push(concat!(
        r"
                   order by (s.similarity >= $11) desc,
                            case when s.similarity >= $11
                                 then s.similarity * exp(extract(epoch from m.updated_at - $12)::float8 / $13)
                                 else s.similarity end desc,
                            s.memory_id desc
                   limit $14)
              select ",
        columns!(),
        r", top.similarity, top.passed, top.considered
                from top join agent_memories m on m.agent_id = top.agent_id and m.id = top.memory_id"
    ));
    let rows: Vec<ScoredRow> = query.build_query_as().fetch_all(&mut **tx).await?;
    Ok(Leg::new(rows, |memory, bm25| Candidate { memory, semantic: None, lexical: Some(bm25) }))
}

/// Writes what was asked and answered, which memories were returned and what was cited.
pub async fn insert_log(tx: &mut Tx, entry: &Entry, cause: Option<ZeroHitCause>, near: &[Near]) -> Result<(), DbError> {
    let rank = |rank: Option<u32>| rank.and_then(|rank| i32::try_from(rank).ok());
    let returned: Vec<(Uuid, i32)> = entry.candidates.iter().filter_map(|one| Some((one.memory_id.0, rank(one.rank)?))).collect();
    let cited: Vec<(Uuid, Uuid, i32)> =
        entry.knowledge.iter().filter_map(|one| Some((one.chunk_id.0, one.document_id.0, rank(one.rank)?))).collect();
    let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
    let mut query = insert!("insert into retrievals" {
        tenant_id: entry.tenancy.tenant,
        agent_id: entry.agent_id,
        id: entry.id,
        at: entry.at,
        user_id: entry.user_id,
        query: &entry.query,
        query_canonical: &entry.query_canonical,
        k: i32::try_from(entry.k).unwrap_or(i32::MAX),
        expected: entry.expected,
        ranking: entry.ranking,
        filters: &entry.filters,
        model: &entry.model,
        vector_floor: entry.floors.vector,
        lexical_floor: entry.floors.lexical,
        vocabulary_version: entry.vocabulary_version,
        statistics: &entry.statistics,
        candidates: Json(&entry.candidates),
        hits: count(returned.len()),
        zero_hit: entry.zero_hit,
        reason: entry.reason,
        degraded: &entry.degraded,
        took_ms: entry.took_ms,
        cause: cause,
        near_misses: Json(near),
        knowledge: Json(&entry.knowledge),
        knowledge_hits: count(cited.len()),
        fewer: entry.fewer,
    } "on conflict (agent_id, id) do nothing");
    query.build().execute(&mut **tx).await?;
    let (memories, ranks): (Vec<Uuid>, Vec<i32>) = returned.into_iter().unzip();
    sqlx::query(
        r"insert into retrieval_hits (tenant_id, agent_id, retrieval_id, memory_id, rank, at, user_id)
          select $1, $2, $3, h.memory_id, h.rank, $6, $7 from unnest($4::uuid[], $5::integer[]) as h (memory_id, rank) on conflict do nothing",
    )
    .bind(entry.tenancy.tenant)
    .bind(entry.agent_id)
    .bind(entry.id)
    .bind(memories)
    .bind(ranks)
    .bind(entry.at)
    .bind(entry.user_id)
    .execute(&mut **tx)
    .await?;
    for (chunk, document, rank) in cited {
        sqlx::query(
            r"insert into citations (tenant_id, agent_id, retrieval_id, chunk_id, document_id, rank, at, user_id)
              values ($1, $2, $3, $4, $5, $6, $7, $8)
              on conflict do nothing",
        )
        .bind(entry.tenancy.tenant)
        .bind(entry.agent_id)
        .bind(entry.id)
        .bind(chunk)
        .bind(document)
        .bind(rank)
        .bind(entry.at)
        .bind(entry.user_id)
        .execute(&mut **tx)
        .await?;
    }
    Ok(())
}

/// Adds to access counts. Rows are locked in the order of their ids, so two writers never wait for each other in a circle.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, accesses = accesses.len()))]
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
