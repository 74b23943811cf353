//! Links between memories of one agent, of the commons, or of both.

use crate::memories::model::{Link, Owner};
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user, sql};
use foundation::OpContext;
use wire::{AgentId, MemoryId, Relation};

/// Links two memories; whether they were not so linked before. `owner` decides who may see the link: the commons if an end of it
/// is shared, the user to whom an end of it belongs.
pub async fn link(
    tx: &mut Tx,
    ctx: &OpContext,
    owner: Owner,
    from: MemoryId,
    to: MemoryId,
    relation: Relation,
    now: DateTime<Utc>,
) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [ctx.tenant_id, owner.agent_id, from, to, relation, now, ctx.actor.name(), owner.user_id],
        r"insert into memory_links (tenant_id, agent_id, from_id, to_id, relation, created_at, created_by, user_id)
          values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing"
    ))
    .await
}

/// Removes a link; whether it existed.
pub async fn unlink(
    tx: &mut Tx,
    tenancy: Tenancy,
    agent: AgentId,
    from: MemoryId,
    to: MemoryId,
    relation: Relation,
) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenancy.tenant, agent, from, to, relation, tenancy.users],
        r"delete from memory_links l where l.tenant_id = $1 and l.agent_id = $2 and l.from_id = $3 and l.to_id = $4
                 and l.relation = $5 and ",
        of_user!("l", "$6")
    ))
    .await
}

/// Whether links supersede a memory, and whether another in reach contradicts it. Links that the caller may not see count, too.
pub async fn still_linked(tx: &mut Tx, tenancy: Tenancy, id: MemoryId) -> Result<(bool, bool), DbError> {
    tx.row(sql!([tenancy.tenant, id], "select superseded, contradicted from links_on($1, $2)")).await
}

/// A memory's links in both directions, newest first, as far as the caller may see them.
pub async fn links(tx: &mut Tx, tenancy: Tenancy, id: MemoryId) -> Result<Vec<Link>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, id, tenancy.users],
        r"select l.from_id, l.to_id, l.relation, o.agent_id as other_agent_id, o.user_id as other_user_id, o.short_id as other_short_id,
                 o.topic as other_topic, left(o.content, 300) as other_content, o.status as other_status,
                 o.deleted_at is not null as other_deleted, o.archived_at is not null as other_archived, o.expires_at as other_expires_at,
                     o.source as other_source, o.updated_at as other_updated_at, l.created_at
            from memory_links l
            join agent_memories o on o.tenant_id = l.tenant_id and o.id = case when l.from_id = $2 then l.to_id else l.from_id end
           where l.tenant_id = $1 and (l.from_id = $2 or l.to_id = $2) and ",
        of_user!("l", "$3"),
        " and ",
        of_user!("o", "$3"),
        " order by l.created_at desc, l.from_id, l.to_id, l.relation"
    ))
    .await
}

/// Which live memories, of some agents and within a user's reach, contradict which of `ids`.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, agents = agents.len(), ids = ids.len()))]
pub async fn contradictions(
    tx: &mut Tx,
    tenancy: Tenancy,
    agents: &[AgentId],
    ids: &[MemoryId],
    now: DateTime<Utc>,
) -> Result<Vec<(MemoryId, MemoryId)>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, ids, agents, tenancy.users, now],
        r"select given.id, o.id
            from unnest($2::uuid[]) as given (id)
            join memory_links l on l.tenant_id = $1 and l.relation = 'contradicts' and l.agent_id = any($3)
             and (l.from_id = given.id or l.to_id = given.id)
            join agent_memories o on o.tenant_id = $1 and o.id = case when l.from_id = given.id then l.to_id else l.from_id end
             and o.agent_id = any($3) and o.live and (o.expires_at is null or o.expires_at > $5) and ",
        of_user!("o", "$4"),
        " group by 1, 2 order by 1, 2"
    ))
    .await
}

/// Those of some memories that have a link to a memory that they contradict.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, ids = ids.len()))]
pub async fn disputed(tx: &mut Tx, tenancy: Tenancy, ids: &[MemoryId]) -> Result<Vec<MemoryId>, DbError> {
    tx.values(sql!(
        [tenancy.tenant, ids, tenancy.users],
        r"select l.from_id from memory_links l
           where l.tenant_id = $1 and l.from_id = any($2) and l.relation = 'contradicts' and ",
        of_user!("l", "$3"),
        r" union
          select l.to_id from memory_links l
           where l.tenant_id = $1 and l.to_id = any($2) and l.relation = 'contradicts' and ",
        of_user!("l", "$3"),
        " order by 1"
    ))
    .await
}
