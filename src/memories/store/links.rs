//! Links between memories of one agent, of the commons, or of both.

use crate::api::{AgentId, MemoryId, Relation, TenantId, UserId};
use crate::db::{DbError, Tx};
use crate::memories::model::Link;
use crate::op::OpContext;
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// Links two memories; whether they were not so linked before. `agent` is who may see the link: the commons if an end of it is shared.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor, %agent))]
pub async fn link(
    tx: &mut Tx,
    ctx: &OpContext,
    agent: AgentId,
    from: MemoryId,
    to: MemoryId,
    relation: Relation,
    now: DateTime<Utc>,
) -> Result<bool, DbError> {
    let done = sqlx::query(
        r"insert into memory_links (tenant_id, agent_id, from_id, to_id, relation, created_at, created_by)
          values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing",
    )
    .bind(ctx.tenant_id)
    .bind(agent)
    .bind(from)
    .bind(to)
    .bind(relation)
    .bind(now)
    .bind(ctx.actor.name())
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Takes a link away; whether it was there.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, %agent))]
pub async fn unlink(
    tx: &mut Tx,
    tenant: TenantId,
    agent: AgentId,
    from: MemoryId,
    to: MemoryId,
    relation: Relation,
) -> Result<bool, DbError> {
    let done =
        sqlx::query("delete from memory_links where tenant_id = $1 and agent_id = $2 and from_id = $3 and to_id = $4 and relation = $5")
            .bind(tenant)
            .bind(agent)
            .bind(from)
            .bind(to)
            .bind(relation)
            .execute(&mut **tx)
            .await?;
    Ok(done.rows_affected() > 0)
}

/// Whether a memory still is superseded by another, and whether another in reach still contradicts it. An end that whoever asks may not see
/// counts as one in reach.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn still_linked(tx: &mut Tx, tenant: TenantId, id: MemoryId) -> Result<(bool, bool), DbError> {
    Ok(sqlx::query_as(
        r"select coalesce(bool_or(l.relation = 'supersedes' and l.to_id = $2), false),
                 coalesce(bool_or(l.relation = 'contradicts' and coalesce(o.live, true)), false)
            from memory_links l
            left join agent_memories o on o.tenant_id = l.tenant_id and o.id = case when l.from_id = $2 then l.to_id else l.from_id end
           where l.tenant_id = $1 and (l.from_id = $2 or l.to_id = $2)",
    )
    .bind(tenant)
    .bind(id)
    .fetch_one(&mut **tx)
    .await?)
}

/// A memory's links, either way, newest first, as far as whoever asks may see them.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn links(tx: &mut Tx, tenant: TenantId, id: MemoryId) -> Result<Vec<Link>, DbError> {
    Ok(sqlx::query_as(
        r"select l.from_id, l.to_id, l.relation, o.agent_id as other_agent_id, o.user_id as other_user_id, o.short_id as other_short_id,
                 o.topic as other_topic, left(o.content, 300) as other_content, o.status as other_status,
                 o.deleted_at is not null as other_deleted, o.source as other_source, o.updated_at as other_updated_at, l.created_at
            from memory_links l
            join agent_memories o on o.tenant_id = l.tenant_id and o.id = case when l.from_id = $2 then l.to_id else l.from_id end
           where l.tenant_id = $1 and (l.from_id = $2 or l.to_id = $2)
           order by l.created_at desc, l.from_id, l.to_id, l.relation",
    )
    .bind(tenant)
    .bind(id)
    .fetch_all(&mut **tx)
    .await?)
}

/// Which live memories, of some agents and within a user's reach, contradict which of `ids`.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, agents = agents.len(), ids = ids.len()))]
pub async fn contradictions(
    tx: &mut Tx,
    tenant: TenantId,
    agents: &[AgentId],
    user: Option<UserId>,
    ids: &[MemoryId],
    now: DateTime<Utc>,
) -> Result<Vec<(MemoryId, MemoryId)>, DbError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let agents: Vec<Uuid> = agents.iter().map(|agent| agent.0).collect();
    Ok(sqlx::query_as(
        r"select given.id, o.id
            from unnest($2::uuid[]) as given (id)
            join memory_links l on l.tenant_id = $1 and l.relation = 'contradicts' and l.agent_id = any($3)
             and (l.from_id = given.id or l.to_id = given.id)
            join agent_memories o on o.tenant_id = $1 and o.id = case when l.from_id = given.id then l.to_id else l.from_id end
             and o.agent_id = any($3) and o.live and (o.expires_at is null or o.expires_at > $5) and (o.user_id is null or o.user_id = $4)
           group by 1, 2 order by 1, 2",
    )
    .bind(tenant)
    .bind(ids)
    .bind(agents)
    .bind(user)
    .bind(now)
    .fetch_all(&mut **tx)
    .await?)
}
