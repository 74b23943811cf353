//! What the vocabulary reads of memories: by phrase, by topic, and those that are still filed under an older version.

use super::columns;
use crate::memories::model::{Draft, Memory};
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, insert, of_user, sql};
use foundation::terms::Resolved;
use sqlx::FromRow;
use sqlx::types::Json;
use wire::{AgentId, DecisionId, MemoryId, TenantId};
use words::normal;

/// How many memories that are not deleted have one of the phrases (normal forms), and of how many agents.
pub async fn count_phrases(tx: &mut Tx, tenant: TenantId, forms: &[String]) -> Result<(i64, i64), DbError> {
    tx.row(sql!(
        [tenant, forms],
        r"select count(*), count(distinct agent_id) from agent_memories
           where tenant_id = $1 and topic_normal = any($2) and deleted_at is null"
    ))
    .await
}

/// Those of some phrases (normal forms) that a live memory has, as its topic or as a further one.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, forms = forms.len()))]
pub async fn phrases_in_use(tx: &mut Tx, tenant: TenantId, forms: &[String]) -> Result<Vec<String>, DbError> {
    tx.values(sql!(
        [tenant, forms],
        r"select f.form from unnest($2::text[]) f (form)
           where exists (select 1 from agent_memories m where m.tenant_id = $1 and m.topic_normal = f.form and m.live)
              or exists (
                 select 1 from memory_topics t
                   join agent_memories m on m.tenant_id = t.tenant_id and m.agent_id = t.agent_id and m.id = t.memory_id and m.live
                  where t.tenant_id = $1 and t.topic_normal = f.form)"
    ))
    .await
}

/// The newest live memories that have a phrase, or are among `ids`.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn with_phrase(tx: &mut Tx, tenant: TenantId, form: &str, ids: &[MemoryId], most: i64) -> Result<Vec<Memory>, DbError> {
    tx.rows(sql!(
        [tenant, form, ids, most],
        "select ",
        columns!(),
        r" from agent_memories m
           where m.tenant_id = $1 and m.live and (m.topic_normal = $2 or m.id = any($3))
           order by m.updated_at desc, m.id desc limit $4"
    ))
    .await
}

/// How many memories each decision still has to refile.
pub async fn unresolved(
    tx: &mut Tx,
    tenant: TenantId,
    decisions: &[(DecisionId, i64, Vec<String>)],
) -> Result<Vec<(DecisionId, i64)>, DbError> {
    let open: Vec<_> =
        decisions.iter().map(|(id, version, forms)| serde_json::json!({ "id": id, "version": version, "forms": forms })).collect();
    tx.rows(sql!(
        [tenant, Json(open)],
        r"select d.id, count(m.id)
            from jsonb_to_recordset($2) as d (id uuid, version bigint, forms text[])
            join agent_memories m
              on m.tenant_id = $1 and m.topic_normal = any(d.forms) and m.vocabulary_version < d.version and m.deleted_at is null
           group by d.id"
    ))
    .await
}

/// Memories of the tenant that have one of the phrases and were resolved under an older version: the rest of a job.
pub async fn stale(tx: &mut Tx, tenant: TenantId, forms: &[String], version: i64, most: i64) -> Result<Vec<Memory>, DbError> {
    tx.rows(sql!(
        [tenant, forms, version, most],
        "select ",
        columns!(),
        r" from agent_memories m
           where m.tenant_id = $1 and m.topic_normal = any($2) and m.vocabulary_version < $3
           order by m.agent_id, m.id limit $4"
    ))
    .await
}

/// Files a memory under what its phrase resolves to now. `updated_at` does not move: nothing was written.
pub async fn file_under(tx: &mut Tx, tenant: TenantId, memory: &Memory, resolved: &Resolved) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, memory.agent_id, memory.id, &resolved.topic, resolved.is_canonical, resolved.version, normal(&resolved.topic)],
        r"update agent_memories
             set version = version + case when (topic, is_canonical) is distinct from ($4::varchar, $5::boolean) then 1 else 0 end,
                 topic = $4, topic_key = $7, is_canonical = $5, vocabulary_version = $6
           where tenant_id = $1 and agent_id = $2 and id = $3"
    ))
    .await
}

/// How many memories one agent has under a term.
#[derive(Clone, Debug, FromRow)]
pub struct TopicUse {
    pub topic: String,
    pub agent_id: AgentId,
    pub memories: i64,
    pub last_write: DateTime<Utc>,
}

/// How many memories each agent has under each of some terms, most first.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, terms = terms.len()))]
pub async fn topic_use(tx: &mut Tx, tenant: TenantId, terms: &[String]) -> Result<Vec<TopicUse>, DbError> {
    tx.rows(sql!(
        [tenant, terms],
        r"select topic, agent_id, count(*) as memories, max(updated_at) as last_write from agent_memories
           where tenant_id = $1 and topic = any($2) and live and is_canonical group by topic, agent_id order by memories desc, agent_id"
    ))
    .await
}

/// Keeps the topic of a draft on a memory with the same content, if it is another topic than the memory's own; whether it is new there.
pub async fn add_topic(tx: &mut Tx, tenancy: Tenancy, memory: &Memory, draft: &Draft, now: DateTime<Utc>) -> Result<bool, DbError> {
    let form = normal(&draft.topic_raw);
    if [normal(&memory.topic), normal(&memory.topic_raw)].contains(&form) || draft.key.topic_key() == normal(&memory.topic) {
        return Ok(false);
    }
    let query = insert!("insert into memory_topics" {
        tenant_id: tenancy.tenant,
        agent_id: memory.agent_id,
        memory_id: memory.id,
        user_id: memory.user_id,
        topic: &draft.key.topic,
        topic_raw: &draft.topic_raw,
        topic_normal: form,
        is_canonical: draft.is_canonical,
        vocabulary_version: draft.vocabulary_version,
        created_at: now,
    } "on conflict (tenant_id, agent_id, memory_id, topic_normal) do nothing");
    tx.changed_any(query).await
}

/// Keeps the topics of a memory on the one that supersedes it; returns the normal forms of those that it did not have.
pub async fn take_topics(
    tx: &mut Tx,
    tenancy: Tenancy,
    newer: &Memory,
    older: &Memory,
    now: DateTime<Utc>,
) -> Result<Vec<String>, DbError> {
    tx.values(sql!(
        [tenancy.tenant, newer.agent_id, newer.id, older.agent_id, older.id, now, tenancy.users],
        r"insert into memory_topics (tenant_id, agent_id, memory_id, user_id, topic, topic_raw, topic_normal, is_canonical,
                                     vocabulary_version, created_at)
          select n.tenant_id, n.agent_id, n.id, n.user_id, t.topic, t.topic_raw, t.topic_normal, t.is_canonical, t.vocabulary_version, $6
            from agent_memories n
           cross join (select m.topic, m.topic_raw, m.topic_normal, m.is_canonical, m.vocabulary_version
                         from agent_memories m where m.tenant_id = $1 and m.agent_id = $4 and m.id = $5 and ",
        of_user!("m", "$7"),
        r"
                       union all
                       select f.topic, f.topic_raw, f.topic_normal, f.is_canonical, f.vocabulary_version
                         from memory_topics f where f.tenant_id = $1 and f.agent_id = $4 and f.memory_id = $5 and ",
        of_user!("f", "$7"),
        r") t
           where n.tenant_id = $1 and n.agent_id = $2 and n.id = $3 and t.topic_normal <> n.topic_normal and t.topic <> n.topic
          on conflict (tenant_id, agent_id, memory_id, topic_normal) do nothing returning topic_normal"
    ))
    .await
}

/// Removes further topics of a memory, by their normal forms; all of them if `forms` is absent.
pub async fn drop_topics(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: MemoryId, forms: Option<&[String]>) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, agent, id, forms, tenancy.users],
        r"delete from memory_topics t
           where t.tenant_id = $1 and t.agent_id = $2 and t.memory_id = $3 and ($4::text[] is null or t.topic_normal = any($4)) and ",
        of_user!("t", "$5")
    ))
    .await
}

/// The further topics of memories that they had at a moment, oldest first.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, ids = ids.len()))]
pub async fn topics_of(tx: &mut Tx, tenancy: Tenancy, ids: &[MemoryId], at: DateTime<Utc>) -> Result<Vec<(MemoryId, String)>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, ids, at, tenancy.users],
        "select t.memory_id, t.topic from memory_topics t where t.tenant_id = $1 and t.memory_id = any($2) and t.created_at <= $3 and ",
        of_user!("t", "$4"),
        " order by t.memory_id, t.created_at, t.topic_normal"
    ))
    .await
}

/// A further topic of a memory whose phrase was resolved under an older version of the vocabulary.
#[derive(Clone, Debug, FromRow)]
pub struct StaleTopic {
    pub agent_id: AgentId,
    pub memory_id: MemoryId,
    pub topic_raw: String,
}

/// Further topics of the tenant's memories that are one of the phrases and were resolved under an older version.
pub async fn stale_topics(tx: &mut Tx, tenant: TenantId, forms: &[String], version: i64, most: i64) -> Result<Vec<StaleTopic>, DbError> {
    tx.rows(sql!(
        [tenant, forms, version, most],
        r"select t.agent_id, t.memory_id, t.topic_raw from memory_topics t
           where t.tenant_id = $1 and t.topic_normal = any($2) and t.vocabulary_version < $3
           order by t.agent_id, t.memory_id, t.topic_normal limit $4"
    ))
    .await
}

/// Files a further topic under what its phrase resolves to now.
pub async fn file_topic(tx: &mut Tx, tenant: TenantId, topic: &StaleTopic, resolved: &Resolved) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, topic.agent_id, topic.memory_id, normal(&topic.topic_raw), &resolved.topic, resolved.is_canonical, resolved.version],
        r"update memory_topics set topic = $5, is_canonical = $6, vocabulary_version = $7
           where tenant_id = $1 and agent_id = $2 and memory_id = $3 and topic_normal = $4"
    ))
    .await
}
