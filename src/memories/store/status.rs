//! Where a memory stands in its life: deleted, superseded, contradicted, back again.

use crate::api::{AgentId, MemoryId, MemoryStatus, TenantId};
use crate::db::{DbError, Tx};
use crate::memories::model::Memory;
use chrono::{DateTime, Utc};
use sqlx::FromRow;
use sqlx::types::Json;

/// Marks a memory as deleted, and leaves a tombstone of its hash and source, never of its content.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn mark_deleted(
    tx: &mut Tx,
    tenant: TenantId,
    memory: &Memory,
    by: &str,
    reason: Option<&str>,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    sqlx::query(
        r"update agent_memories set deleted_at = $4, deleted_by = $5, delete_reason = $6, live = false, version = version + 1
           where tenant_id = $1 and agent_id = $2 and id = $3",
    )
    .bind(tenant)
    .bind(memory.agent_id)
    .bind(memory.id)
    .bind(now)
    .bind(by)
    .bind(reason)
    .execute(&mut **tx)
    .await?;
    sqlx::query(
        r"insert into tombstones (tenant_id, agent_id, memory_id, content_hash, user_id, source, created_at)
          values ($1, $2, $3, $4, $5, $6, $7) on conflict (agent_id, memory_id) do nothing",
    )
    .bind(tenant)
    .bind(memory.agent_id)
    .bind(memory.id)
    .bind(&memory.content_hash)
    .bind(memory.user_id)
    .bind(Json(&memory.source))
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Takes a deletion back; whether the memory lives again. `updated_at` does not move: a restored memory is as old as it was.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn mark_restored(tx: &mut Tx, tenant: TenantId, memory: &Memory) -> Result<bool, DbError> {
    let live: Option<bool> = sqlx::query_scalar(
        r"update agent_memories
             set deleted_at = null, deleted_by = null, delete_reason = null, version = version + 1,
                 live = status in ('active', 'contradicted') and archived_at is null
           where tenant_id = $1 and agent_id = $2 and id = $3 returning live",
    )
    .bind(tenant)
    .bind(memory.agent_id)
    .bind(memory.id)
    .fetch_optional(&mut **tx)
    .await?;
    sqlx::query("delete from tombstones where tenant_id = $1 and agent_id = $2 and memory_id = $3")
        .bind(tenant)
        .bind(memory.agent_id)
        .bind(memory.id)
        .execute(&mut **tx)
        .await?;
    Ok(live.unwrap_or(false))
}

/// Marks a memory as superseded by another.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, %agent))]
pub async fn mark_superseded(tx: &mut Tx, tenant: TenantId, agent: AgentId, id: MemoryId) -> Result<(), DbError> {
    sqlx::query(
        "update agent_memories set status = 'superseded', live = false, version = version + 1 where tenant_id = $1 and agent_id = $2 and id = $3",
    )
    .bind(tenant)
    .bind(agent)
    .bind(id)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// How a memory stands after its status was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Standing {
    pub live: bool,
    pub awaiting_vector: bool,
}

/// Sets the status of a memory that is not deleted. `updated_at` does not move: nothing was written.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, %agent))]
pub async fn set_status(
    tx: &mut Tx,
    tenant: TenantId,
    agent: AgentId,
    id: MemoryId,
    status: MemoryStatus,
) -> Result<Option<Standing>, DbError> {
    Ok(sqlx::query_as(
        r"update agent_memories
             set status = $4, version = version + 1, live = $4 in ('active', 'contradicted') and archived_at is null
           where tenant_id = $1 and agent_id = $2 and id = $3 and deleted_at is null returning live, awaiting_vector",
    )
    .bind(tenant)
    .bind(agent)
    .bind(id)
    .bind(status)
    .fetch_optional(&mut **tx)
    .await?)
}
