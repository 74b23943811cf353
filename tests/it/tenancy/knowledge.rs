//! The queries of knowledge, and those of the log of recalls that count citations.

use super::queries::{Case, Query, queries};
use db::cursor::Seek;
use db::{DbError, Tx};
use foundation::recall_cache::chunks;
use foundation::recall_cache::store::{Embeddings, Which};
use remembrancer::knowledge::store::{self as knowledge, Lookup, NewChunk, NewText};
use serde_json::json;
use wire::{ChunkId, DocumentId, DocumentKind, RunId};

/// A search in knowledge now, of one collection, of one kind, and as of a moment.
fn lookups(case: &Case) -> [Lookup<'_>; 4] {
    let (vector, categories) = (Some(&case.vector[..]), &[][..]);
    let now = Lookup { tenant: case.tenant, model: "all-MiniLM-L6-v2", vector, kinds: &[], categories, at: None };
    let of_collection = Lookup { categories: &case.categories, ..now };
    [now, of_collection, Lookup { kinds: &[DocumentKind::Architecture], ..now }, Lookup { at: Some(case.now), ..now }]
}

/// Takes a document out of force a little later than now.
async fn retire(tx: &mut Tx, case: &Case) -> Result<(), DbError> {
    sqlx::query("update documents set valid_to = $2 where tenant_id = $1 and valid_to is null")
        .bind(case.tenant)
        .bind(case.now + chrono::Duration::seconds(1))
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// In the database of memories; kept apart by tenant and by agent.
pub const CITATIONS: &[Query] = queries! {
    "knowledge::citations_of" |tx, c| knowledge::citations_of(tx, c.ctx.tenancy(), c.shared.document, 10).await?.len();
    "knowledge::citation_counts" |tx, c| knowledge::citation_counts(tx, c.ctx.tenancy(), &[c.shared.document], c.long_ago()).await?.len();
};

/// In the database of knowledge; kept apart by tenant.
pub const KNOWLEDGE: &[Query] = queries! {
    "knowledge::collections" |tx, c| knowledge::collections(tx, c.tenant, 10).await?.len();
    "knowledge::in_force" |tx, c| knowledge::in_force(tx, c.tenant, "acme").await?.len();
    "knowledge::retire" |tx, c| usize::from(knowledge::retire(tx, c.tenant, c.shared.document, c.now).await?);
    "knowledge::insert_document" |tx, c| {
        let text = NewText {
            id: DocumentId(c.fresh),
            kind: DocumentKind::Document,
            reference: None,
            collection: "acme",
            path: "intruded.md",
            title: "x",
            status: "",
            front_matter: &json!({}),
            content_hash: &[],
            chunking: "",
            now: c.now,
        };
        knowledge::insert_document(tx, c.tenant, &text).await?;
        0
    };
    "knowledge::insert_chunks" |tx, c| {
        let (id, terms) = (ChunkId(c.fresh), [("intruded".to_owned(), 1)].into());
        let chunk = NewChunk { id, heading_path: &[], start_byte: 0, end_byte: 0, content: "intruded", terms };
        knowledge::insert_chunks(tx, c.tenant, c.shared.document, &[chunk], true).await?;
        0
    };
    "knowledge::insert_components" |tx, c| {
        sqlx::query("update documents set title = title || 'x' where tenant_id = $1 and id = $2")
            .bind(c.tenant).bind(c.shared.document).execute(&mut **tx).await?;
        knowledge::insert_components(tx, c.tenant, c.shared.document, &[]).await?;
        0
    };
    "knowledge::unembedded" |tx, c| {
        sqlx::query("update chunks set awaiting_vector = true where tenant_id = $1").bind(c.tenant).execute(&mut **tx).await?;
        knowledge::unembedded(tx, c.tenant, c.shared.document, -1, 10).await?.len()
    };
    "knowledge::put_chunk_vector" |tx, c| {
        let vector: Vec<f32> = c.vector.iter().rev().copied().collect();
        knowledge::put_chunk_vector(tx, c.tenant, c.shared.chunk, ("all-MiniLM-L6-v2", &vector[..]), true, c.now).await?;
        knowledge::put_chunk_vector(tx, c.tenant, c.shared.chunk, ("another", &c.vector[..]), false, c.now).await?;
        0
    };
    "knowledge::begin_run" |tx, c| { knowledge::begin_run(tx, c.tenant, RunId(c.fresh), "acme", None, "x", c.now).await?; 0 };
    "knowledge::end_run" |tx, c| { knowledge::end_run(tx, c.tenant, c.shared.run, &Default::default(), c.now).await?; 0 };
    "knowledge::sides" |tx, c| {
        let mut found = 0;
        for lookup in lookups(c) {
            let sides = knowledge::sides(tx, &lookup, &["kettl".into()], 10).await?;
            found += sides.words.postings.len() + sides.nearest.len() + sides.words.statistics.documents as usize;
        }
        found
    };
    "knowledge::nearest_of" |tx, c| knowledge::nearest_of(tx, &lookups(c)[0], &[c.shared.chunk.0], 10).await?.len();
    "recall_cache::version_of_chunks" |tx, c| {
        let version = chunks::version_of_chunks(tx, c.tenant, 0).await?;
        version.written().count() + version.documents as usize + version.terms as usize
    };
    "recall_cache::chunks_in_force" |tx, c| {
        let embeddings = Embeddings { model: "all-MiniLM-L6-v2", vectors: knowledge::VECTORS.of_384 };
        let mut seen = 0;
        for which in [Which::After(uuid::Uuid::nil(), 10), Which::Ids(&[c.shared.chunk.0])] {
            let rows = chunks::chunks_in_force(tx, c.tenant, embeddings, which).await?;
            seen += rows.iter().map(|row| 1 + row.terms.len() + usize::from(row.vector.is_some())).sum::<usize>();
        }
        seen
    };
    "knowledge::added_since" |tx, c| knowledge::added_since(tx, c.tenant, c.long_ago()).await?.0 as usize;
    "knowledge::count_retired_since" |tx, c| {
        retire(tx, c).await?;
        knowledge::count_retired_since(tx, c.tenant, c.now).await?.0 as usize
    };
    "knowledge::retired_since" |tx, c| {
        retire(tx, c).await?;
        knowledge::retired_since(tx, c.tenant, c.now).await?.len()
    };
    "knowledge::passages" |tx, c| knowledge::passages(tx, c.tenant, &[c.shared.chunk]).await?.len();
    "knowledge::chunks_by_id" |tx, c| {
        let mut found = 0;
        for lookup in lookups(c) {
            found += knowledge::chunks_by_id(tx, &lookup, &[c.shared.chunk]).await?.len();
        }
        found
    };
    "knowledge::count_documents" |tx, c| knowledge::count_documents(tx, c.tenant, &Default::default()).await? as usize;
    "knowledge::list_documents" |tx, c| knowledge::list_documents(tx, c.tenant, &Default::default(), &Seek::First, 10).await?.len();
    "knowledge::documents_named" |tx, c| knowledge::documents_named(tx, c.tenant, "e", 10).await?.len();
    "knowledge::titles" |tx, c| knowledge::titles(tx, c.tenant, &[c.shared.document]).await?.len();
    "knowledge::document" |tx, c| usize::from(knowledge::document(tx, c.tenant, c.shared.document).await?.is_some());
    "knowledge::versions" |tx, c| knowledge::versions(tx, c.tenant, "acme", "ARCHITECTURE.md").await?.len();
    "knowledge::chunks" |tx, c| knowledge::chunks(tx, c.tenant, c.shared.document).await?.len();
    "knowledge::components" |tx, c| knowledge::components(tx, c.tenant).await?.len();
    "knowledge::count_runs" |tx, c| knowledge::count_runs(tx, c.tenant).await? as usize;
    "knowledge::list_runs" |tx, c| knowledge::list_runs(tx, c.tenant, &Seek::First, 10).await?.len();
    "knowledge::last_failures" |tx, c| knowledge::last_failures(tx, c.tenant).await? as usize;
    "knowledge::front_matters" |tx, c| knowledge::front_matters(tx, c.tenant).await?.len();
};
