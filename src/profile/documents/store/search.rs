//! SQL of the search in documents. What may be seen is decided first, and only that is ranked.

use super::VECTORS;
use crate::profile::Subject;
use crate::profile::documents::draft::Details;
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user, statement};
use foundation::index::{self, WordMatches};
use pgvector::HalfVector;
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;
use wire::{ContextSource, ContextType, SensitiveMatters, UserId};

/// Which documents a search may find.
#[derive(Clone, Copy, Debug)]
pub struct Lookup<'a> {
    pub tenancy: Tenancy,
    pub subject: Subject,
    pub now: DateTime<Utc>,
    /// How long leaves about sensitive matters are kept.
    pub sensitive: SensitiveMatters,
    /// Absent: all connections of the subject that are active.
    pub connections: Option<&'a [Uuid]>,
    /// All types if empty.
    pub types: &'a [ContextType],
    pub model: &'a str,
    /// How many dimensions its vectors have.
    pub dimension: usize,
}

/// A document that was found.
#[derive(Clone, Debug, FromRow)]
pub struct FoundDocument {
    pub id: Uuid,
    pub document_key: Uuid,
    pub context_type: ContextType,
    pub context_source: ContextSource,
    pub connection_id: Option<Uuid>,
    pub tool_id: Option<String>,
    pub content: String,
    pub metadata: Json<Details>,
}

/// The condition that a row belongs to the subject's user, in a form that an index serves.
fn is_subjects(table: &str, user: Option<UserId>) -> String {
    match user {
        Some(_) => format!("{table}.user_id = $3"),
        None => format!("{table}.user_id is null and $3::uuid is null"),
    }
}

/// A statement over `visible`, which has the id and the length of every document that may be seen. `rest` reads from it, and numbers its
/// parameters from `$9`.
macro_rules! visible {
    ($lookup:expr, $rest:expr $(, $value:expr)*) => {{
        let lookup: &Lookup<'_> = $lookup;
        statement!(
            format!("{} {}", visible_sql(lookup.subject.user_id), $rest),
            lookup.tenancy.tenant,
            lookup.subject.agent_id,
            lookup.subject.user_id,
            lookup.tenancy.users,
            lookup.now,
            lookup.connections,
            lookup.types.iter().map(ToString::to_string).collect::<Vec<String>>(),
            Json(lookup.sensitive.ended(lookup.now)),
            $($value),*
        )
    }};
}

/// A document may be seen if its connection is in use and its origin may be seen: a leaf that is shown, that the policy has
/// not ended and whose memories nobody forgot, an entity that the tool still has, a schema that is in date, a passage of a source that is neither forgotten nor in quarantine.
fn visible_sql(user: Option<UserId>) -> String {
    let [of_subject, of_leaf, of_entity, of_source] = ["d", "l", "e", "s"].map(|table| is_subjects(table, user));
    let [of_connection, of_tombstone, of_turn] = ["c", "t", "q"].map(|table| is_subjects(table, user));
    let of_user = of_user!("d", "$4");
    format!(
        r"with forgotten as materialized (
              select v.source_id, v.starts, v.ends from tombstones t
                join evidence v on v.tenant_id = t.tenant_id and v.agent_id = t.agent_id and v.memory_id = t.memory_id
               where t.tenant_id = $1 and t.agent_id = $2 and {of_tombstone}),
          held as materialized (
              select q.source_id, q.starts, q.ends from quarantine q
               where q.tenant_id = $1 and q.agent_id = $2 and {of_turn} and q.state <> 'released'),
          visible as materialized (
              select d.id, d.length from profile_documents d
               where d.tenant_id = $1 and d.agent_id = $2 and {of_subject} and {of_user}
                 and (cardinality($7::text[]) = 0 or d.context_type = any($7))
                 and (d.connection_id is null or d.connection_id = any($6::uuid[])
                      or $6 is null and d.connection_id not in (
                             select c.id from connections c
                              where c.tenant_id = $1 and c.agent_id = $2 and {of_connection} and not c.active))
                 and case d.context_type
                     when 'tool_schema' then d.origin_id in (
                         select c.id from connections c
                          where c.tenant_id = $1 and c.agent_id = $2 and {of_connection} and c.schema_expires_at > $5)
                     when 'tool_entity' then d.origin_id in (
                         select e.id from connection_entities e where e.tenant_id = $1 and e.agent_id = $2 and {of_entity})
                     when 'tool_attachment_content' then
                         exists (select from sources s where s.tenant_id = $1 and s.agent_id = $2 and s.id = d.origin_id and {of_source})
                         and not exists (select from forgotten f where f.source_id = d.origin_id and f.starts < d.ends and f.ends > d.starts)
                         and not exists (select from held h where h.source_id = d.origin_id and h.starts < d.ends and h.ends > d.starts)
                     else d.origin_id in (
                         select l.id from profile_leaves l
                          where l.tenant_id = $1 and l.agent_id = $2 and {of_leaf} and l.state = 'shown'
                            and not exists (select from forgotten f where f.source_id = any(l.source_ids))
                            and not exists (select from unnest(l.matters) m where l.last_seen <= ($8::jsonb->>m)::timestamptz))
                     end)"
    )
}

/// The nearest documents, nearest first, with their cosine distances: exact, over all that may be seen. `offset 0` keeps the planner from
/// looking up the vectors one by one.
pub async fn nearest(
    tx: &mut Tx,
    lookup: &Lookup<'_>,
    vector: &[f32],
    max_distance: Option<f64>,
    most: u32,
) -> Result<Vec<(Uuid, f64)>, DbError> {
    let (table, of_subject) = (VECTORS.of(vector.len())?.table, is_subjects("e", lookup.subject.user_id));
    let rest = format!(
        r"select s.id, s.distance
            from (select e.document_id as id, (1 + (e.half <#> $9))::float8 as distance from {table} e
                   where e.tenant_id = $1 and e.agent_id = $2 and {of_subject} and e.model = $10 offset 0) s
           where s.id in (select v.id from visible v) and ($11::float8 is null or s.distance <= $11)
           order by s.distance, s.id limit $12"
    );
    let (half, most) = (HalfVector::from_f32_slice(vector), i64::from(most));
    tx.rows(visible!(lookup, rest, half, lookup.model, max_distance, most)).await
}

/// The documents without a vector, or all of them if the query has none, and the words of a query in them.
pub async fn waiting(tx: &mut Tx, lookup: &Lookup<'_>, all: bool, terms: &[String]) -> Result<WordMatches<Uuid>, DbError> {
    let table = VECTORS.of(lookup.dimension)?.table;
    let found = index::match_columns(["array_position($11, t.term) - 1", "w.id", "t.tf", "w.length", "false"]);
    let embedded = is_subjects("e", lookup.subject.user_id);
    let of_subject = is_subjects("t", lookup.subject.user_id);
    let rest = format!(
        r", waiting as materialized (
              select v.id, v.length from visible v
               where $9 or v.id not in (select e.document_id from {table} e
                                         where e.tenant_id = $1 and e.agent_id = $2 and {embedded} and e.model = $10))
          select (select count(*) from waiting) as documents, (select coalesce(sum(w.length), 0)::bigint from waiting w) as terms, {found}
            from waiting w
            join profile_document_terms t
              on t.tenant_id = $1 and t.agent_id = $2 and {of_subject} and t.document_id = w.id and t.term = any($11::text[])"
    );
    tx.row(visible!(lookup, rest, all, lookup.model, terms)).await
}

/// Documents that may be seen, by id.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %lookup.tenancy.tenant, agent = %lookup.subject.agent_id, ids = ids.len()))]
pub async fn by_ids(tx: &mut Tx, lookup: &Lookup<'_>, ids: &[Uuid]) -> Result<Vec<FoundDocument>, DbError> {
    tx.rows(visible!(lookup, format!("{FOUND} where d.id = any($9)"), ids)).await
}

/// Documents without a vector that may be seen, oldest first.
pub async fn unembedded(tx: &mut Tx, lookup: &Lookup<'_>, most: i64) -> Result<Vec<FoundDocument>, DbError> {
    let table = VECTORS.of(lookup.dimension)?.table;
    let rest = format!(
        r"{FOUND}
           where not exists (select from {table} e
                              where e.tenant_id = $1 and e.agent_id = $2 and e.document_id = d.id and e.model = $9)
           order by d.id limit $10"
    );
    tx.rows(visible!(lookup, rest, lookup.model, most)).await
}

/// Selects visible documents as [`FoundDocument`]. The kind of tool is that of the connection as it is now.
const FOUND: &str = r"select d.id, d.document_key, d.context_type, d.context_source, d.connection_id, c.tool_id, d.content, d.metadata
            from visible v
            join profile_documents d on d.tenant_id = $1 and d.agent_id = $2 and d.id = v.id
            left join connections c on c.tenant_id = $1 and c.agent_id = $2 and c.id = d.connection_id and c.user_id is not distinct from $3";
