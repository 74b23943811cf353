//! The recalls that returned a memory.

use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user, sql, statement};
use sqlx::FromRow;
use wire::{AgentId, MemoryId, RetrievalId};

/// A recall that returned a memory.
#[derive(Clone, Debug, FromRow)]
pub struct Recalled {
    pub retrieval_id: RetrievalId,
    pub agent_id: AgentId,
    pub query: String,
    pub at: DateTime<Utc>,
    /// From 1.
    pub rank: i32,
}

/// How many recalls in the log returned a memory, and the latest `most` of them. It does not compare the owner's id, because others may
/// recall shared memories.
pub async fn recalls(tx: &mut Tx, tenancy: Tenancy, id: MemoryId, most: i64) -> Result<(i64, Vec<Recalled>), DbError> {
    let count = concat!("select count(*) from retrieval_hits h where h.tenant_id = $1 and h.memory_id = $2 and ", of_user!("h", "$3"));
    let total = tx.value(statement!(count, tenancy.tenant, id, tenancy.users)).await?;
    let latest = tx
        .rows(sql!(
            [tenancy.tenant, id, most, tenancy.users],
            r"select h.retrieval_id, h.agent_id, r.query, h.at, h.rank
                from retrieval_hits h join retrievals r on r.tenant_id = h.tenant_id and r.agent_id = h.agent_id and r.id = h.retrieval_id
               where h.tenant_id = $1 and h.memory_id = $2 and ",
            of_user!("h", "$4"),
            " order by h.at desc, h.retrieval_id desc limit $3"
        ))
        .await?;
    Ok((total, latest))
}
