//! All SQL of knowledge: documents with their chunks, words, vectors and components; lists; candidates.

mod citations;
mod lists;
mod search;

pub use citations::{citation_counts, citations_of};
pub use lists::{
    ChunkRow, DocumentRow, chunks, collections, components, count_documents, count_runs, document, documents_named, front_matters,
    last_failures, list_documents, list_runs, titles, versions,
};
pub use search::{
    CitedChunk, FoundChunk, Lookup, Passage, RetiredChunk, Sides, added_since, chunks_by_id, count_retired_since, nearest_of, passages,
    retired_since, sides,
};

use chrono::{DateTime, Utc};
use db::{DbError, Tx, insert, lock, lock_key, sql, statement};
use foundation::index::{VectorTable, Vectors, WordRows};
use pgvector::HalfVector;
use sqlx::FromRow;
use sqlx::types::Json;
use std::collections::BTreeMap;
use wire::{ChunkId, DocumentId, DocumentKind, IngestReport, RunId, TenantId};
use words::stems;

/// A new text of a document.
pub struct NewText<'a> {
    pub id: DocumentId,
    pub kind: DocumentKind,
    pub reference: Option<&'a str>,
    pub collection: &'a str,
    pub path: &'a str,
    pub title: &'a str,
    pub status: &'a str,
    pub front_matter: &'a serde_json::Value,
    /// SHA-256 of the file.
    pub content_hash: &'a [u8],
    /// The rules and the model that divided it into chunks.
    pub chunking: &'a str,
    pub now: DateTime<Utc>,
}

pub struct NewChunk<'a> {
    pub id: ChunkId,
    pub heading_path: &'a [String],
    pub start_byte: usize,
    pub end_byte: usize,
    pub content: &'a str,
    /// Terms with their counts, headings included.
    pub terms: BTreeMap<String, u32>,
}

pub struct NewComponent<'a> {
    pub name: &'a str,
    pub normal: String,
    pub description: &'a str,
    /// Normal forms.
    pub depends_on: Vec<String>,
}

/// Serialises ingestions of a tenant.
pub async fn lock_knowledge(tx: &mut Tx, tenant: TenantId) -> Result<(), DbError> {
    lock(tx, lock_key(&[b"knowledge", tenant.0.as_bytes()])).await
}

/// A text in force, as an ingestion compares it.
#[derive(Clone, Debug, FromRow)]
pub struct InForce {
    pub id: DocumentId,
    pub path: String,
    pub content_hash: Vec<u8>,
    pub chunking: String,
}

/// The texts in force of a collection.
pub async fn in_force(tx: &mut Tx, tenant: TenantId, collection: &str) -> Result<Vec<InForce>, DbError> {
    tx.rows(sql!(
        [tenant, collection],
        r"select id, path, content_hash, chunking from documents
           where tenant_id = $1 and collection = $2 and valid_to is null order by path"
    ))
    .await
}

/// Takes a text out of force: searches no longer find its chunks. False when it was not in force.
pub async fn retire(tx: &mut Tx, tenant: TenantId, id: DocumentId, now: DateTime<Utc>) -> Result<bool, DbError> {
    let done = tx
        .changed(sql!(
            [tenant, id, now],
            "update documents set valid_to = greatest(valid_from, $3) where tenant_id = $1 and id = $2 and valid_to is null"
        ))
        .await?;
    if done == 0 {
        return Ok(false);
    }
    // What another clock ended later than now ends now: two texts of a path are never in force at once.
    tx.run(sql!(
        [tenant, id, now],
        r"update documents d set valid_to = greatest(d.valid_from, $3) from documents c
           where c.tenant_id = $1 and c.id = $2 and d.tenant_id = $1 and d.collection = c.collection and d.path = c.path
                and d.valid_to > $3"
    ))
    .await?;
    tx.run(sql!(
        [tenant, id],
        r"with small as (
              update chunk_embeddings_384 e set live = false from chunks c
               where e.tenant_id = $1 and c.tenant_id = $1 and c.document_id = $2 and e.chunk_id = c.id)
          update chunk_embeddings_1536 e set live = false from chunks c
           where e.tenant_id = $1 and c.tenant_id = $1 and c.document_id = $2 and e.chunk_id = c.id"
    ))
    .await?;
    tx.run(sql!(
        [tenant, id],
        r"with gone as (
              delete from chunk_terms t using chunks c
               where t.tenant_id = $1 and c.tenant_id = $1 and c.document_id = $2 and t.chunk_id = c.id returning t.chunk_id, t.tf),
          less as (select count(distinct chunk_id) as chunks, coalesce(sum(tf), 0)::bigint as terms from gone)
          update chunk_counts n set chunks = n.chunks - less.chunks, terms = n.terms - less.terms from less where n.tenant_id = $1"
    ))
    .await?;
    let text = "update chunks set awaiting_vector = false, written = pg_current_xact_id() where tenant_id = $1 and document_id = $2";
    tx.run(statement!(text, tenant, id)).await?;
    Ok(true)
}

pub async fn insert_document(tx: &mut Tx, tenant: TenantId, text: &NewText<'_>) -> Result<(), DbError> {
    let query = insert!("insert into documents" {
        tenant_id: tenant,
        id: text.id,
        kind: text.kind,
        reference: text.reference,
        collection: text.collection,
        path: text.path,
        title: text.title,
        status: text.status,
        front_matter: text.front_matter,
        content_hash: text.content_hash,
        created_at: text.now,
        valid_from: text.now,
        chunking: text.chunking,
    } "");
    tx.run(query).await
}

/// How many chunks share a statement for their words: few enough that it ends in time however long the text is.
const WORDS_OF_CHUNKS: usize = 200;

/// Stores a text's chunks; with their words, and waiting for their vectors, if they are to be `found`.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, chunks = chunks.len()))]
pub async fn insert_chunks(
    tx: &mut Tx,
    tenant: TenantId,
    document: DocumentId,
    chunks: &[NewChunk<'_>],
    found: bool,
) -> Result<(), DbError> {
    let place = |byte: usize| i32::try_from(byte).unwrap_or(i32::MAX);
    for (ordinal, chunk) in chunks.iter().enumerate() {
        let query = insert!("insert into chunks" {
            tenant_id: tenant,
            id: chunk.id,
            document_id: document,
            ordinal: place(ordinal),
            heading_path: chunk.heading_path,
            start_byte: place(chunk.start_byte),
            end_byte: place(chunk.end_byte),
            content: chunk.content,
            word_rules: stems::RULES,
            awaiting_vector: found,
        } "");
        tx.run(query).await?;
    }
    if !found {
        return Ok(());
    }
    let words: Vec<(ChunkId, BTreeMap<String, u32>)> = chunks.iter().map(|chunk| (chunk.id, chunk.terms.clone())).collect();
    put_words(tx, tenant, &words).await
}

/// Makes the words of chunks that have none findable, and counts them.
pub async fn put_words(tx: &mut Tx, tenant: TenantId, chunks: &[(ChunkId, BTreeMap<String, u32>)]) -> Result<(), DbError> {
    for some in chunks.chunks(WORDS_OF_CHUNKS) {
        let rows: WordRows<ChunkId> = some.iter().cloned().collect();
        tx.run(sql!(
            [tenant, rows.terms, rows.ids, rows.counts, rows.lengths],
            r"insert into chunk_terms (tenant_id, term, chunk_id, tf, length)
              select $1, t.* from unnest($2::text[], $3::uuid[], $4::real[], $5::integer[]) as t (term, chunk_id, tf, length)
              on conflict do nothing"
        ))
        .await?;
    }
    let counted = chunks.iter().filter(|(_, terms)| !terms.is_empty()).count();
    let total: i64 = chunks.iter().flat_map(|(_, terms)| terms.values()).map(|count| i64::from(*count)).sum();
    tx.run(sql!(
        [tenant, i64::try_from(counted).unwrap_or(i64::MAX), total],
        r"insert into chunk_counts (tenant_id, chunks, terms) values ($1, $2, $3)
          on conflict (tenant_id) do update set chunks = chunk_counts.chunks + excluded.chunks, terms = chunk_counts.terms + excluded.terms"
    ))
    .await
}

/// Stores what a text says about components.
pub async fn insert_components(
    tx: &mut Tx,
    tenant: TenantId,
    document: DocumentId,
    components: &[NewComponent<'_>],
) -> Result<(), DbError> {
    for (ordinal, component) in components.iter().enumerate() {
        let query = insert!("insert into components" {
            tenant_id: tenant,
            document_id: document,
            ordinal: i32::try_from(ordinal).unwrap_or(i32::MAX),
            name: component.name,
            normal: &component.normal,
            description: component.description,
            depends_on: &component.depends_on,
        } "");
        tx.run(query).await?;
    }
    Ok(())
}

/// A chunk that waits for its vector, with its document's reference and title.
#[derive(Clone, Debug, FromRow)]
pub struct Unembedded {
    pub id: ChunkId,
    /// Its place in the document.
    pub ordinal: i32,
    pub title: String,
    pub reference: Option<String>,
    pub heading_path: Vec<String>,
    pub content: String,
}

/// Chunks of a text in force that have no vector, from the one `after` a place, in the order of the text.
pub async fn unembedded(tx: &mut Tx, tenant: TenantId, document: DocumentId, after: i32, most: i64) -> Result<Vec<Unembedded>, DbError> {
    tx.rows(sql!(
        [tenant, document, after, most],
        r"select c.id, c.ordinal, d.title, d.reference, c.heading_path, c.content
            from chunks c join documents d on d.tenant_id = c.tenant_id and d.id = c.document_id and d.valid_to is null
           where c.tenant_id = $1 and c.document_id = $2 and c.awaiting_vector and c.ordinal > $3 order by c.ordinal limit $4"
    ))
    .await
}

/// The tables of chunks' vectors.
pub const VECTORS: Vectors = Vectors {
    of_384: VectorTable { table: "chunk_embeddings_384", column: "half" },
    of_1536: VectorTable { table: "chunk_embeddings_1536", column: "half" },
};

/// Stores a chunk's vector beside those of other models, to be found if its text is in force. `awaited`: it is of the current model.
pub async fn put_chunk_vector(
    tx: &mut Tx,
    tenant: TenantId,
    id: ChunkId,
    (model, vector): (&str, &[f32]),
    awaited: bool,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    let table = VECTORS.of(vector.len())?.table;
    let sql = format!(
        r"insert into {table} (tenant_id, chunk_id, model, live, half, embedded_at)
          select c.tenant_id, c.id, $3, d.valid_to is null, $4, $5
            from chunks c join documents d on d.tenant_id = c.tenant_id and d.id = c.document_id
           where c.tenant_id = $1 and c.id = $2 for share of d
          on conflict (tenant_id, chunk_id, model) do update set half = excluded.half, live = excluded.live"
    );
    // The table follows from the dimension.
    let half = HalfVector::from_f32_slice(vector);
    tx.run(statement!(sql, tenant, id, model, half, now)).await?;
    tx.run(sql!(
        [tenant, id, awaited],
        r"update chunks set awaiting_vector = awaiting_vector and not $3, written = pg_current_xact_id()
           where tenant_id = $1 and id = $2"
    ))
    .await
}

/// Records the start of an ingestion.
pub async fn begin_run(
    tx: &mut Tx,
    tenant: TenantId,
    id: RunId,
    collection: &str,
    revision: Option<&str>,
    by: &str,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, id, collection, revision, by, now, Json(IngestReport::default())],
        "insert into ingest_runs (tenant_id, id, collection, revision, actor_name, started_at, report) values ($1, $2, $3, $4, $5, $6, $7)"
    ))
    .await
}

/// Records the result of an ingestion.
pub async fn end_run(tx: &mut Tx, tenant: TenantId, id: RunId, report: &IngestReport, now: DateTime<Utc>) -> Result<(), DbError> {
    tx.run(sql!([tenant, id, now, Json(report)], "update ingest_runs set finished_at = $3, report = $4 where tenant_id = $1 and id = $2"))
        .await
}
