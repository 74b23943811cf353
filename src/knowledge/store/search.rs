//! SQL of knowledge's candidates: by words and by meaning, now and at a moment.

use super::VECTORS;
use crate::knowledge::found::searched_text;
use chrono::{DateTime, Utc};
use db::{DbError, Tx, sql, statement};
use foundation::index::{self, WordMatches};
use packed::Place;
use pgvector::HalfVector;
use sqlx::{FromRow, Postgres, QueryBuilder};
use uuid::Uuid;
use wire::{ChunkId, DocumentId, DocumentKind, TenantId};

/// Which chunks a search may find, and what it compares them with.
#[derive(Clone, Copy, Debug)]
pub struct Lookup<'a> {
    pub tenant: TenantId,
    pub model: &'a str,
    /// Absent: by words alone.
    pub vector: Option<&'a [f32]>,
    /// Of these kinds of documents; of all kinds if empty.
    pub kinds: &'a [DocumentKind],
    /// Of these categories, each a kind or the name of a collection; of all if empty.
    pub categories: &'a [String],
    /// Present: searches the documents in force at that moment, with the vectors of that time.
    pub at: Option<DateTime<Utc>>,
}

impl Lookup<'_> {
    fn kinds(&self) -> Vec<String> {
        self.kinds.iter().map(ToString::to_string).collect()
    }

    /// The conditions that a document `d` is of the kinds `$4` and of the categories `$8`; none if the search is for all documents.
    fn wanted(&self) -> Option<String> {
        let kinds = (!self.kinds.is_empty()).then_some("d.kind = any($4)");
        let categories = (!self.categories.is_empty()).then_some("(d.kind = any($8) or d.collection = any($8))");
        let conditions: Vec<&str> = kinds.into_iter().chain(categories).collect();
        (!conditions.is_empty()).then(|| conditions.join(" and "))
    }

    /// The same conditions for a chunk in the recall cache.
    pub fn wants(&self, Place { kind, collection, .. }: &Place) -> bool {
        (self.kinds.is_empty() || self.kinds().contains(kind))
            && (self.categories.is_empty() || self.categories.iter().any(|category| category == kind || category == collection))
    }

    fn half(&self) -> Option<HalfVector> {
        self.vector.map(HalfVector::from_f32_slice)
    }

    /// The condition that a document `d` is in force, where `parameter` is [`Lookup::at`].
    fn in_force(&self, d: &str, parameter: &str) -> String {
        match self.at {
            None => format!("{d}.valid_to is null"),
            Some(_) => format!("{d}.valid_from <= {parameter} and ({d}.valid_to is null or {d}.valid_to > {parameter})"),
        }
    }
}

/// What the two sides of a search found, not yet scored.
#[derive(FromRow)]
pub struct Sides {
    /// The words of the query in the chunks that are in force now and were at the moment; those of other kinds than the search is for are
    /// apart. The statistics are those of the chunks in force now.
    #[sqlx(flatten)]
    pub words: WordMatches<ChunkId>,
    /// The nearest chunks, nearest first.
    pub nearest: Vec<ChunkId>,
}

/// Searches by words and, if there is a vector, by meaning: the `most` nearest, exact, from the covering index. One statement, with arrays
/// instead of a row for each word of each chunk.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %lookup.tenant, terms = terms.len()))]
pub async fn sides(tx: &mut Tx, lookup: &Lookup<'_>, terms: &[String], most: usize) -> Result<Sides, DbError> {
    let other = lookup.wanted().map_or("false".to_owned(), |wanted| {
        format!(
            r"t.chunk_id not in (select c.id from documents d join chunks c on c.tenant_id = d.tenant_id and c.document_id = d.id
                                  where d.tenant_id = $2 and {wanted})"
        )
    });
    let mut query = statement!(
        format!(
            r"select {},
                     (select coalesce(sum(n.chunks), 0)::bigint from chunk_counts n where n.tenant_id = $2) as documents,
                     (select coalesce(sum(n.terms), 0)::bigint from chunk_counts n where n.tenant_id = $2) as terms,
                     array(",
            index::match_columns(["array_position($1, t.term) - 1", "t.chunk_id", "t.tf", "t.length", &other])
        ),
        terms,
        lookup.tenant,
        lookup.at,
        lookup.kinds(),
        lookup.half(),
        lookup.model,
        i64::try_from(most).unwrap_or(i64::MAX),
        lookup.categories,
    );
    match lookup.vector {
        None => {
            query.push("select null::uuid where false");
        }
        Some(vector) => push_nearest(&mut query, lookup, VECTORS.of(vector.len())?.table),
    }
    query.push(
        r") as nearest
                from chunk_terms t where t.tenant_id = $2 and t.term = any($1)",
    );
    if lookup.at.is_some() {
        // Only words of chunks in force are stored: this leaves out later ones.
        query.push(
            r" and t.chunk_id in (select c.id from documents d join chunks c on c.tenant_id = d.tenant_id and c.document_id = d.id
                                   where d.tenant_id = $2 and d.valid_to is null and d.valid_from <= $3)",
        );
    }
    tx.row(query).await
}

/// Ids by cosine, as a part of [`sides`], whose parameters it uses. `offset 0` keeps the distance from being computed twice.
fn push_nearest(query: &mut QueryBuilder<Postgres>, lookup: &Lookup<'_>, table: &str) {
    query.push(format!(
        r"
                         select s.chunk_id
                           from (select e.chunk_id, -(e.half <#> $5) as similarity from {table} e where e.tenant_id = $2 and e.model = $6"
    ));
    query.push(match lookup.at {
        None => " and e.live",
        Some(_) => " and (e.embedded_at is null or e.embedded_at <= $3)",
    });
    let wanted = lookup.wanted();
    if lookup.at.is_some() || wanted.is_some() {
        let in_force = lookup.in_force("d", "$3");
        query.push(format!(
            r" and e.chunk_id in (select c.id from documents d join chunks c on c.tenant_id = d.tenant_id and c.document_id = d.id
                                   where d.tenant_id = $2 and {in_force}"
        ));
        if let Some(wanted) = wanted {
            query.push(format!(" and {wanted}"));
        }
        query.push(")");
    }
    query.push(
        r" offset 0) s
                          order by s.similarity desc, s.chunk_id desc limit $7",
    );
}

/// The nearest of some chunks in force, nearest first, compared as [`sides`] compares all.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %lookup.tenant, ids = ids.len()))]
pub async fn nearest_of(tx: &mut Tx, lookup: &Lookup<'_>, ids: &[Uuid], most: usize) -> Result<Vec<ChunkId>, DbError> {
    let table = VECTORS.of(lookup.vector.map_or(0, <[f32]>::len))?.table;
    // `coalesce` keeps the vectors in the index of their keys.
    let text = format!(
        r"select s.chunk_id
            from (select e.chunk_id, -(e.half <#> $2) as similarity from {table} e
                   where e.tenant_id = $1 and e.chunk_id = any($3) and e.model = $4 and coalesce(e.live, false) offset 0) s
           order by s.similarity desc, s.chunk_id desc limit $5"
    );
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    tx.values(statement!(text, lookup.tenant, lookup.half(), ids, lookup.model, most)).await
}

/// A chunk with the fields that a citation needs.
#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct CitedChunk {
    pub chunk_id: ChunkId,
    pub document_id: DocumentId,
    pub kind: DocumentKind,
    pub reference: Option<String>,
    pub collection: String,
    /// Whether a document of another collection has the same reference.
    pub is_elsewhere: bool,
    pub title: String,
    pub path: String,
    pub heading_path: Vec<String>,
    pub content: String,
}

impl CitedChunk {
    /// The text whose words are indexed.
    pub fn searched_text(&self) -> String {
        searched_text(self.reference.as_deref(), &self.title, &self.heading_path, &self.content)
    }
}

/// A chunk that was found, with its cosine if it has a vector.
#[derive(Clone, Debug, FromRow)]
pub struct FoundChunk {
    #[sqlx(flatten)]
    pub cited: CitedChunk,
    pub semantic: Option<f64>,
}

/// Chunks by id, of texts in force.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %lookup.tenant, ids = ids.len()))]
pub async fn chunks_by_id(tx: &mut Tx, lookup: &Lookup<'_>, ids: &[ChunkId]) -> Result<Vec<FoundChunk>, DbError> {
    let semantic = match lookup.vector {
        None => "null::float8".to_owned(),
        Some(vector) => {
            let (table, then) =
                (VECTORS.of(vector.len())?.table, lookup.at.map_or("", |_| " and (e.embedded_at is null or e.embedded_at <= $3)"));
            format!(
                r"(select -(e.half <#> $4)::float8 from {table} e
                    where e.tenant_id = $1 and e.chunk_id = c.id and e.model = $5{then})"
            )
        }
    };
    let (in_force, other_in_force) = (lookup.in_force("d", "$3"), lookup.in_force("o", "$3"));
    tx.rows(statement!(
        format!(
            r"select c.id as chunk_id, c.document_id, d.kind, d.reference, d.collection, d.title, d.path, c.heading_path, c.content,
                     {semantic} as semantic,
                     exists (select 1 from documents o
                              where o.tenant_id = $1 and o.reference = d.reference and o.collection <> d.collection
                                and {other_in_force}) as is_elsewhere
                from chunks c join documents d on d.tenant_id = c.tenant_id and d.id = c.document_id and {in_force}
               where c.tenant_id = $1 and c.id = any($2)"
        ),
        lookup.tenant,
        ids,
        lookup.at,
        lookup.half(),
        lookup.model,
    ))
    .await
}

/// How many chunks have come into force since a moment, and how many terms in them.
pub async fn added_since(tx: &mut Tx, tenant: TenantId, at: DateTime<Utc>) -> Result<(i64, i64), DbError> {
    tx.row(sql!(
        [tenant, at],
        r"select count(distinct t.chunk_id), coalesce(sum(t.tf::float8), 0)::bigint
            from documents d join chunks c on c.tenant_id = d.tenant_id and c.document_id = d.id
            join chunk_terms t on t.tenant_id = c.tenant_id and t.chunk_id = c.id
           where d.tenant_id = $1 and d.valid_to is null and d.valid_from > $2"
    ))
    .await
}

/// A chunk that was in force at a moment and is not any more.
#[derive(Clone, Debug, FromRow)]
pub struct RetiredChunk {
    pub chunk_id: ChunkId,
    pub kind: DocumentKind,
    pub status: String,
    pub reference: Option<String>,
    pub title: String,
    pub heading_path: Vec<String>,
    pub content: String,
}

/// `from` and `where` of the chunks that were in force at the moment `$2` and are not any more.
macro_rules! retired_since {
    () => {
        r"
            from documents d join chunks c on c.tenant_id = d.tenant_id and c.document_id = d.id
           where d.tenant_id = $1 and d.valid_from <= $2 and d.valid_to > $2"
    };
}

/// How many chunks were in force at a moment and are not any more, and the bytes of their texts.
pub async fn count_retired_since(tx: &mut Tx, tenant: TenantId, at: DateTime<Utc>) -> Result<(i64, i64), DbError> {
    tx.row(sql!([tenant, at], "select count(*), coalesce(sum(octet_length(c.content)), 0)::bigint", retired_since!())).await
}

/// The chunks that were in force at a moment and are not any more.
pub async fn retired_since(tx: &mut Tx, tenant: TenantId, at: DateTime<Utc>) -> Result<Vec<RetiredChunk>, DbError> {
    tx.rows(sql!(
        [tenant, at],
        "select c.id as chunk_id, d.kind, d.status, d.reference, d.title, c.heading_path, c.content",
        retired_since!(),
        " order by c.id"
    ))
    .await
}

/// A chunk, in force or not.
#[derive(Clone, Debug, FromRow)]
pub struct Passage {
    pub chunk_id: ChunkId,
    pub title: String,
    pub content: String,
    pub in_force: bool,
}

/// Chunks by id, in force or not.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn passages(tx: &mut Tx, tenant: TenantId, ids: &[ChunkId]) -> Result<Vec<Passage>, DbError> {
    tx.rows(sql!(
        [tenant, ids],
        r"select c.id as chunk_id, d.title, c.content, d.valid_to is null as in_force
            from chunks c join documents d on d.tenant_id = c.tenant_id and d.id = c.document_id where c.tenant_id = $1 and c.id = any($2)"
    ))
    .await
}
