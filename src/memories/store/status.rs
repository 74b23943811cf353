//! The life cycle of a memory: deleted, superseded, contradicted, reinstated.

use crate::memories::model::Memory;
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user, sql};
use sqlx::FromRow;
use sqlx::types::Json;
use wire::{AgentId, MemoryId, MemoryStatus};

/// Marks a memory as deleted, and leaves a tombstone of its hash and source, never of its content.
pub async fn mark_deleted(
    tx: &mut Tx,
    tenancy: Tenancy,
    memory: &Memory,
    by: &str,
    reason: Option<&str>,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, memory.agent_id, memory.id, now, by, reason, tenancy.users],
        r"update agent_memories m set deleted_at = $4, deleted_by = $5, delete_reason = $6, live = false, version = version + 1,
                 written = pg_current_xact_id()
               where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ",
        of_user!("m", "$7")
    ))
    .await?;
    tx.run(sql!(
        [tenancy.tenant, memory.agent_id, memory.id, &memory.content_hash, Json(&memory.source), now, tenancy.users],
        r"insert into tombstones (tenant_id, agent_id, memory_id, content_hash, user_id, source, created_at)
              select m.tenant_id, m.agent_id, m.id, $4, m.user_id, $5, $6
                from agent_memories m where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ",
        of_user!("m", "$7"),
        " on conflict (tenant_id, agent_id, memory_id) do nothing"
    ))
    .await
}

/// Undoes a deletion; whether the memory is live again. `updated_at` does not move: a restored memory is as old as before.
pub async fn mark_restored(tx: &mut Tx, tenancy: Tenancy, memory: &Memory) -> Result<bool, DbError> {
    let live: Option<bool> = tx
        .value_if_any(sql!(
            [tenancy.tenant, memory.agent_id, memory.id, tenancy.users],
            r"update agent_memories m
                 set deleted_at = null, deleted_by = null, delete_reason = null, version = version + 1, written = pg_current_xact_id(),
                     live = status in ('active', 'contradicted') and archived_at is null
               where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ",
            of_user!("m", "$4"),
            " returning live"
        ))
        .await?;
    tx.run(sql!(
        [tenancy.tenant, memory.agent_id, memory.id, tenancy.users],
        "delete from tombstones t where t.tenant_id = $1 and t.agent_id = $2 and t.memory_id = $3 and ",
        of_user!("t", "$4")
    ))
    .await?;
    Ok(live.unwrap_or(false))
}

pub async fn mark_superseded(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: MemoryId) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, agent, id, tenancy.users],
        r"update agent_memories m set status = 'superseded', live = false, version = version + 1, written = pg_current_xact_id()
               where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ",
        of_user!("m", "$4")
    ))
    .await
}

/// Counts a version of a memory whose record stays as it is. `updated_at` does not move: nothing was written.
pub async fn next_version(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: MemoryId) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, agent, id, tenancy.users],
        "update agent_memories m set version = version + 1 where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ",
        of_user!("m", "$4")
    ))
    .await
}

/// The state of a memory after its status was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Standing {
    pub live: bool,
    pub awaiting_vector: bool,
}

/// Sets the status of a memory that is not deleted. `updated_at` does not move: nothing was written.
pub async fn set_status(
    tx: &mut Tx,
    tenancy: Tenancy,
    agent: AgentId,
    id: MemoryId,
    status: MemoryStatus,
) -> Result<Option<Standing>, DbError> {
    tx.row_if_any(sql!(
        [tenancy.tenant, agent, id, status, tenancy.users],
        r"update agent_memories m
                 set written = pg_current_xact_id(), status = $4, version = version + 1, live = $4 in ('active', 'contradicted') and archived_at is null
               where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and m.deleted_at is null and ",
        of_user!("m", "$5"),
        " returning live, awaiting_vector"
    ))
    .await
}

/// Marks a memory as somebody else's words.
pub async fn mark_captured(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: MemoryId) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, agent, id, tenancy.users],
        "update agent_memories m set trust = 'captured' where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ",
        of_user!("m", "$4")
    ))
    .await
}
