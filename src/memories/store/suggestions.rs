//! What is suggested to people about two memories.

use crate::api::{AgentId, MemoryId, PairRelation, UserId};
use crate::db::{DbError, Tenancy, Tx, insert};
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// Suggests that one memory has a relation to another one of the same owner, unless that was suggested before; whether it is new. A relation
/// that holds in both directions is stored once.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, %agent))]
pub async fn suggest(
    tx: &mut Tx,
    tenancy: Tenancy,
    (agent, user): (AgentId, Option<UserId>),
    (id, from, to): (Uuid, MemoryId, MemoryId),
    relation: PairRelation,
    reason: &str,
    now: DateTime<Utc>,
) -> Result<bool, DbError> {
    // Without a conflict target: an agent may write a suggestion and not read one.
    let mut query = insert!("insert into memory_proposals" {
        tenant_id: tenancy.tenant,
        agent_id: agent,
        id: id,
        user_id: user,
        from_id: from,
        to_id: to,
        relation: relation,
        reason: reason,
        state: "open",
        created_at: now,
    } "on conflict do nothing");
    Ok(query.build().execute(&mut **tx).await?.rows_affected() > 0)
}
