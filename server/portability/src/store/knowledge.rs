//! Queries of export and import on knowledge. Documents are staged and compared as a whole; their chunks and components follow in batches.

use super::vocabulary::{add, begin};
use crate::lines::Section;
use chrono::{DateTime, Utc};
use db::{DbError, Tx, sql, statement};
use serde_json::Value;
use sqlx::FromRow;
use uuid::Uuid;
use wire::{ChunkId, DocumentId, TenantId};
use words::stems;

/// Creates the temporary table for the documents of a file in this transaction.
pub async fn begin_knowledge(tx: &mut Tx) -> Result<(), DbError> {
    begin(tx, Section::Document).await
}

/// The first staged document that differs from the one with the same id here.
pub async fn differing_documents(tx: &mut Tx, tenant: TenantId) -> Result<Option<i64>, DbError> {
    tx.value(sql!(
        [tenant],
        r"select min(s.line) from staged_documents s join documents e on e.tenant_id = $1 and e.id = s.id
           where (s.collection, s.path, s.content_hash, s.valid_from) <> (e.collection, e.path, e.content_hash, e.valid_from)
              or s.valid_to <> e.valid_to"
    ))
    .await
}

/// Documents in force that the file ends, and when.
pub async fn ended_documents(tx: &mut Tx, tenant: TenantId) -> Result<Vec<(DocumentId, DateTime<Utc>)>, DbError> {
    tx.rows(sql!(
        [tenant],
        r"select e.id, s.valid_to from staged_documents s join documents e on e.tenant_id = $1 and e.id = s.id
           where e.valid_to is null and s.valid_to is not null order by e.id"
    ))
    .await
}

/// Removes staged documents whose path has the same text here under another id: that one stays, and the file's chunks of it are left out.
pub async fn leave_known(tx: &mut Tx, tenant: TenantId) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant],
        r"delete from staged_documents s using documents e
           where e.tenant_id = $1 and e.collection = s.collection and e.path = s.path and e.valid_to is null and s.valid_to is null
             and e.id <> s.id and e.content_hash = s.content_hash"
    ))
    .await
}

/// The first staged document whose path would have two texts in force, and that path. Call it after documents that the file ends are
/// closed. What is here is read first: staged rows are in a table of the session, which no node of a cluster has.
pub async fn taken_path(tx: &mut Tx, tenant: TenantId) -> Result<Option<(i64, String)>, DbError> {
    tx.row_if_any(sql!(
        [tenant],
        r"with here as materialized (select e.id, e.collection, e.path, e.valid_to from documents e where e.tenant_id = $1),
          new as (
              select s.line, s.id, s.collection, s.path from staged_documents s
               where s.valid_to is null and not exists (select from here h where h.id = s.id)),
          there as (
              select null::bigint as line, h.id, h.collection, h.path from here h where h.valid_to is null
              union all
              select * from new)
          select n.line, n.collection || '/' || n.path from new n
            join there t on (t.collection, t.path) = (n.collection, n.path) and t.id <> n.id and n.line > coalesce(t.line, 0)
           order by n.line limit 1"
    ))
    .await
}

/// Adds documents that do not exist; how many.
pub async fn add_documents(tx: &mut Tx, tenant: TenantId, by: &str) -> Result<u64, DbError> {
    add(tx, tenant, by, Section::Document).await
}

/// The first chunk, by id, that belongs to another text here.
pub async fn differing_chunk(tx: &mut Tx, tenant: TenantId, rows: &Value) -> Result<Option<ChunkId>, DbError> {
    tx.value_if_any(sql!(
        [tenant, rows],
        r"select r.id from jsonb_populate_recordset(null::chunks, $2) r join chunks e on e.tenant_id = $1 and e.id = r.id
           where (r.document_id, r.ordinal, r.heading_path, r.content) <> (e.document_id, e.ordinal, e.heading_path, e.content)
           order by r.id limit 1"
    ))
    .await
}

/// A chunk that does not exist here, with the document that it belongs to.
#[derive(Clone, Debug, FromRow)]
pub struct MissingChunk {
    pub id: ChunkId,
    pub document_id: DocumentId,
    pub heading_path: Vec<String>,
    pub content: String,
    pub reference: Option<String>,
    pub title: String,
    pub status: String,
    pub in_force: bool,
}

/// Chunks that do not exist while their document does.
pub async fn missing_chunks(tx: &mut Tx, tenant: TenantId, rows: &Value) -> Result<Vec<MissingChunk>, DbError> {
    tx.rows(sql!(
        [tenant, rows],
        r"select r.id, r.document_id, r.heading_path, r.content, d.reference, d.title, d.status, d.valid_to is null as in_force
            from jsonb_populate_recordset(null::chunks, $2) r
            join documents d on d.tenant_id = $1 and d.id = r.document_id
           where not exists (select from chunks e where e.tenant_id = $1 and e.id = r.id)"
    ))
    .await
}

pub struct ChunkWords {
    pub id: ChunkId,
    pub terms: Vec<(String, u32)>,
}

/// Adds chunks that do not exist. Those with words are findable: they get their words, are counted, and wait for their vectors.
pub async fn put_chunks(tx: &mut Tx, tenant: TenantId, rows: &Value, words: &[ChunkWords]) -> Result<(), DbError> {
    let found: Vec<Uuid> = words.iter().map(|chunk| chunk.id.0).collect();
    let columns = Section::Chunk.written();
    let (columns, values) = (columns.join(", "), columns.join(", r."));
    let sql = format!(
        r"insert into chunks (tenant_id, {columns}, awaiting_vector, word_rules)
          select $1, r.{values}, r.id = any($3), $4 from jsonb_populate_recordset(null::chunks, $2) r
            join documents d on d.tenant_id = $1 and d.id = r.document_id
          on conflict do nothing"
    );
    // The columns are those of the format: a constant.
    tx.run(statement!(sql, tenant, rows, &found, stems::RULES)).await?;
    if words.is_empty() {
        return Ok(());
    }
    let (mut ids, mut terms, mut counts, mut lengths) = (vec![], vec![], vec![], vec![]);
    // As an ingestion counts them: a chunk without a term is none.
    let counted = words.iter().filter(|chunk| !chunk.terms.is_empty()).count();
    let mut total = 0_i64;
    for chunk in words {
        let length: u32 = chunk.terms.iter().map(|(_, count)| count).sum();
        total += i64::from(length);
        for (term, count) in &chunk.terms {
            ids.push(chunk.id.0);
            terms.push(term.as_str());
            counts.push(*count as f32);
            lengths.push(i32::try_from(length).unwrap_or(i32::MAX));
        }
    }
    tx.run(sql!(
        [tenant, ids, terms, counts, lengths],
        r"insert into chunk_terms (tenant_id, term, chunk_id, tf, length)
          select $1, q.term, q.chunk_id, q.tf, q.length
            from unnest($2::uuid[], $3::text[], $4::real[], $5::int[]) as q (chunk_id, term, tf, length)
          on conflict do nothing"
    ))
    .await?;
    tx.run(sql!(
        [tenant, i64::try_from(counted).unwrap_or(i64::MAX), total],
        r"insert into chunk_counts (tenant_id, chunks, terms) values ($1, $2, $3)
          on conflict (tenant_id) do update set chunks = chunk_counts.chunks + excluded.chunks, terms = chunk_counts.terms + excluded.terms"
    ))
    .await
}

/// How many components do not exist while their document does.
pub async fn missing_components(tx: &mut Tx, tenant: TenantId, rows: &Value) -> Result<i64, DbError> {
    tx.value(sql!(
        [tenant, rows],
        r"select count(*) from jsonb_populate_recordset(null::components, $2) r
            join documents d on d.tenant_id = $1 and d.id = r.document_id
           where not exists (
                 select from components e where e.tenant_id = $1 and e.document_id = r.document_id and e.ordinal = r.ordinal)"
    ))
    .await
}

/// Adds components that do not exist.
pub async fn put_components(tx: &mut Tx, tenant: TenantId, rows: &Value) -> Result<(), DbError> {
    let columns = Section::Component.written();
    let (columns, values) = (columns.join(", "), columns.join(", r."));
    let sql = format!(
        r"insert into components (tenant_id, {columns})
          select $1, r.{values} from jsonb_populate_recordset(null::components, $2) r
            join documents d on d.tenant_id = $1 and d.id = r.document_id
          on conflict do nothing"
    );
    // The columns are those of the format: a constant.
    tx.run(statement!(sql, tenant, rows)).await
}
