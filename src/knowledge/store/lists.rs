//! SQL of the lists for operators.

use chrono::{DateTime, Utc};
use db::cursor::Seek;
use db::{DbError, Tx, like, sql, statement};
use sqlx::{FromRow, Postgres, QueryBuilder};
use wire::{ChunkId, DocumentFilter, DocumentId, DocumentKind, IngestRun, TenantId};

/// A document as it is stored.
#[derive(Clone, Debug, FromRow)]
pub struct DocumentRow {
    pub id: DocumentId,
    pub kind: DocumentKind,
    pub reference: Option<String>,
    pub collection: String,
    pub path: String,
    pub title: String,
    pub status: String,
    pub front_matter: serde_json::Value,
    pub valid_from: DateTime<Utc>,
    pub valid_to: Option<DateTime<Utc>>,
    pub chunks: i64,
    pub embedded: i64,
}

/// `select` of [`DocumentRow`] up to the `where`.
macro_rules! documents {
    () => {
        r"select d.id, d.kind, d.reference, d.collection, d.path, d.title, d.status, d.front_matter, d.valid_from, d.valid_to,
                 n.chunks, n.embedded
            from documents d
           cross join lateral (select count(*) as chunks, count(*) filter (where not c.awaiting_vector) as embedded
                                 from chunks c where c.tenant_id = $1 and c.document_id = d.id) n "
    };
}

/// `select … from documents d …` with those that a filter matches: only the newest text of each path; retired means that it has none in
/// force.
fn matching(select: &str, tenant: TenantId, filter: &DocumentFilter) -> Result<QueryBuilder<Postgres>, DbError> {
    let newest = if filter.retired == Some(true) {
        r"d.valid_to is not null
                 and not exists (select 1 from documents n
                                  where n.tenant_id = $1 and n.collection = d.collection and n.path = d.path
                                    and (n.valid_to is null or (n.valid_from, n.id) > (d.valid_from, d.id)))"
    } else {
        "d.valid_to is null"
    };
    Ok(statement!(
        format!(
            r"{select}
               where d.tenant_id = $1
                 and {newest}
                 and ($2::text is null or d.kind = $2)
                 and ($3::text is null or d.status = $3)
                 and ($4::text is null or d.title ilike $4 or d.reference ilike $4 or d.path ilike $4)"
        ),
        tenant,
        filter.kind,
        &filter.status,
        filter.q.as_ref().map(|q| like::contains(q)),
    ))
}

/// How many documents a filter matches.
pub async fn count_documents(tx: &mut Tx, tenant: TenantId, filter: &DocumentFilter) -> Result<i64, DbError> {
    tx.value(matching("select count(*) from documents d", tenant, filter)?).await
}

/// At most `most` collections that have a document in force, by name.
pub async fn collections(tx: &mut Tx, tenant: TenantId, most: i64) -> Result<Vec<String>, DbError> {
    tx.values(sql!(
        [tenant, most],
        "select distinct collection from documents where tenant_id = $1 and valid_to is null order by 1 limit $2"
    ))
    .await
}

/// One page's documents and one more, in reading order; newest first.
pub async fn list_documents(
    tx: &mut Tx,
    tenant: TenantId,
    filter: &DocumentFilter,
    seek: &Seek,
    size: usize,
) -> Result<Vec<DocumentRow>, DbError> {
    let mut query = matching(documents!(), tenant, filter)?;
    seek.push(&mut query, "d.valid_from", "d.id", !filter.reversed, size);
    tx.rows(query).await
}

/// One document, in force or not.
pub async fn document(tx: &mut Tx, tenant: TenantId, id: DocumentId) -> Result<Option<DocumentRow>, DbError> {
    tx.row_if_any(sql!([tenant, id], documents!(), "where d.tenant_id = $1 and d.id = $2")).await
}

/// The titles of documents, in force or not.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn titles(tx: &mut Tx, tenant: TenantId, ids: &[DocumentId]) -> Result<Vec<(DocumentId, String)>, DbError> {
    tx.rows(sql!([tenant, ids], "select d.id, d.title from documents d where d.tenant_id = $1 and d.id = any($2)")).await
}

/// The newest documents, in force or not, whose title, reference or path contains a text.
pub async fn documents_named(tx: &mut Tx, tenant: TenantId, text: &str, most: i64) -> Result<Vec<DocumentId>, DbError> {
    tx.values(sql!(
        [tenant, like::contains(text), most],
        r"select d.id from documents d
                 where d.tenant_id = $1 and (d.title ilike $2 or d.reference ilike $2 or d.path ilike $2)
                 order by d.valid_from desc, d.id desc limit $3"
    ))
    .await
}

/// A text that a path has had: id, from, until.
pub type DocumentVersion = (DocumentId, DateTime<Utc>, Option<DateTime<Utc>>);

/// Every text that a path has had, newest first.
pub async fn versions(tx: &mut Tx, tenant: TenantId, collection: &str, path: &str) -> Result<Vec<DocumentVersion>, DbError> {
    tx.rows(sql!(
        [tenant, collection, path],
        r"select id, valid_from, valid_to from documents where tenant_id = $1 and collection = $2 and path = $3
           order by valid_from desc, id desc"
    ))
    .await
}

/// A chunk as it is stored.
#[derive(Clone, Debug, FromRow)]
pub struct ChunkRow {
    pub id: ChunkId,
    pub heading_path: Vec<String>,
    pub content: String,
    pub start_byte: i32,
    pub end_byte: i32,
    pub embedded: bool,
}

/// The chunks of a text, in its order.
pub async fn chunks(tx: &mut Tx, tenant: TenantId, document: DocumentId) -> Result<Vec<ChunkRow>, DbError> {
    tx.rows(sql!(
        [tenant, document],
        r"select id, heading_path, content, start_byte, end_byte, not awaiting_vector as embedded
            from chunks where tenant_id = $1 and document_id = $2 order by ordinal"
    ))
    .await
}

/// A component as one text describes it.
#[derive(Clone, Debug, FromRow)]
pub struct ComponentRow {
    pub name: String,
    pub normal: String,
    pub description: String,
    pub depends_on: Vec<String>,
    pub document_id: DocumentId,
    pub path: String,
}

/// What the texts in force say about components, the oldest text first.
pub async fn components(tx: &mut Tx, tenant: TenantId) -> Result<Vec<ComponentRow>, DbError> {
    tx.rows(sql!(
        [tenant],
        r"select c.name, c.normal, c.description, c.depends_on, c.document_id, d.path
            from components c join documents d on d.tenant_id = c.tenant_id and d.id = c.document_id and d.valid_to is null
           where c.tenant_id = $1 order by d.valid_from, d.id, c.ordinal"
    ))
    .await
}

/// How many ingestions there were.
pub async fn count_runs(tx: &mut Tx, tenant: TenantId) -> Result<i64, DbError> {
    tx.value(sql!([tenant], "select count(*) from ingest_runs where tenant_id = $1")).await
}

/// One page's ingestions and one more, in reading order; newest first.
pub async fn list_runs(tx: &mut Tx, tenant: TenantId, seek: &Seek, size: usize) -> Result<Vec<IngestRun>, DbError> {
    let mut query = statement!(
        "select id, collection, revision, actor_name, started_at, finished_at, report from ingest_runs where tenant_id = $1",
        tenant,
    );
    seek.push(&mut query, "started_at", "id", true, size);
    tx.rows(query).await
}

/// How many files failed in the newest ingestion of each collection.
pub async fn last_failures(tx: &mut Tx, tenant: TenantId) -> Result<i64, DbError> {
    tx.value(sql!(
        [tenant],
        r"select coalesce(sum(jsonb_array_length(report->'failures')), 0)::bigint
            from (select distinct on (collection) report from ingest_runs where tenant_id = $1
                   order by collection, started_at desc, id desc) newest"
    ))
    .await
}

/// Path, reference, title, status and front matter of every text in force.
pub async fn front_matters(tx: &mut Tx, tenant: TenantId) -> Result<Vec<DocumentRow>, DbError> {
    tx.rows(sql!([tenant], documents!(), "where d.tenant_id = $1 and d.valid_to is null order by d.collection, d.path")).await
}
