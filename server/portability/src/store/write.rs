//! Statements with which an import writes memory and activity: many records each, none twice.

use crate::lines::Section;
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user, sql, statement};
use serde_json::Value;
use sqlx::AssertSqlSafe;
use uuid::Uuid;
use wire::{AgentId, MemoryId};

/// The importer and its rights.
#[derive(Clone, Copy, Debug)]
pub struct Importing<'a> {
    /// The importer's name, which is stored with the rows.
    pub by: &'a str,
    /// Whether a memory that was deleted here may come back.
    pub revives: bool,
    pub now: DateTime<Utc>,
}

/// Inserts memories, and brings forward those in an earlier version; returns agents and ids, and whether they existed. Whether they are
/// live derives from the other columns, their vectors come later, and `vocabulary_version` comes from the caller.
pub async fn put_memories(
    tx: &mut Tx,
    tenancy: Tenancy,
    rows: &Value,
    importing: Importing<'_>,
) -> Result<Vec<(AgentId, MemoryId, bool)>, DbError> {
    let columns = Section::Memory.columns();
    let values = values(Section::Memory, &columns);
    // The nodes of a cluster get no parameters of what follows a conflict.
    let revives = importing.revives;
    let now = if tx.is_distributed() { format!("'{}'::timestamptz", importing.now.to_rfc3339()) } else { "$5".to_owned() };
    // No agent's file makes a memory more trusted than it is here, or says that a person confirmed it.
    let newer = |column: &&str| match *column {
        "trust" => format!("trust = case when {revives} or agent_memories.trust = 'own' then excluded.trust else agent_memories.trust end"),
        "confirmed_by" | "confirmed_at" => {
            format!("{column} = case when {revives} then excluded.{column} else agent_memories.{column} end")
        }
        column => format!("{column} = excluded.{column}"),
    };
    let forward = columns.iter().filter(|column| !["agent_id", "id"].contains(column)).map(newer).collect::<Vec<_>>().join(", ");
    let of_user = of_user!("r", "$4");
    let columns = columns.join(", ");
    let sql = format!(
        r"insert into agent_memories (tenant_id, {columns}, topic_normal, topic_key, vocabulary_version, content_hash, live,
                                      awaiting_vector, imported_by)
          select $1, {values}, r.topic_normal, r.topic_key, r.vocabulary_version, sha256(convert_to(r.content, 'UTF8')),
                 r.status in ('active', 'contradicted') and r.deleted_at is null and r.archived_at is null, true, $3
            from jsonb_populate_recordset(null::agent_memories, $2) r where {of_user} order by r.agent_id, r.id
          on conflict (tenant_id, agent_id, id) do update
             set {forward}, topic_normal = excluded.topic_normal, topic_key = excluded.topic_key, vocabulary_version = excluded.vocabulary_version,
                 content_hash = excluded.content_hash, live = excluded.live, awaiting_vector = true, imported_by = excluded.imported_by,
                 written = excluded.written
           where agent_memories.tenant_id = excluded.tenant_id and agent_memories.version < excluded.version
             and agent_memories.user_id is not distinct from excluded.user_id
             and ({revives} or (agent_memories.deleted_at is null and agent_memories.archived_at is null and (agent_memories.expires_at is null or agent_memories.expires_at > {now})))
          returning agent_id, id, xmax <> 0"
    );
    // The columns are those of the format: a constant.
    let query =
        sqlx::query_as(AssertSqlSafe(sql)).bind(tenancy.tenant).bind(rows).bind(importing.by).bind(tenancy.users).bind(importing.now);
    Ok(query.fetch_all(&mut **tx).await?)
}

/// Inserts further topics of memories, deleted ones included: `rows` has them with their normal forms. Those of `replaced` memories go first.
/// Returns the memories that got some.
pub async fn put_topics(tx: &mut Tx, tenancy: Tenancy, rows: &Value, replaced: &[MemoryId]) -> Result<Vec<MemoryId>, DbError> {
    tx.run(sql!(
        [tenancy.tenant, replaced, tenancy.users],
        "delete from memory_topics t where t.tenant_id = $1 and t.memory_id = any($2) and ",
        of_user!("t", "$3")
    ))
    .await?;
    tx.values(sql!(
        [tenancy.tenant, rows, tenancy.users],
        r"insert into memory_topics (tenant_id, agent_id, memory_id, user_id, topic, topic_raw, topic_normal, is_canonical,
                                     vocabulary_version, created_at)
          select m.tenant_id, r.agent_id, r.memory_id, m.user_id, r.topic, r.topic_raw, r.topic_normal, r.is_canonical, 0, r.created_at
            from jsonb_populate_recordset(null::memory_topics, $2) r
            join agent_memories m on m.tenant_id = $1 and m.agent_id = r.agent_id and m.id = r.memory_id
           where ",
        of_user!("m", "$3"),
        " on conflict do nothing returning memory_id"
    ))
    .await
}

/// The values of columns in a row `r` of a file: most as they are.
fn values(section: Section, columns: &[&str]) -> String {
    let value = |column: &&str| match (section, *column) {
        // What a file from before these columns leaves out.
        (Section::Memory, "stated_at") => "coalesce(r.stated_at, least(coalesce(r.observed_at, r.updated_at), r.updated_at))".to_owned(),
        (Section::Memory, "recalled_count" | "remembered_count") => format!("coalesce(r.{column}, 0)"),
        (Section::Memory, "trust") => "coalesce(r.trust, 'own')".to_owned(),
        (Section::Event, "source_metadata") => "coalesce(r.source_metadata, '{}')".to_owned(),
        // Events are history: no worker claims one in this state. The state in the file is stored beside it.
        (Section::Event, "state") => "'imported'".to_owned(),
        (Section::Tombstone, "user_id") => "m.user_id".to_owned(),
        _ => format!("r.{column}"),
    };
    columns.iter().map(value).collect::<Vec<_>>().join(", ")
}

/// What rows of a type refer to, by table and column: only rows of the same agent and user.
fn references(section: Section) -> &'static [(&'static str, &'static str)] {
    match section {
        Section::Evidence => &[("agent_memories", "memory_id"), ("agent_memories", "candidate_id"), ("sources", "source_id")],
        Section::QuarantinedTurn => &[("sources", "source_id")],
        Section::Suggestion => &[("agent_memories", "from_id"), ("agent_memories", "to_id")],
        _ => &[],
    }
}

/// Inserts rows of one type that do not exist.
pub async fn put(tx: &mut Tx, tenancy: Tenancy, section: Section, rows: &Value) -> Result<(), DbError> {
    // Table and columns are those of the format: constants.
    tx.run(statement!(insertion(section), tenancy.tenant, rows, tenancy.users)).await
}

/// Inserts reports that do not exist; returns the ids of the new ones.
pub async fn put_reports(tx: &mut Tx, tenancy: Tenancy, section: Section, rows: &Value) -> Result<Vec<Uuid>, DbError> {
    let sql = format!("{} returning id", insertion(section));
    // Table and columns are those of the format: constants.
    tx.values(statement!(sql, tenancy.tenant, rows, tenancy.users)).await
}

fn insertion(section: Section) -> String {
    let (table, columns) = (section.table(), section.written());
    let (names, values) = (columns.join(", "), values(section, &columns));
    let of_user = if section.of_users() { of_user!("r", "$3") } else { "$3::uuid is not distinct from $3" };
    let there = references(section).iter().map(|(other, column)| {
        format!(
            " and exists (select from {other} o where o.tenant_id = $1 and o.agent_id = r.agent_id and o.id = r.{column}
                             and o.user_id is not distinct from r.user_id)"
        )
    });
    let there: String = there.collect();
    format!(
        r"insert into {table} (tenant_id, {names})
          select $1, {values} from jsonb_populate_recordset(null::{table}, $2) r where {of_user}{there} on conflict do nothing"
    )
}

/// Inserts versions, none of them later than their memory, whose next change takes the next number.
pub async fn put_versions(tx: &mut Tx, tenancy: Tenancy, rows: &Value, importing: Importing<'_>) -> Result<(), DbError> {
    let columns = Section::Version.columns();
    let (columns, values) = (columns.join(", "), columns.join(", r."));
    let of_user = of_user!("m", "$4");
    let sql = format!(
        r"insert into agent_memory_versions (tenant_id, {columns}, imported_by, user_id)
          select m.tenant_id, r.{values}, $3, m.user_id
            from jsonb_populate_recordset(null::agent_memory_versions, $2) r
            join agent_memories m on m.tenant_id = $1 and m.agent_id = r.agent_id and m.id = r.memory_id and m.version >= r.version
           where {of_user}
          on conflict do nothing"
    );
    // The columns are those of the format: a constant.
    tx.run(statement!(sql, tenancy.tenant, rows, importing.by, tenancy.users)).await
}

pub async fn put_links(tx: &mut Tx, tenancy: Tenancy, rows: &Value) -> Result<(), DbError> {
    let columns = Section::Link.columns();
    let (columns, values) = (columns.join(", "), columns.join(", r."));
    let (from_of_user, to_of_user) = (of_user!("f", "$3"), of_user!("o", "$3"));
    let sql = format!(
        r"insert into memory_links (tenant_id, {columns}, user_id)
          select f.tenant_id, r.{values}, coalesce(f.user_id, o.user_id)
            from jsonb_populate_recordset(null::memory_links, $2) r
            join agent_memories f on f.tenant_id = $1 and f.id = r.from_id
            join agent_memories o on o.tenant_id = $1 and o.id = r.to_id
           where {from_of_user} and {to_of_user}
          on conflict do nothing"
    );
    // The columns are those of the format: a constant.
    tx.run(statement!(sql, tenancy.tenant, rows, tenancy.users)).await
}

pub async fn put_tombstones(tx: &mut Tx, tenancy: Tenancy, rows: &Value) -> Result<(), DbError> {
    let columns = Section::Tombstone.columns();
    let (columns, values, of_user) = (columns.join(", "), values(Section::Tombstone, &columns), of_user!("m", "$3"));
    let sql = format!(
        r"insert into tombstones (tenant_id, {columns})
          select m.tenant_id, {values}
            from jsonb_populate_recordset(null::tombstones, $2) r
            join agent_memories m on m.tenant_id = $1 and m.agent_id = r.agent_id and m.id = r.memory_id
           where {of_user}
          on conflict do nothing"
    );
    // The columns are those of the format: a constant.
    tx.run(statement!(sql, tenancy.tenant, rows, tenancy.users)).await
}

/// Inserts the rows of the profiles that versions belong to, which the list of people reads. A narrative is derived and not in the file.
pub async fn put_profiles(tx: &mut Tx, tenancy: Tenancy, versions: &Value) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, versions, tenancy.users],
        r"insert into profiles (tenant_id, agent_id, id, user_id, created_at, updated_at)
          select distinct on (r.agent_id, r.user_id) $1, r.agent_id, r.id, r.user_id, r.created_at, r.created_at
            from jsonb_populate_recordset(null::profile_versions, $2) r where ",
        of_user!("r", "$3"),
        r" order by r.agent_id, r.user_id, r.version desc
              on conflict (tenant_id, agent_id, user_id) do update set updated_at = greatest(profiles.updated_at, excluded.updated_at)
           where profiles.tenant_id = excluded.tenant_id"
    ))
    .await
}

/// Removes the tombstones of memories that are brought forward: the file has the valid ones.
pub async fn drop_tombstones(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, ids: &[MemoryId]) -> Result<(), DbError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let sql =
        concat!("delete from tombstones t where t.tenant_id = $1 and t.agent_id = $2 and t.memory_id = any($3) and ", of_user!("t", "$4"));
    tx.run(statement!(sql, tenancy.tenant, agent, ids, tenancy.users)).await
}
