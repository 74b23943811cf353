//! What an import writes: many records in one statement, and none twice.

use super::{EVENT, LINK, MEMORY, PROJECT, PROJECT_LINK, REPO, SOURCE, TOMBSTONE, VERSION};
use crate::api::{AgentId, MemoryId, TenantId};
use crate::db::{DbError, Tx};
use serde_json::Value;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

/// Inserts memories, and brings those forward that stand at an earlier version; whose and which, and whether they were there. Whether they
/// are live follows from the rest, their vectors come later, and `vocabulary_version` is the caller's.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn put_memories(tx: &mut Tx, tenant: TenantId, rows: &Value) -> Result<Vec<(AgentId, MemoryId, bool)>, DbError> {
    let columns = MEMORY.join(", ");
    let values = MEMORY.join(", r.");
    let forward = MEMORY.iter().skip(1).map(|column| format!("{column} = excluded.{column}")).collect::<Vec<_>>().join(", ");
    let sql = format!(
        r"insert into agent_memories (tenant_id, agent_id, {columns}, topic_normal, vocabulary_version, content_hash, live, awaiting_vector)
          select $1, r.agent_id, r.{values}, r.topic_normal, r.vocabulary_version, sha256(convert_to(r.content, 'UTF8')),
                 r.status in ('active', 'contradicted') and r.deleted_at is null and r.archived_at is null, true
            from jsonb_populate_recordset(null::agent_memories, $2) r order by r.agent_id, r.id
          on conflict (agent_id, id) do update
             set {forward}, topic_normal = excluded.topic_normal, vocabulary_version = excluded.vocabulary_version,
                 content_hash = excluded.content_hash, live = excluded.live, awaiting_vector = true
           where agent_memories.tenant_id = excluded.tenant_id and agent_memories.version < excluded.version
          returning agent_id, id, xmax <> 0"
    );
    // The columns are those of the format: a constant.
    Ok(sqlx::query_as(AssertSqlSafe(sql)).bind(tenant).bind(rows).fetch_all(&mut **tx).await?)
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

/// Inserts versions.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn put_versions(tx: &mut Tx, tenant: TenantId, rows: &Value) -> Result<(), DbError> {
    put(tx, tenant, "agent_memory_versions", VERSION, rows).await
}

/// Inserts links.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn put_links(tx: &mut Tx, tenant: TenantId, rows: &Value) -> Result<(), DbError> {
    put(tx, tenant, "memory_links", LINK, rows).await
}

/// Inserts tombstones.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn put_tombstones(tx: &mut Tx, tenant: TenantId, rows: &Value) -> Result<(), DbError> {
    put(tx, tenant, "tombstones", TOMBSTONE, rows).await
}

/// Inserts projects.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn put_projects(tx: &mut Tx, tenant: TenantId, rows: &Value) -> Result<(), DbError> {
    put(tx, tenant, "projects", PROJECT, rows).await
}

/// Inserts repositories.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn put_repos(tx: &mut Tx, tenant: TenantId, rows: &Value) -> Result<(), DbError> {
    put(tx, tenant, "repos", REPO, rows).await
}

/// Inserts links between projects.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn put_project_links(tx: &mut Tx, tenant: TenantId, rows: &Value) -> Result<(), DbError> {
    put(tx, tenant, "project_links", PROJECT_LINK, rows).await
}

/// Inserts sources.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn put_sources(tx: &mut Tx, tenant: TenantId, rows: &Value) -> Result<(), DbError> {
    put(tx, tenant, "sources", SOURCE, rows).await
}

/// Inserts events, in whatever state they are: what waits is worked off here.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn put_events(tx: &mut Tx, tenant: TenantId, rows: &Value) -> Result<(), DbError> {
    put(tx, tenant, "events", EVENT, rows).await
}

/// Removes the tombstones of memories that are brought forward: the file has those that hold.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, %agent, ids = ids.len()))]
pub async fn drop_tombstones(tx: &mut Tx, tenant: TenantId, agent: AgentId, ids: &[MemoryId]) -> Result<(), DbError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    sqlx::query("delete from tombstones where tenant_id = $1 and agent_id = $2 and memory_id = any($3)")
        .bind(tenant)
        .bind(agent)
        .bind(ids)
        .execute(&mut **tx)
        .await?;
    Ok(())
}
