//! All SQL of profiles: leaves, working memories, versions, connections.

mod people;

pub use people::{Cited, StoredPerson, cited, count_people, people};

use super::{Diff, Leaf, Subject};
use crate::memories::store::confirmed;
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, insert, of_user, same_user, sql};
use serde_json::Value;
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;
use wire::{AgentId, MemoryId, TenantId};

/// A profile that changed at least once.
#[derive(Clone, Debug, FromRow)]
pub struct StoredProfile {
    /// What a chat model wrote; absent if the working memory is composed from the leaves.
    pub working_memory: Option<String>,
    pub version: i64,
    pub updated_at: DateTime<Utc>,
}

/// The profile of a subject. A working memory is left out if a memory from an observation was forgotten after its input was read.
pub async fn profile(tx: &mut Tx, tenancy: Tenancy, subject: Subject) -> Result<Option<StoredProfile>, DbError> {
    tx.row_if_any(sql!(
        [tenancy.tenant, subject.agent_id, subject.user_id, tenancy.users],
        r"select case when not exists (select from tombstones t
                                         join evidence v on v.tenant_id = t.tenant_id and v.agent_id = t.agent_id
                                              and v.memory_id = t.memory_id
                                        where t.tenant_id = $1 and t.agent_id = $2 and ",
        same_user!("t", "$3"),
        r" and t.created_at >= p.narrated_at)
                      then p.working_memory end as working_memory, v.version, v.created_at as updated_at
            from profile_versions v
            left join profiles p on p.tenant_id = $1 and p.agent_id = v.agent_id and ",
        same_user!("p", "$3"),
        r"
           where v.tenant_id = $1 and v.agent_id = $2 and ",
        same_user!("v", "$3"),
        " and ",
        of_user!("v", "$4"),
        " order by v.version desc limit 1"
    ))
    .await
}

/// Every leaf of a subject, by path, forgotten ones included. A leaf is hidden if a memory from one of its sources was forgotten.
pub async fn leaves(tx: &mut Tx, tenancy: Tenancy, subject: Subject) -> Result<Vec<Leaf>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, subject.agent_id, subject.user_id, tenancy.users],
        r"with forgotten as (
              select v.source_id from tombstones t
                join evidence v on v.tenant_id = t.tenant_id and v.agent_id = t.agent_id and v.memory_id = t.memory_id
               where t.tenant_id = $1 and t.agent_id = $2 and ",
        same_user!("t", "$3"),
        r")
          select l.id, l.part, l.connection_id, l.path, l.value, l.listed, l.state, l.leaf_hash, l.observations, l.contradicts,
               l.source_ids,
                 l.event_ids, l.first_seen, l.last_seen, l.superseded_at, l.matters, l.session_ids,
                 exists (select from forgotten f where f.source_id = any(l.source_ids)) as hidden,
                 coalesce((select bool_and(coalesce(e.payload->>'role', 'user') <> 'user') from events e
                            where e.tenant_id = $1 and e.agent_id = $2 and e.id = any(l.event_ids)), false)
                 and not exists (select from evidence v
                                   join agent_memories m on m.tenant_id = $1 and m.agent_id = $2 and m.id = v.memory_id
                                  where v.tenant_id = $1 and v.agent_id = $2 and v.source_id = any(l.source_ids) and m.live and ",
        confirmed!(),
        r") as unconfirmed
            from profile_leaves l where l.tenant_id = $1 and l.agent_id = $2 and ",
        same_user!("l", "$3"),
        " and ",
        of_user!("l", "$4"),
        " order by l.path, l.first_seen, l.id"
    ))
    .await
}

/// Stores a leaf, or what changed about it.
pub async fn put_leaf(tx: &mut Tx, tenancy: Tenancy, subject: Subject, leaf: &Leaf) -> Result<(), DbError> {
    let query = insert!("insert into profile_leaves" {
        tenant_id: tenancy.tenant,
        agent_id: subject.agent_id,
        id: leaf.id,
        user_id: subject.user_id,
        part: leaf.part,
        connection_id: leaf.connection_id,
        path: &leaf.path,
        value: &leaf.value,
        listed: leaf.listed,
        state: leaf.state,
        leaf_hash: &leaf.leaf_hash,
        observations: leaf.observations,
        contradicts: &leaf.contradicts,
        source_ids: &leaf.source_ids,
        event_ids: &leaf.event_ids,
        first_seen: leaf.first_seen,
        last_seen: leaf.last_seen,
        superseded_at: leaf.superseded_at,
        matters: &leaf.matters,
        session_ids: &leaf.session_ids,
    } r"on conflict (tenant_id, agent_id, id) do update
           set state = excluded.state, observations = excluded.observations, contradicts = excluded.contradicts,
               source_ids = excluded.source_ids, event_ids = excluded.event_ids, first_seen = excluded.first_seen,
               last_seen = excluded.last_seen, superseded_at = excluded.superseded_at, session_ids = excluded.session_ids
         where profile_leaves.tenant_id = excluded.tenant_id and profile_leaves.user_id is not distinct from excluded.user_id");
    tx.run(query).await
}

/// A working memory, and when its input was read.
pub type NewWorkingMemory<'a> = Option<(&'a str, DateTime<Utc>)>;

/// Stores a profile's working memory, or removes it.
pub async fn put_working_memory(
    tx: &mut Tx,
    tenancy: Tenancy,
    subject: Subject,
    id: Uuid,
    written: NewWorkingMemory<'_>,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    let query = insert!("insert into profiles" {
        tenant_id: tenancy.tenant,
        agent_id: subject.agent_id,
        id: id,
        user_id: subject.user_id,
        working_memory: written.map(|(text, _)| text),
        narrated_at: written.map(|(_, at)| at),
        created_at: now,
        updated_at: now,
    } r"on conflict (tenant_id, agent_id, user_id) do update
           set working_memory = excluded.working_memory, narrated_at = excluded.narrated_at, updated_at = excluded.updated_at
         where profiles.tenant_id = excluded.tenant_id");
    tx.run(query).await
}

/// A change of a profile.
#[derive(Clone, Debug, FromRow)]
pub struct StoredVersion {
    pub version: i64,
    pub diff: Json<Diff>,
    pub event_ids: Vec<Uuid>,
    pub narrated: bool,
    pub created_at: DateTime<Utc>,
}

/// The number of the next version of a profile, which the caller has locked.
pub async fn next_version(tx: &mut Tx, tenancy: Tenancy, subject: Subject) -> Result<i64, DbError> {
    tx.value(sql!(
        [tenancy.tenant, subject.agent_id, subject.user_id, tenancy.users],
        r"select coalesce(max(v.version), 0) + 1 from profile_versions v
           where v.tenant_id = $1 and v.agent_id = $2 and ",
        same_user!("v", "$3"),
        " and ",
        of_user!("v", "$4")
    ))
    .await
}

/// Records a change of a profile.
pub async fn insert_version(tx: &mut Tx, tenancy: Tenancy, subject: Subject, id: Uuid, version: &StoredVersion) -> Result<(), DbError> {
    let query = insert!("insert into profile_versions" {
        tenant_id: tenancy.tenant,
        agent_id: subject.agent_id,
        id: id,
        user_id: subject.user_id,
        version: version.version,
        diff: &version.diff,
        event_ids: &version.event_ids,
        narrated: version.narrated,
        created_at: version.created_at,
    } "");
    tx.run(query).await
}

/// Changes of a profile before a version, newest first.
pub async fn versions(tx: &mut Tx, tenancy: Tenancy, subject: Subject, before: i64, most: i64) -> Result<Vec<StoredVersion>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, subject.agent_id, subject.user_id, before, tenancy.users, most],
        r"select v.version, v.diff, v.event_ids, v.narrated, v.created_at from profile_versions v
           where v.tenant_id = $1 and v.agent_id = $2 and ",
        same_user!("v", "$3"),
        r" and v.version < $4 and ",
        of_user!("v", "$5"),
        " order by v.version desc limit $6"
    ))
    .await
}

/// The live memories that were made from some sources, each with its source.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, %agent, sources = sources.len()))]
pub async fn memories_of(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, sources: &[Uuid]) -> Result<Vec<(Uuid, MemoryId)>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, agent, sources, tenancy.users],
        r"select distinct v.source_id, v.memory_id
            from evidence v join agent_memories m on m.tenant_id = v.tenant_id and m.agent_id = v.agent_id and m.id = v.memory_id
           where v.tenant_id = $1 and v.agent_id = $2 and v.source_id = any($3) and m.live and ",
        of_user!("v", "$4"),
        " order by 2"
    ))
    .await
}

/// How many observations of some sources rules read because a chat model did not answer.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, %agent, sources = sources.len()))]
pub async fn read_by_rules(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, sources: &[Uuid]) -> Result<i64, DbError> {
    tx.value(sql!(
        [tenancy.tenant, agent, sources, tenancy.users],
        r"select count(*) from events e
           where e.tenant_id = $1 and e.agent_id = $2 and e.source_id = any($3) and e.kind = 'observation' and e.state = 'done'
             and e.outcome->>'extractor' = 'rules' and ",
        of_user!("e", "$4")
    ))
    .await
}

/// How many profiles of people and how many connections an agent has.
pub async fn counts(tx: &mut Tx, tenant: TenantId, agent: AgentId) -> Result<(i64, i64), DbError> {
    tx.row(sql!(
        [tenant, agent],
        r"select (select count(*) from profiles where tenant_id = $1 and agent_id = $2),
                 (select count(*) from connections where tenant_id = $1 and agent_id = $2)"
    ))
    .await
}

/// A tool as one person uses it.
#[derive(Clone, Debug, FromRow)]
pub struct StoredConnection {
    pub id: Uuid,
    pub tool_id: String,
    pub name: String,
    /// Absent once it is out of date.
    pub tool_schema: Option<Value>,
    pub schema_expires_at: Option<DateTime<Utc>>,
    /// False: it is out of use.
    pub active: bool,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// The connections of a subject, by name; a schema that is out of date is left out.
pub async fn connections(
    tx: &mut Tx,
    tenancy: Tenancy,
    subject: Subject,
    only: Option<Uuid>,
    most: i64,
    now: DateTime<Utc>,
) -> Result<Vec<StoredConnection>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, subject.agent_id, subject.user_id, tenancy.users, now, only, most],
        r"select c.id, c.tool_id, c.name, case when c.schema_expires_at > $5 then c.tool_schema end as tool_schema,
                 case when c.schema_expires_at > $5 then c.schema_expires_at end as schema_expires_at, c.active, c.created_at, c.updated_at
            from connections c
           where c.tenant_id = $1 and c.agent_id = $2 and ",
        same_user!("c", "$3"),
        r" and ($6::uuid is null or c.id = $6) and ",
        of_user!("c", "$4"),
        " order by c.name, c.id limit $7"
    ))
    .await
}

/// Stores a connection in place of an earlier one of the subject with the same id. Another user's connection may have the same id.
pub async fn put_connection(tx: &mut Tx, tenancy: Tenancy, subject: Subject, connection: &StoredConnection) -> Result<(), DbError> {
    let query = insert!("insert into connections" {
        tenant_id: tenancy.tenant,
        agent_id: subject.agent_id,
        id: connection.id,
        user_id: subject.user_id,
        tool_id: &connection.tool_id,
        name: &connection.name,
        tool_schema: &connection.tool_schema,
        schema_expires_at: connection.schema_expires_at,
        active: connection.active,
        created_at: connection.created_at,
        updated_at: connection.updated_at,
    } r"on conflict (tenant_id, agent_id, user_id, id) do update
           set tool_id = excluded.tool_id, name = excluded.name, tool_schema = excluded.tool_schema,
               schema_expires_at = excluded.schema_expires_at, updated_at = excluded.updated_at, active = excluded.active
         where connections.tenant_id = excluded.tenant_id");
    tx.run(query).await
}
