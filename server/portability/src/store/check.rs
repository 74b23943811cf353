//! Queries of an import before it writes. `rows` are records as `jsonb_populate_recordset` reads them, each with its `agent_id`.

use crate::lines::{Place, Section};
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user, sql, statement};
use serde_json::Value;
use uuid::Uuid;
use wire::{AgentId, MemoryId, TenantId, UserId};

/// Creates temporary tables for the keys of a file and the texts of its sources: they are on disk and in this transaction, so a file of any size is checked with the
/// same memory.
pub async fn begin_check(tx: &mut Tx) -> Result<(), DbError> {
    tx.run(sql!([], "create temporary table noted (kind text not null, key text not null, primary key (kind, key)) on commit drop"))
        .await?;
    tx.run(sql!([], "create temporary table noted_texts (source_id uuid primary key, content bytea not null) on commit drop")).await?;
    // Uncompressed, so that a few bytes of a text are read without the rest.
    tx.run(sql!([], "alter table noted_texts alter column content set storage external")).await
}

/// Records keys of one kind; returns the places (from 0) of those that were new.
pub async fn note(tx: &mut Tx, kind: &str, keys: &[String]) -> Result<Vec<i64>, DbError> {
    tx.values(sql!(
        [kind, keys],
        r"with given as (select key, min(place) - 1 as place from unnest($2::text[]) with ordinality as g (key, place) group by key),
               fresh as (insert into noted (kind, key) select $1, key from given on conflict do nothing returning key)
          select place from given join fresh using (key)"
    ))
    .await
}

/// The place (from 0) of the first of some keys of one kind that was not recorded.
pub async fn missing(tx: &mut Tx, kind: &str, keys: &[String]) -> Result<Option<i64>, DbError> {
    tx.value(sql!(
        [kind, keys],
        r"select min(place) - 1 from unnest($2::text[]) with ordinality as g (key, place)
           where not exists (select from noted n where n.kind = $1 and n.key = g.key)"
    ))
    .await
}

/// Records the contents of sources.
pub async fn note_texts(tx: &mut Tx, texts: &[(Uuid, &str)]) -> Result<(), DbError> {
    let (ids, texts): (Vec<Uuid>, Vec<&[u8]>) = texts.iter().map(|(id, text)| (*id, text.as_bytes())).unzip();
    tx.run(sql!(
        [ids, texts],
        "insert into noted_texts (source_id, content) select * from unnest($1::uuid[], $2::bytea[]) on conflict do nothing"
    ))
    .await
}

/// The index of the first place whose source was recorded without the quoted bytes there, and how many bytes the source has.
pub async fn misquoted(tx: &mut Tx, places: &[Place<'_>]) -> Result<Option<(i64, i32)>, DbError> {
    let ids: Vec<Uuid> = places.iter().map(|place| place.source_id.0).collect();
    let starts: Vec<i32> = places.iter().map(|place| place.starts).collect();
    let ends: Vec<i32> = places.iter().map(|place| place.ends).collect();
    let quotes: Vec<&[u8]> = places.iter().map(|place| place.quote.as_bytes()).collect();
    tx.row_if_any(sql!(
        [ids, starts, ends, quotes],
        r"select g.place - 1, octet_length(t.content)
            from unnest($1::uuid[], $2::integer[], $3::integer[], $4::bytea[]) with ordinality as g (source_id, starts, ends, quote, place)
            join noted_texts t using (source_id)
           where octet_length(t.content) < g.ends or substring(t.content from g.starts + 1 for g.ends - g.starts) <> g.quote
           order by g.place limit 1"
    ))
    .await
}

/// The ids of memories or sources that another agent or organisation uses.
pub async fn held_elsewhere(tx: &mut Tx, tenant: TenantId, section: Section, ids: &[(AgentId, Uuid)]) -> Result<Vec<Uuid>, DbError> {
    let sql = match section {
        Section::Memory => "select memories_held_elsewhere($1, $2, $3)",
        Section::Source => "select sources_held_elsewhere($1, $2, $3)",
        _ => return Ok(vec![]),
    };
    let (agents, ids): (Vec<Uuid>, Vec<Uuid>) = ids.iter().map(|(agent, id)| (agent.0, *id)).unzip();
    tx.values(statement!(sql, tenant, agents, ids)).await
}

/// Whether some agents have memory here: memories or sources.
pub async fn have_memory(tx: &mut Tx, tenancy: Tenancy, agents: &[AgentId]) -> Result<bool, DbError> {
    let agents: Vec<Uuid> = agents.iter().map(|agent| agent.0).collect();
    tx.value(sql!(
        [tenancy.tenant, agents, tenancy.users],
        "select exists (select from agent_memories m where m.tenant_id = $1 and m.agent_id = any($2) and ",
        of_user!("m", "$3"),
        ") or exists (select from sources s where s.tenant_id = $1 and s.agent_id = any($2) and ",
        of_user!("s", "$3"),
        ")"
    ))
    .await
}

/// The ids of the memories or sources of some agents.
pub async fn ids_of(tx: &mut Tx, tenant: TenantId, section: Section, agents: &[AgentId]) -> Result<Vec<(AgentId, Uuid)>, DbError> {
    let sql = match section {
        Section::Memory => "select agent_id, id from agent_memories where tenant_id = $1 and agent_id = any($2)",
        Section::Source => "select agent_id, id from sources where tenant_id = $1 and agent_id = any($2)",
        _ => return Ok(vec![]),
    };
    let agents: Vec<Uuid> = agents.iter().map(|agent| agent.0).collect();
    tx.rows(statement!(sql, tenant, agents)).await
}

/// An id of the memories and sources of some agents that another agent or organisation uses, too.
pub async fn imported_elsewhere(tx: &mut Tx, tenant: TenantId, agents: &[AgentId]) -> Result<Option<Uuid>, DbError> {
    let agents: Vec<Uuid> = agents.iter().map(|agent| agent.0).collect();
    tx.value_if_any(sql!(
        [tenant, agents],
        r"select memories_held_elsewhere($1, array_agg(agent_id), array_agg(id))
            from agent_memories where tenant_id = $1 and agent_id = any($2)
          union all
          select sources_held_elsewhere($1, array_agg(agent_id), array_agg(id)) from sources where tenant_id = $1 and agent_id = any($2)
          limit 1"
    ))
    .await
}

/// The memories whose short ids another memory of the same agent uses.
pub async fn same_short_ids(tx: &mut Tx, tenant: TenantId, rows: &Value) -> Result<Vec<MemoryId>, DbError> {
    tx.values(sql!(
        [tenant, rows],
        r"select r.id from jsonb_populate_recordset(null::agent_memories, $2) r
            join agent_memories m on m.tenant_id = $1 and m.agent_id = r.agent_id and m.short_id = r.short_id and m.id <> r.id"
    ))
    .await
}

/// A memory that exists already.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub struct Stored {
    pub id: MemoryId,
    pub version: i32,
    pub user_id: Option<UserId>,
    pub live: bool,
    pub deleted: bool,
    pub expires_at: Option<DateTime<Utc>>,
}

/// The memories that exist already.
pub async fn stored_memories(tx: &mut Tx, tenancy: Tenancy, rows: &Value) -> Result<Vec<Stored>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, rows, tenancy.users],
        r"select m.id, m.version, m.user_id, m.live, m.deleted_at is not null or m.archived_at is not null as deleted, m.expires_at
            from jsonb_populate_recordset(null::agent_memories, $2) r
            join agent_memories m on m.tenant_id = $1 and m.agent_id = r.agent_id and m.id = r.id and ",
        of_user!("m", "$3")
    ))
    .await
}

/// The versions that exist already, and whether they equal those of the file. A time of the file that is `moment` was mended: the same file
/// may have been imported with another one.
pub async fn stored_versions(
    tx: &mut Tx,
    tenancy: Tenancy,
    rows: &Value,
    moment: DateTime<Utc>,
) -> Result<Vec<(MemoryId, i32, bool)>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, rows, tenancy.users, moment],
        r"select v.memory_id, v.version,
                 (v.content, v.topic, v.status, v.deleted) = (r.content, r.topic, r.status, r.deleted)
                 and (v.valid_from = r.valid_from or r.valid_from = $4)
            from jsonb_populate_recordset(null::agent_memory_versions, $2) r
            join agent_memory_versions v
              on v.tenant_id = $1 and v.agent_id = r.agent_id and v.memory_id = r.memory_id and v.version = r.version and ",
        of_user!("v", "$3")
    ))
    .await
}

/// The projects or repositories whose slugs another one uses.
pub async fn same_slugs(tx: &mut Tx, tenant: TenantId, section: Section, rows: &Value) -> Result<Vec<Uuid>, DbError> {
    if !matches!(section, Section::Project | Section::Repo) {
        return Ok(vec![]);
    }
    let sql = format!(
        r"select r.id from jsonb_populate_recordset(null::{0}, $2) r
            join {0} t on t.tenant_id = $1 and t.agent_id = r.agent_id and t.slug = r.slug and t.id <> r.id",
        section.table()
    );
    // The table is one of the format.
    tx.values(statement!(sql, tenant, rows)).await
}

/// How many rows of one type exist already.
pub async fn count_existing(tx: &mut Tx, tenancy: Tenancy, section: Section, rows: &Value) -> Result<i64, DbError> {
    let table = section.table();
    let same = match section {
        // A link between projects that has ended does not count as existing.
        Section::ProjectLink => "t.agent_id = r.agent_id and t.one_id = r.one_id and t.other_id = r.other_id and t.valid_to is null",
        Section::Link => "t.agent_id = r.agent_id and t.from_id = r.from_id and t.to_id = r.to_id and t.relation = r.relation",
        Section::Tombstone => "t.agent_id = r.agent_id and t.memory_id = r.memory_id",
        Section::Connection => "t.agent_id = r.agent_id and t.id = r.id and t.user_id is not distinct from r.user_id",
        Section::ProfileLeaf => {
            "t.agent_id = r.agent_id and (t.id = r.id or t.user_id is not distinct from r.user_id and t.leaf_hash = r.leaf_hash)"
        }
        Section::ProfileVersion => {
            "t.agent_id = r.agent_id and (t.id = r.id or t.user_id is not distinct from r.user_id and t.version = r.version)"
        }
        Section::Action | Section::WorkflowStep => "t.id = r.id",
        _ => "t.agent_id = r.agent_id and t.id = r.id",
    };
    let of_user = if section.of_users() { of_user!("t", "$3") } else { "$3::uuid is not distinct from $3" };
    let sql = format!(
        r"select count(*) from jsonb_populate_recordset(null::{table}, $2) r
           where exists (select from {table} t where t.tenant_id = $1 and {same} and {of_user})"
    );
    // Table and condition are constants.
    tx.value(statement!(sql, tenancy.tenant, rows, tenancy.users)).await
}
