//! Suggestions about two memories: what is suggested, and what was accepted.

use crate::memories::model::Owner;
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, insert, of_user, sql};
use uuid::Uuid;
use wire::{AgentId, MemoryId, SuggestionId, SuggestionRelation};

/// A relation that one memory may have to another one of the same owner.
#[derive(Clone, Copy)]
pub struct NewSuggestion<'a> {
    pub owner: Owner,
    pub id: Uuid,
    pub from: MemoryId,
    pub to: MemoryId,
    pub relation: SuggestionRelation,
    pub reason: &'a str,
}

/// Suggests a relation, unless that was suggested before; whether it is new. A relation that holds in both directions is stored once.
pub async fn suggest(tx: &mut Tx, tenancy: Tenancy, suggestion: NewSuggestion<'_>, now: DateTime<Utc>) -> Result<bool, DbError> {
    let NewSuggestion { owner, id, from, to, relation, reason } = suggestion;
    // Without a conflict target: an agent may write a suggestion and not read one.
    let query = insert!("insert into memory_proposals" {
        tenant_id: tenancy.tenant,
        agent_id: owner.agent_id,
        id: id,
        user_id: owner.user_id,
        from_id: from,
        to_id: to,
        relation: relation,
        reason: reason,
        state: "open",
        created_at: now,
    } "on conflict do nothing");
    tx.changed_any(query).await
}

/// The accepted suggestions about a memory that can be undone, each with the other memory, the last decision first.
pub async fn accepted(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: MemoryId) -> Result<Vec<(MemoryId, SuggestionId)>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, agent, id, tenancy.users],
        r"select case when p.from_id = $3 then p.to_id else p.from_id end, p.id
            from memory_proposals p
           where p.tenant_id = $1 and p.agent_id = $2 and (p.from_id = $3 or p.to_id = $3) and p.state = 'accepted' and p.effect is not null
             and ",
        of_user!("p", "$4"),
        " order by p.decided_at desc, p.id"
    ))
    .await
}
