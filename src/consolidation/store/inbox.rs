//! The list of candidates.

use crate::memories::model::Memory;
use crate::memories::store::COLUMNS;
use chrono::{DateTime, Utc};
use db::cursor::Seek;
use db::{COUNTED, DbError, Tenancy, Tx, count_rows, like, of_user, sql, statement};
use sqlx::types::Json;
use sqlx::{FromRow, Postgres, QueryBuilder};
use uuid::Uuid;
use wire::{AgentId, InboxFilter, MemoryId, MemoryKind, MemoryScope, Retention, Source, TenantId};

fn select(what: &str, tenant: TenantId, filter: &InboxFilter) -> Result<QueryBuilder<Postgres>, DbError> {
    let mut query = statement!(
        format!("select {what} from agent_memories m where m.tenant_id = $1 and m.status = 'inbox' and m.deleted_at is null"),
        tenant
    );
    if let Some(agent) = filter.agent_id {
        query.push(" and m.agent_id = ").push_bind(agent);
    }
    if let Some(kind) = filter.kind {
        query.push(" and m.kind = ").push_bind(kind);
    }
    if let Some(source) = filter.source_id {
        query.push(
            " and exists (select from evidence v join sources s on s.tenant_id = v.tenant_id and s.agent_id = v.agent_id and s.id = v.source_id \
              where v.tenant_id = $1 and v.agent_id = m.agent_id and v.memory_id = m.id and (s.id = ",
        );
        query.push_bind(source).push(" or s.whole_id = ").push_bind(source).push("))");
    }
    if let Some(disputed) = filter.disputed {
        query.push(if disputed { " and exists" } else { " and not exists" }).push(
            " (select from memory_proposals p \
               where p.tenant_id = $1 and p.agent_id = m.agent_id and m.id in (p.from_id, p.to_id) and p.state = 'open' \
               and p.relation <> 'duplicates')",
        );
    }
    if let Some(text) = &filter.q {
        let like = like::contains(text);
        query.push(" and (m.content ilike ").push_bind(like.clone()).push(" or m.topic ilike ").push_bind(like).push(")");
    }
    Ok(query)
}

/// How many candidates a filter matches, up to [`wire::TOTAL_MAX`] and one more.
pub async fn count(tx: &mut Tx, tenant: TenantId, filter: &InboxFilter) -> Result<i64, DbError> {
    count_rows(tx, select(COUNTED, tenant, filter)?, "m.created_at, m.id").await
}

/// One page of candidates and one more, oldest first.
pub async fn list(tx: &mut Tx, tenant: TenantId, filter: &InboxFilter, seek: &Seek, size: usize) -> Result<Vec<Memory>, DbError> {
    let mut query = select(COLUMNS, tenant, filter)?;
    seek.push(&mut query, "m.created_at", "m.id", filter.reversed, size);
    tx.rows(query).await
}

/// Whether a memory came through the inbox.
pub async fn was_candidate(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: MemoryId) -> Result<bool, DbError> {
    tx.value(sql!(
        [tenancy.tenant, id, tenancy.users, agent],
        r"select exists (select from agent_memory_versions v where v.tenant_id = $1 and v.agent_id = $4 and v.memory_id = $2
                 and v.change = 'proposed' and ",
        of_user!("v", "$3"),
        ")"
    ))
    .await
}

/// What a person may edit of a candidate, as it was proposed.
#[derive(Clone, Debug, FromRow)]
pub struct Proposed {
    pub topic: String,
    pub topic_raw: String,
    pub is_canonical: bool,
    pub kind: MemoryKind,
    pub scope: MemoryScope,
    pub project_id: Option<Uuid>,
    pub retention: Retention,
    pub content: String,
    pub title: Option<String>,
    pub summary: Option<String>,
    pub rationale: Option<String>,
    pub alternatives: Option<Vec<String>>,
    pub source: Json<Source>,
    pub observed_at: Option<DateTime<Utc>>,
    pub stated_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// What its place in the source calls the speaker by now.
    pub speaker: Option<String>,
}

/// The proposal of a memory; none if it did not come through the inbox, or if the file that it was imported from does not have all of it.
pub async fn proposed(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: MemoryId) -> Result<Option<Proposed>, DbError> {
    tx.row_if_any(sql!(
        [tenancy.tenant, agent, id, tenancy.users],
        r"select v.topic, v.topic_raw, v.is_canonical, v.kind, v.scope, v.project_id, v.retention, v.content, v.title, v.summary,
                 v.rationale, nullif(v.alternatives, '{}') as alternatives, coalesce(v.provenance, v.source) as source, v.observed_at,
                 v.stated_at, v.updated_at,
                 (select e.speaker from evidence e
                   where e.tenant_id = $1 and e.agent_id = v.agent_id and e.candidate_id = v.memory_id
                   order by e.created_at, e.id limit 1) as speaker
            from agent_memory_versions v
           where v.tenant_id = $1 and v.agent_id = $2 and v.memory_id = $3 and v.change = 'proposed'
             and v.kind is not null and v.scope is not null and v.retention is not null and v.alternatives is not null
             and v.stated_at is not null and ",
        of_user!("v", "$4"),
        " order by v.version desc limit 1"
    ))
    .await
}
