//! SQL of the recall cache for the chunks of an organisation's documents: what changed since a snapshot, and the chunks that it packs.

use super::store::{CHANGES_MAX, Embeddings, Version, Which};
use crate::index::VectorTable;
use db::{DbError, Tx, sql, statement};
use packed::{Place, Row};
use pgvector::Vector;
use sqlx::FromRow;
use std::collections::HashMap;
use uuid::Uuid;
use wire::TenantId;

/// What a tenant has, and what was written of it by transactions from a mark on.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn version_of_chunks(tx: &mut Tx, tenant: TenantId, mark: i64) -> Result<Version, DbError> {
    // A row of the future was written in the cluster from which this database was restored: its number says nothing here.
    tx.row(sql!(
        [tenant, mark, CHANGES_MAX as i64 + 1],
        r"select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon,
                 (select coalesce(sum(n.chunks), 0)::bigint from chunk_counts n where n.tenant_id = $1) as documents,
                 (select coalesce(sum(n.terms), 0)::bigint from chunk_counts n where n.tenant_id = $1) as terms,
                 coalesce(array_agg(w.id), '{}') as ids, coalesce(array_agg(w.written), '{}') as written
            from (select c.id, c.written::text::bigint as written from chunks c
                   where c.tenant_id = $1 and c.written >= $2::bigint::text::xid8
                     and c.written < pg_snapshot_xmax(pg_current_snapshot()) limit $3) w"
    ))
    .await
}

#[derive(FromRow)]
struct Packed {
    id: Uuid,
    written: i64,
    kind: String,
    collection: String,
    vector: Option<Vector>,
}

/// The words of a chunk, and how many terms it has.
type Words = (Vec<(String, f32)>, i32);

/// The chunks of a tenant's documents in force, with their words and their vectors by a model.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn chunks_in_force(tx: &mut Tx, tenant: TenantId, embeddings: Embeddings<'_>, which: Which<'_>) -> Result<Vec<Row>, DbError> {
    let Embeddings { model, vectors: VectorTable { table, column } } = embeddings;
    let (after, most, ids) = match which {
        Which::After(id, most) => (Some(id), Some(most), &[][..]),
        Which::Ids(ids) => (None, None, ids),
    };
    // `offset 0` keeps the chunks in the order of their keys: joined with all documents, they would all be read and sorted for each batch.
    // `coalesce` keeps the vectors in the index of their keys.
    let text = format!(
        r"select c.id, c.written::text::bigint as written, d.kind, d.collection, v.vector
            from chunks c
           cross join lateral (select o.kind, o.collection from documents o
                                where o.tenant_id = $1 and o.id = c.document_id and o.valid_to is null offset 0) d
            left join lateral (select e.{column}::vector as vector from {table} e
                                where e.tenant_id = $1 and e.chunk_id = c.id and e.model = $2 and coalesce(e.live, false) offset 0) v on true
           where c.tenant_id = $1 and {}
           order by c.id limit $4",
        if after.is_some() { "c.id > $3" } else { "c.id = any($5)" },
    );
    let rows: Vec<Packed> = tx.rows(statement!(text, tenant, model, after, most, ids)).await?;
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let words: Vec<(Uuid, Vec<String>, Vec<f32>, i32)> = tx
        .rows(sql!(
            [tenant, ids],
            r"select t.chunk_id, array_agg(t.term) as terms, array_agg(t.tf) as counts, max(t.length) as length from chunk_terms t
               where t.tenant_id = $1 and t.chunk_id = any($2) group by t.chunk_id"
        ))
        .await?;
    let mut words: HashMap<Uuid, Words> =
        words.into_iter().map(|(id, terms, counts, length)| (id, (terms.into_iter().zip(counts).collect(), length))).collect();
    let row = |row: Packed| {
        let (terms, length) = words.remove(&row.id).unwrap_or_default();
        Row {
            id: row.id,
            written: row.written,
            place: Place { kind: row.kind, collection: row.collection, ..Place::default() },
            said_at: 0,
            expires_at: None,
            length,
            terms,
            // Knowledge does not fade.
            vector: row.vector.map(|vector| (Vec::from(vector), 1.0)),
        }
    };
    Ok(rows.into_iter().map(row).collect())
}
