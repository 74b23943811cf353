//! What the vocabulary reads of memories: by phrase, by topic, and those that are still filed under an older version.

use super::columns;
use crate::api::{AgentId, DecisionId, MemoryId, TenantId};
use crate::db::{DbError, Tx};
use crate::memories::model::Memory;
use crate::vocabulary::Resolved;
use chrono::{DateTime, Utc};
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;

/// How many memories that are not deleted have one of the phrases (normal forms), and of how many agents.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn count_phrases(tx: &mut Tx, tenant: TenantId, forms: &[String]) -> Result<(i64, i64), DbError> {
    Ok(sqlx::query_as(
        r"select count(*), count(distinct agent_id) from agent_memories
           where tenant_id = $1 and topic_normal = any($2) and deleted_at is null",
    )
    .bind(tenant)
    .bind(forms)
    .fetch_one(&mut **tx)
    .await?)
}

/// The newest live memories that have a phrase, or are among `ids`.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn with_phrase(tx: &mut Tx, tenant: TenantId, form: &str, ids: &[MemoryId], most: i64) -> Result<Vec<Memory>, DbError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let query = sqlx::query_as(concat!(
        "select ",
        columns!(),
        r"
            from agent_memories m
           where m.tenant_id = $1 and m.live and (m.topic_normal = $2 or m.id = any($3))
           order by m.updated_at desc, m.id desc limit $4"
    ));
    Ok(query.bind(tenant).bind(form).bind(ids).bind(most).fetch_all(&mut **tx).await?)
}

/// How many memories each decision still has to refile.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn unresolved(
    tx: &mut Tx,
    tenant: TenantId,
    decisions: &[(DecisionId, i64, Vec<String>)],
) -> Result<Vec<(DecisionId, i64)>, DbError> {
    let open: Vec<_> =
        decisions.iter().map(|(id, version, forms)| serde_json::json!({ "id": id, "version": version, "forms": forms })).collect();
    Ok(sqlx::query_as(
        r"select d.id, count(m.id)
            from jsonb_to_recordset($2) as d (id uuid, version bigint, forms text[])
            join agent_memories m
              on m.tenant_id = $1 and m.topic_normal = any(d.forms) and m.vocabulary_version < d.version and m.deleted_at is null
           group by d.id",
    )
    .bind(tenant)
    .bind(Json(open))
    .fetch_all(&mut **tx)
    .await?)
}

/// Memories of the tenant that have one of the phrases and were resolved under an older version: the rest of a job.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn stale(tx: &mut Tx, tenant: TenantId, forms: &[String], version: i64, most: i64) -> Result<Vec<Memory>, DbError> {
    let query = sqlx::query_as(concat!(
        "select ",
        columns!(),
        r"
            from agent_memories m
           where m.tenant_id = $1 and m.topic_normal = any($2) and m.vocabulary_version < $3
           order by m.agent_id, m.id limit $4"
    ));
    Ok(query.bind(tenant).bind(forms).bind(version).bind(most).fetch_all(&mut **tx).await?)
}

/// Files a memory under what its phrase resolves to now. `updated_at` does not move: nothing was written.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn file_under(tx: &mut Tx, tenant: TenantId, memory: &Memory, resolved: &Resolved) -> Result<(), DbError> {
    sqlx::query(
        r"update agent_memories
             set version = version + case when (topic, is_canonical) is distinct from ($4::varchar, $5::boolean) then 1 else 0 end,
                 topic = $4, is_canonical = $5, vocabulary_version = $6
           where tenant_id = $1 and agent_id = $2 and id = $3",
    )
    .bind(tenant)
    .bind(memory.agent_id)
    .bind(memory.id)
    .bind(&resolved.topic)
    .bind(resolved.is_canonical)
    .bind(resolved.version)
    .execute(&mut **tx)
    .await?;
    Ok(())
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
    Ok(sqlx::query_as(
        r"select topic, agent_id, count(*) as memories, max(updated_at) as last_write from agent_memories
           where tenant_id = $1 and topic = any($2) and live and is_canonical group by topic, agent_id order by memories desc, agent_id",
    )
    .bind(tenant)
    .bind(terms)
    .fetch_all(&mut **tx)
    .await?)
}
