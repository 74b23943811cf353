//! SQL of knowledge's candidates: by vector and by words, as in `recall::store`.

use super::vector_table;
use crate::api::{ChunkId, DocumentId, DocumentKind, TenantId};
use crate::db::{DbError, Tx, statement};
use crate::knowledge::search::embedded_text;
use crate::text::words::{B, K1, PRIOR_DOCUMENTS};
use chrono::{DateTime, Utc};
use pgvector::HalfVector;
use sqlx::{AssertSqlSafe, FromRow, Postgres, QueryBuilder};
use uuid::Uuid;

/// The condition that a chunk `e` is of some kinds (none named: of any).
fn push_kinds(query: &mut QueryBuilder<Postgres>, kinds: &[DocumentKind]) {
    if !kinds.is_empty() {
        let kinds: Vec<String> = kinds.iter().map(ToString::to_string).collect();
        query.push(
            r" and exists (select 1 from chunks c join documents d on d.tenant_id = c.tenant_id and d.id = c.document_id
                            where c.tenant_id = e.tenant_id and c.id = e.chunk_id and d.kind = any(",
        );
        query.push_bind(kinds).push("))");
    }
}

/// The nearest chunks in force, with their cosine, nearest first; exact, from the covering index.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn by_vector(
    tx: &mut Tx,
    tenant: TenantId,
    model: &str,
    vector: &[f32],
    kinds: &[DocumentKind],
    most: i64,
) -> Result<Vec<(ChunkId, f64)>, DbError> {
    let table = vector_table(vector.len())?;
    let mut query = statement!(
        format!(
            r"with scored as (
                  select e.chunk_id, -(e.half <#> $1) as similarity
                    from {table} e where e.tenant_id = $2 and e.model = $3 and e.live"
        ),
        HalfVector::from_f32_slice(vector),
        tenant,
        model,
        most,
    );
    push_kinds(&mut query, kinds);
    query.push(
        r" offset 0)
              select chunk_id, similarity from scored order by similarity desc, chunk_id desc limit $4",
    );
    Ok(query.build_query_as().fetch_all(&mut **tx).await?)
}

/// How many chunks are in force, and how many terms in them.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn statistics(tx: &mut Tx, tenant: TenantId) -> Result<(i64, i64), DbError> {
    let counts =
        sqlx::query_as("select chunks, terms from chunk_counts where tenant_id = $1").bind(tenant).fetch_optional(&mut **tx).await?;
    Ok(counts.unwrap_or((0, 0)))
}

/// The best chunks by words with their normalised BM25 (see `recall::store::by_words`); with `awaiting_only` just those without a vector.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, terms = terms.len()))]
pub async fn by_words(
    tx: &mut Tx,
    tenant: TenantId,
    terms: &[String],
    (chunks, total): (i64, i64),
    kinds: &[DocumentKind],
    awaiting_only: bool,
    most: i64,
) -> Result<Vec<(ChunkId, f64)>, DbError> {
    if terms.is_empty() || chunks == 0 {
        return Ok(Vec::new());
    }
    let mean_length = (total as f64 / chunks as f64).max(1.0);
    let awaiting =
        if awaiting_only { "join chunks a on a.tenant_id = e.tenant_id and a.id = e.chunk_id and a.awaiting_vector" } else { "" };
    let mut query = statement!(
        format!(
            r"with counted as (
                  select q.term, (select count(*) from chunk_terms t where t.tenant_id = $1 and t.term = q.term)::float8 as df
                    from unnest($2::text[]) as q (term)),
              weighed as (select term, ln(1 + ($3::float8 - df + 0.5) / (df + 0.5)) as idf from counted)
              select e.chunk_id,
                     sum(w.idf * e.tf * $4::float8 / (e.tf + $5::float8 * ($6::float8 + $7::float8 * e.length / $8::float8)))
                         / (select sum(idf) from weighed) as similarity
                from weighed w join chunk_terms e on e.term = w.term and e.tenant_id = $1
                     {awaiting}
               where true"
        ),
        tenant,
        terms,
        chunks as f64 + PRIOR_DOCUMENTS,
        K1 + 1.0,
        K1,
        1.0 - B,
        B,
        mean_length,
        most,
    );
    push_kinds(&mut query, kinds);
    query.push(" group by e.chunk_id order by similarity desc, e.chunk_id desc limit $9");
    Ok(query.build_query_as().fetch_all(&mut **tx).await?)
}

/// A chunk with what a citation of it names.
#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct CitedChunk {
    pub chunk_id: ChunkId,
    pub document_id: DocumentId,
    pub kind: DocumentKind,
    pub reference: Option<String>,
    pub title: String,
    pub path: String,
    pub heading_path: Vec<String>,
    pub content: String,
}

impl CitedChunk {
    /// What was embedded.
    pub fn embedded_text(&self) -> String {
        embedded_text(self.reference.as_deref(), &self.title, &self.heading_path, &self.content)
    }
}

/// The nearest chunks of what was in force at a moment.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn by_vector_at(
    tx: &mut Tx,
    tenant: TenantId,
    model: &str,
    vector: &[f32],
    at: DateTime<Utc>,
    most: i64,
) -> Result<Vec<(ChunkId, f64)>, DbError> {
    let table = vector_table(vector.len())?;
    let sql = format!(
        r"select e.chunk_id, -(e.half <#> $4)::float8 as similarity
            from {table} e
            join chunks c on c.tenant_id = e.tenant_id and c.id = e.chunk_id
            join documents d on d.tenant_id = c.tenant_id and d.id = c.document_id
             and d.valid_from <= $3 and (d.valid_to is null or d.valid_to > $3)
           where e.tenant_id = $1 and e.model = $2 order by similarity desc, e.chunk_id desc limit $5"
    );
    // The table follows from the dimension.
    let half = HalfVector::from_f32_slice(vector);
    Ok(sqlx::query_as(AssertSqlSafe(sql)).bind(tenant).bind(model).bind(at).bind(half).bind(most).fetch_all(&mut **tx).await?)
}

/// A chunk, in force or not.
#[derive(Clone, Debug, FromRow)]
pub struct Passage {
    pub chunk_id: ChunkId,
    pub title: String,
    pub content: String,
    pub in_force: bool,
}

/// Chunks by id, whatever became of their texts.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn passages(tx: &mut Tx, tenant: TenantId, ids: &[ChunkId]) -> Result<Vec<Passage>, DbError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    Ok(sqlx::query_as(
        r"select c.id as chunk_id, d.title, c.content, d.valid_to is null as in_force
            from chunks c join documents d on d.tenant_id = c.tenant_id and d.id = c.document_id where c.tenant_id = $1 and c.id = any($2)",
    )
    .bind(tenant)
    .bind(ids)
    .fetch_all(&mut **tx)
    .await?)
}

/// Chunks by id, of texts in force now or at a moment.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn chunks_by_id(tx: &mut Tx, tenant: TenantId, ids: &[ChunkId], at: Option<DateTime<Utc>>) -> Result<Vec<CitedChunk>, DbError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    Ok(sqlx::query_as(
        r"select c.id as chunk_id, c.document_id, d.kind, d.reference, d.title, d.path, c.heading_path, c.content
            from chunks c join documents d on d.tenant_id = c.tenant_id and d.id = c.document_id
             and case when $3::timestamptz is null then d.valid_to is null
                      else d.valid_from <= $3 and (d.valid_to is null or d.valid_to > $3) end
           where c.tenant_id = $1 and c.id = any($2)",
    )
    .bind(tenant)
    .bind(ids)
    .bind(at)
    .fetch_all(&mut **tx)
    .await?)
}
