//! Every state that a memory was in.

use crate::memories::model::{Change, Version};
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user, sql};
use foundation::OpContext;
use sqlx::types::Json;
use std::collections::HashMap;
use wire::{AgentId, MemoryId, Source};

/// `insert into agent_memory_versions … select …`, to be followed by `from` and rows of memories. The arguments are what SQL says of the
/// change, of its time, of the actor, of where it came from, and of where the memory was said if that is somewhere else.
macro_rules! insert_versions {
    ($change:literal, $at:literal, $kind:literal, $id:literal, $name:literal, $source:literal, $provenance:literal) => {
        concat!(
            r"insert into agent_memory_versions (tenant_id, agent_id, memory_id, user_id, version, content, topic, topic_raw, is_canonical, status,
                deleted, kind, scope, project_id, retention, updated_at, title, summary, category, subject, rationale, alternatives,
                confidence, observed_at, stated_at, change, valid_from, actor_kind, actor_id, actor_name, source, provenance)
              select tenant_id, agent_id, id, user_id, version, content, topic, topic_raw, is_canonical, status,
                deleted_at is not null, kind, scope, project_id, retention, updated_at, title, summary, category, subject, rationale,
                coalesce(alternatives, '{}'), confidence, observed_at, stated_at, ",
            concat!($change, ", ", $at, ", ", $kind, ", ", $id, ", ", $name, ", ", $source, ", ", $provenance)
        )
    };
}
pub(super) use insert_versions;

/// Copies the current record into its versions. `origin` is where the change came from, if not from where the memory was said.
pub async fn write_version(
    tx: &mut Tx,
    ctx: &OpContext,
    agent: AgentId,
    id: MemoryId,
    change: Change,
    origin: Option<&Source>,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    tx.run(sql!(
        [ctx.tenant_id, agent, id, change.as_str(), now, ctx.actor.kind(), ctx.actor.id(), ctx.actor.name(), ctx.users, origin.map(Json)],
        insert_versions!("$4", "$5", "$6", "$7", "$8", "coalesce($10, source)", "case when $10 <> source then source end"),
        " from agent_memories m where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ",
        of_user!("m", "$9")
    ))
    .await
}

/// The memories whose last change is a deletion, or the restoration of a deleted memory, made at `at`; each with whether that deleted it.
pub async fn removals_at(tx: &mut Tx, tenancy: Tenancy, ids: &[MemoryId], at: DateTime<Utc>) -> Result<HashMap<MemoryId, bool>, DbError> {
    let rows: Vec<(MemoryId, bool)> = tx
        .rows(sql!(
            [tenancy.tenant, ids, at, tenancy.users],
            r"select v.memory_id, v.deleted
            from agent_memories m
            join agent_memory_versions v
              on v.tenant_id = m.tenant_id and v.agent_id = m.agent_id and v.memory_id = m.id and v.version = m.version
           where m.tenant_id = $1 and m.id = any($2) and v.valid_from = $3 and v.change in ('forgotten', 'restored')
             -- a memory that was only archived is restored, too
             and (v.deleted or (select p.deleted from agent_memory_versions p
                                 where p.tenant_id = $1 and p.agent_id = v.agent_id and p.memory_id = v.memory_id
                                   and p.version < v.version
                                 order by p.version desc limit 1)) and ",
            of_user!("m", "$4")
        ))
        .await?;
    Ok(rows.into_iter().collect())
}

/// A memory's versions, newest first.
pub async fn versions(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: MemoryId) -> Result<Vec<Version>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, agent, id, tenancy.users],
        r"select v.version, v.change, v.content, v.topic, v.topic_raw, v.is_canonical, v.status, v.deleted, v.kind,
                 v.valid_from, v.actor_kind,
                     v.actor_name, v.source, v.title, v.summary, v.category, v.subject, v.rationale, v.alternatives, v.confidence
                from agent_memory_versions v where v.tenant_id = $1 and v.agent_id = $2 and v.memory_id = $3 and ",
        of_user!("v", "$4"),
        " order by v.version desc"
    ))
    .await
}

/// Where the content of a version was said; its change may have come from somewhere else.
pub async fn source_of_version(
    tx: &mut Tx,
    tenancy: Tenancy,
    agent: AgentId,
    id: MemoryId,
    version: i32,
) -> Result<Option<Source>, DbError> {
    let source: Option<Json<Source>> = tx
        .value_if_any(sql!(
            [tenancy.tenant, agent, id, version, tenancy.users],
            r"select coalesce(v.provenance, v.source) from agent_memory_versions v
           where v.tenant_id = $1 and v.agent_id = $2 and v.memory_id = $3 and v.version = $4 and ",
            of_user!("v", "$5")
        ))
        .await?;
    Ok(source.map(|Json(source)| source))
}

/// The condition that a person confirmed the present text of a memory, for a table called `m`: a person reviewed it, or wrote it in the console
/// (what an undone correction brings back has its provenance), and nobody but a person has changed a word of it since, its details included.
macro_rules! confirmed {
    () => {
        "exists (select from agent_memory_versions v
                  where v.tenant_id = $1 and v.agent_id = m.agent_id and v.memory_id = m.id
                    and (v.change in ('promoted', 'reviewed') or (v.change = 'revised' and v.provenance is null))
                    and v.actor_kind = 'operator' and v.content = m.content
                    and not exists (select from agent_memory_versions w
                                     where w.tenant_id = $1 and w.agent_id = m.agent_id and w.memory_id = m.id
                                       and w.version > v.version and w.change in ('revised', 'amended') and w.actor_kind <> 'operator'))"
    };
}
pub(crate) use confirmed;

/// Those of some memories that a person confirmed as they are now.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, ids = ids.len()))]
pub async fn reviewed(tx: &mut Tx, tenancy: Tenancy, ids: &[MemoryId]) -> Result<Vec<MemoryId>, DbError> {
    tx.values(sql!(
        [tenancy.tenant, ids, tenancy.users],
        r"select m.id from agent_memories m
           where m.tenant_id = $1 and m.id = any($2) and ",
        of_user!("m", "$3"),
        " and ",
        confirmed!(),
        " order by 1"
    ))
    .await
}
