//! Statements with which an import writes: many records each, none twice.

use super::{LINK, MEMORY, PROJECT, PROJECT_LINK, REPO, SOURCE, TOMBSTONE, VERSION};
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user};
use serde_json::Value;
use sqlx::AssertSqlSafe;
use uuid::Uuid;
use wire::{AgentId, MemoryId, TenantId};

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
    let columns = MEMORY.join(", ");
    // What a file from before these columns leaves out.
    let value = |column: &&str| match *column {
        "stated_at" => "coalesce(r.stated_at, least(coalesce(r.observed_at, r.updated_at), r.updated_at))".to_owned(),
        "recalled_count" | "remembered_count" => format!("coalesce(r.{column}, 0)"),
        "trust" => "coalesce(r.trust, 'own')".to_owned(),
        column => format!("r.{column}"),
    };
    let values = MEMORY.iter().map(value).collect::<Vec<_>>().join(", ");
    // No agent's file makes a memory more trusted than it is here, or says that a person confirmed it.
    let newer = |column: &&str| match *column {
        "trust" => "trust = case when $4 or agent_memories.trust = 'own' then excluded.trust else agent_memories.trust end".to_owned(),
        "confirmed_by" | "confirmed_at" => format!("{column} = case when $4 then excluded.{column} else agent_memories.{column} end"),
        column => format!("{column} = excluded.{column}"),
    };
    let forward = MEMORY.iter().skip(1).map(newer).collect::<Vec<_>>().join(", ");
    let (new_of_user, old_of_user) = (of_user!("r", "$5"), of_user!("agent_memories", "$5"));
    let sql = format!(
        r"insert into agent_memories (tenant_id, agent_id, {columns}, topic_normal, topic_key, vocabulary_version, content_hash, live,
                                      awaiting_vector, imported_by)
          select $1, r.agent_id, {values}, r.topic_normal, r.topic_key, r.vocabulary_version, sha256(convert_to(r.content, 'UTF8')),
                 r.status in ('active', 'contradicted') and r.deleted_at is null and r.archived_at is null, true, $3
            from jsonb_populate_recordset(null::agent_memories, $2) r where {new_of_user} order by r.agent_id, r.id
          on conflict (tenant_id, agent_id, id) do update
             set {forward}, topic_normal = excluded.topic_normal, topic_key = excluded.topic_key, vocabulary_version = excluded.vocabulary_version,
                 content_hash = excluded.content_hash, live = excluded.live, awaiting_vector = true, imported_by = excluded.imported_by
           where agent_memories.tenant_id = excluded.tenant_id and agent_memories.version < excluded.version
             and agent_memories.user_id is not distinct from excluded.user_id and {old_of_user}
             and ($4 or (agent_memories.deleted_at is null and agent_memories.archived_at is null and (agent_memories.expires_at is null or agent_memories.expires_at > $6)))
          returning agent_id, id, xmax <> 0"
    );
    // The columns are those of the format: a constant.
    let query = sqlx::query_as(AssertSqlSafe(sql))
        .bind(tenancy.tenant)
        .bind(rows)
        .bind(importing.by)
        .bind(importing.revives)
        .bind(tenancy.users)
        .bind(importing.now);
    Ok(query.fetch_all(&mut **tx).await?)
}

/// Inserts further topics of memories, deleted ones included: `rows` has them with their normal forms. Those of `replaced` memories go first.
/// Returns the memories that got some.
pub async fn put_topics(tx: &mut Tx, tenancy: Tenancy, rows: &Value, replaced: &[MemoryId]) -> Result<Vec<MemoryId>, DbError> {
    sqlx::query(concat!("delete from memory_topics t where t.tenant_id = $1 and t.memory_id = any($2) and ", of_user!("t", "$3")))
        .bind(tenancy.tenant)
        .bind(replaced)
        .bind(tenancy.users)
        .execute(&mut **tx)
        .await?;
    Ok(sqlx::query_scalar(concat!(
        r"insert into memory_topics (tenant_id, agent_id, memory_id, user_id, topic, topic_raw, topic_normal, is_canonical,
                                     vocabulary_version, created_at)
          select $1, r.agent_id, r.memory_id, m.user_id, r.topic, r.topic_raw, r.topic_normal, r.is_canonical, 0, r.created_at
            from jsonb_populate_recordset(null::memory_topics, $2) r
            join agent_memories m on m.tenant_id = $1 and m.agent_id = r.agent_id and m.id = r.memory_id
           where ",
        of_user!("m", "$3"),
        " on conflict do nothing returning memory_id"
    ))
    .bind(tenancy.tenant)
    .bind(rows)
    .bind(tenancy.users)
    .fetch_all(&mut **tx)
    .await?)
}

async fn put(tx: &mut Tx, tenant: TenantId, table: &str, columns: &[&str], rows: &Value) -> Result<(), DbError> {
    let values = columns.join(", r.");
    let columns = columns.join(", ");
    let sql = format!(
        r"insert into {table} (tenant_id, agent_id, {columns})
          select $1, r.agent_id, r.{values} from jsonb_populate_recordset(null::{table}, $2) r on conflict do nothing"
    );
    // Table and columns are literals of the functions below.
    sqlx::query(AssertSqlSafe(sql)).bind(tenant).bind(rows).execute(&mut **tx).await?;
    Ok(())
}

async fn put_of_user(tx: &mut Tx, tenancy: Tenancy, table: &str, columns: &[&str], rows: &Value) -> Result<(), DbError> {
    let values = columns.join(", r.");
    let (columns, of_user) = (columns.join(", "), of_user!("r", "$3"));
    let sql = format!(
        r"insert into {table} (tenant_id, agent_id, {columns})
          select $1, r.agent_id, r.{values} from jsonb_populate_recordset(null::{table}, $2) r where {of_user} on conflict do nothing"
    );
    // Table and columns are literals of the functions below.
    sqlx::query(AssertSqlSafe(sql)).bind(tenancy.tenant).bind(rows).bind(tenancy.users).execute(&mut **tx).await?;
    Ok(())
}

/// Inserts versions, none of them later than their memory, whose next change takes the next number.
pub async fn put_versions(tx: &mut Tx, tenancy: Tenancy, rows: &Value, importing: Importing<'_>) -> Result<(), DbError> {
    let columns = VERSION.join(", ");
    let values = VERSION.join(", r.");
    let of_user = of_user!("m", "$4");
    let sql = format!(
        r"insert into agent_memory_versions (tenant_id, agent_id, {columns}, imported_by, user_id)
          select $1, r.agent_id, r.{values}, $3, m.user_id
            from jsonb_populate_recordset(null::agent_memory_versions, $2) r
            join agent_memories m on m.tenant_id = $1 and m.agent_id = r.agent_id and m.id = r.memory_id and m.version >= r.version
           where {of_user}
          on conflict do nothing"
    );
    // The columns are those of the format: a constant.
    sqlx::query(AssertSqlSafe(sql)).bind(tenancy.tenant).bind(rows).bind(importing.by).bind(tenancy.users).execute(&mut **tx).await?;
    Ok(())
}

/// Inserts links.
pub async fn put_links(tx: &mut Tx, tenancy: Tenancy, rows: &Value) -> Result<(), DbError> {
    let columns = LINK.join(", ");
    let values = LINK.join(", r.");
    let (from_of_user, to_of_user) = (of_user!("f", "$3"), of_user!("o", "$3"));
    let sql = format!(
        r"insert into memory_links (tenant_id, agent_id, {columns}, user_id)
          select $1, r.agent_id, r.{values}, coalesce(f.user_id, o.user_id)
            from jsonb_populate_recordset(null::memory_links, $2) r
            join agent_memories f on f.tenant_id = $1 and f.id = r.from_id
            join agent_memories o on o.tenant_id = $1 and o.id = r.to_id
           where {from_of_user} and {to_of_user}
          on conflict do nothing"
    );
    // The columns are those of the format: a constant.
    sqlx::query(AssertSqlSafe(sql)).bind(tenancy.tenant).bind(rows).bind(tenancy.users).execute(&mut **tx).await?;
    Ok(())
}

/// Inserts tombstones.
pub async fn put_tombstones(tx: &mut Tx, tenancy: Tenancy, rows: &Value) -> Result<(), DbError> {
    let columns = TOMBSTONE.join(", ");
    let values = TOMBSTONE.iter().map(|column| if *column == "user_id" { "m.user_id".into() } else { format!("r.{column}") });
    let (values, of_user) = (values.collect::<Vec<_>>().join(", "), of_user!("m", "$3"));
    let sql = format!(
        r"insert into tombstones (tenant_id, agent_id, {columns})
          select $1, r.agent_id, {values}
            from jsonb_populate_recordset(null::tombstones, $2) r
            join agent_memories m on m.tenant_id = $1 and m.agent_id = r.agent_id and m.id = r.memory_id
           where {of_user}
          on conflict do nothing"
    );
    // The columns are those of the format: a constant.
    sqlx::query(AssertSqlSafe(sql)).bind(tenancy.tenant).bind(rows).bind(tenancy.users).execute(&mut **tx).await?;
    Ok(())
}

/// Inserts projects.
pub async fn put_projects(tx: &mut Tx, tenant: TenantId, rows: &Value) -> Result<(), DbError> {
    put(tx, tenant, "projects", PROJECT, rows).await
}

/// Inserts repositories.
pub async fn put_repos(tx: &mut Tx, tenant: TenantId, rows: &Value) -> Result<(), DbError> {
    put(tx, tenant, "repos", REPO, rows).await
}

/// Inserts links between projects.
pub async fn put_project_links(tx: &mut Tx, tenant: TenantId, rows: &Value) -> Result<(), DbError> {
    put(tx, tenant, "project_links", PROJECT_LINK, rows).await
}

/// Inserts sources.
pub async fn put_sources(tx: &mut Tx, tenancy: Tenancy, rows: &Value) -> Result<(), DbError> {
    put_of_user(tx, tenancy, "sources", SOURCE, rows).await
}

/// Inserts events as history: in a state that no worker claims. The state in the file is stored beside it.
pub async fn put_events(tx: &mut Tx, tenancy: Tenancy, rows: &Value) -> Result<(), DbError> {
    sqlx::query(concat!(
        r"insert into events (tenant_id, agent_id, id, kind, task, payload, source_id, state, recorded_state, attempt, run_after, error,
                              outcome, created_at, finished_at, user_id, event_type, source_metadata, session_id, connection_id,
                              requested_scope, processed_at)
          select $1, r.agent_id, r.id, r.kind, r.task, r.payload, r.source_id, 'imported', r.state, r.attempt, r.run_after, r.error,
                 r.outcome, r.created_at, r.finished_at, r.user_id, r.event_type, coalesce(r.source_metadata, '{}'), r.session_id,
                 r.connection_id, r.requested_scope, r.processed_at
            from jsonb_populate_recordset(null::events, $2) r where ",
        of_user!("r", "$3"),
        " on conflict do nothing"
    ))
    .bind(tenancy.tenant)
    .bind(rows)
    .bind(tenancy.users)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Removes the tombstones of memories that are brought forward: the file has the valid ones.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, %agent, ids = ids.len()))]
pub async fn drop_tombstones(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, ids: &[MemoryId]) -> Result<(), DbError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let sql =
        concat!("delete from tombstones t where t.tenant_id = $1 and t.agent_id = $2 and t.memory_id = any($3) and ", of_user!("t", "$4"));
    sqlx::query(sql).bind(tenancy.tenant).bind(agent).bind(ids).bind(tenancy.users).execute(&mut **tx).await?;
    Ok(())
}
