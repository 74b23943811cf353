//! All SQL of the record: memories, versions, links, words, vectors, tombstones.

mod listing;
mod topics;
mod vectors;
mod words;

pub use listing::{Counts, count, counts, list, narrow, written_by_day};
pub use topics::{TopicUse, count_phrases, file_under, stale, topic_use, unresolved, with_phrase};
pub use vectors::{Embedded, drop_vectors, embedded_by, put_vector, refresh_vectors, sync_live, vector_table};
pub use words::{drop_words, lock_counts, put_words};

use super::model::{Change, DedupKey, Draft, Link, Memory, Version};
use crate::api::{
    AgentId, Category, MemoryId, MemoryKind, MemoryScope, MemoryStatus, Relation, Retention, Source, SourceKind, TenantId, UserId,
};
use crate::db::{DbError, Tx};
use crate::op::OpContext;
use crate::vocabulary::normal;
use chrono::{DateTime, Utc};
use pgvector::Vector;
use sqlx::types::Json;
use sqlx::{AssertSqlSafe, FromRow};
use uuid::Uuid;

/// The columns of [`Memory`], for a table called `m`.
pub const COLUMNS: &str = "m.id, m.short_id, m.agent_id, m.created_by, m.user_id, m.kind, m.category, m.retention, m.scope, m.project_id, \
    m.repo_id, m.session_id, m.connection_id, m.status, m.topic, m.topic_raw, m.is_canonical, m.content, m.source, m.source_kind, \
    m.evidence_ref, m.confidence, m.importance, m.pinned, m.content_hash, m.version, m.live, m.access_count, m.last_accessed_at, \
    m.observed_at, m.created_at, m.updated_at, m.expires_at, m.deleted_at, m.deleted_by, m.delete_reason";

#[derive(FromRow)]
pub struct Row {
    id: MemoryId,
    short_id: String,
    agent_id: AgentId,
    created_by: AgentId,
    user_id: Option<UserId>,
    kind: MemoryKind,
    category: Option<Category>,
    retention: Retention,
    scope: MemoryScope,
    project_id: Option<Uuid>,
    repo_id: Option<Uuid>,
    session_id: Option<Uuid>,
    connection_id: Option<Uuid>,
    status: MemoryStatus,
    topic: String,
    topic_raw: String,
    is_canonical: bool,
    content: String,
    source: Json<Source>,
    source_kind: SourceKind,
    evidence_ref: Option<String>,
    confidence: f32,
    importance: f32,
    pinned: bool,
    content_hash: Vec<u8>,
    version: i32,
    live: bool,
    access_count: i64,
    last_accessed_at: Option<DateTime<Utc>>,
    observed_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    expires_at: Option<DateTime<Utc>>,
    deleted_at: Option<DateTime<Utc>>,
    deleted_by: Option<String>,
    delete_reason: Option<String>,
}

impl From<Row> for Memory {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            short_id: row.short_id,
            agent_id: row.agent_id,
            created_by: row.created_by,
            user_id: row.user_id,
            kind: row.kind,
            category: row.category,
            retention: row.retention,
            scope: row.scope,
            project_id: row.project_id,
            repo_id: row.repo_id,
            session_id: row.session_id,
            connection_id: row.connection_id,
            status: row.status,
            topic: row.topic,
            topic_raw: row.topic_raw,
            is_canonical: row.is_canonical,
            content: row.content,
            source: row.source.0,
            source_kind: row.source_kind,
            evidence_ref: row.evidence_ref,
            confidence: row.confidence,
            importance: row.importance,
            pinned: row.pinned,
            content_hash: row.content_hash,
            version: row.version,
            live: row.live,
            access_count: row.access_count,
            last_accessed_at: row.last_accessed_at,
            observed_at: row.observed_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            expires_at: row.expires_at,
            deleted_at: row.deleted_at,
            deleted_by: row.deleted_by,
            delete_reason: row.delete_reason,
        }
    }
}

/// The predicate of [`DedupKey`], on parameters 1 to 10, for a table called `m`.
const SAME_KEY: &str = "m.tenant_id = $1 and m.agent_id = $2 and m.user_id is not distinct from $3 and m.kind = $4 and m.scope = $5 \
    and m.project_id is not distinct from $6 and m.repo_id is not distinct from $7 and m.session_id is not distinct from $8 \
    and m.connection_id is not distinct from $9 and m.topic = $10 and m.live and (m.expires_at is null or m.expires_at > $11)";

macro_rules! bind_key {
    ($query:expr, $tenant:expr, $key:expr, $now:expr) => {
        $query
            .bind($tenant)
            .bind($key.agent_id)
            .bind($key.user_id)
            .bind($key.kind)
            .bind($key.scope)
            .bind($key.project_id)
            .bind($key.repo_id)
            .bind($key.session_id)
            .bind($key.connection_id)
            .bind(&$key.topic)
            .bind($now)
    };
}

/// The live memory under `key` with exactly this content.
pub async fn same_content(
    tx: &mut Tx,
    tenant: TenantId,
    key: &DedupKey,
    hash: &[u8],
    now: DateTime<Utc>,
) -> Result<Option<Memory>, DbError> {
    let sql = format!(
        "select {COLUMNS} from agent_memories m where {SAME_KEY} and m.content_hash = $12 order by m.created_at limit 1 for update of m"
    );
    let row: Option<Row> = bind_key!(sqlx::query_as(AssertSqlSafe(sql)), tenant, key, now).bind(hash).fetch_optional(&mut **tx).await?;
    Ok(row.map(Into::into))
}

/// The live memory under `key` whose vector is nearest, other than `except`, with its cosine.
pub async fn nearest(
    tx: &mut Tx,
    tenant: TenantId,
    key: &DedupKey,
    embedded: Embedded<'_>,
    except: Option<MemoryId>,
    now: DateTime<Utc>,
) -> Result<Option<(Memory, f64)>, DbError> {
    #[derive(FromRow)]
    struct Near {
        #[sqlx(flatten)]
        row: Row,
        similarity: f64,
    }
    let table = vector_table(embedded.vector.len())?;
    let sql = format!(
        "select {COLUMNS}, 1 - (e.embedding <=> $12) as similarity
           from agent_memories m join {table} e on e.agent_id = m.agent_id and e.memory_id = m.id and e.model = $13
          where {SAME_KEY} and m.id is distinct from $14
          order by e.embedding <=> $12, m.id limit 1 for update of m"
    );
    let near: Option<Near> = bind_key!(sqlx::query_as(AssertSqlSafe(sql)), tenant, key, now)
        .bind(Vector::from(embedded.vector.to_vec()))
        .bind(embedded.model)
        .bind(except)
        .fetch_optional(&mut **tx)
        .await?;
    Ok(near.map(|near| (near.row.into(), near.similarity)))
}

/// A new record's id, short id and times.
pub struct Birth<'a> {
    pub id: MemoryId,
    pub short_id: &'a str,
    pub now: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
    pub awaiting_vector: bool,
}

/// Inserts a memory as version 1. False when its short id is taken: try another.
pub async fn insert(tx: &mut Tx, tenant: TenantId, draft: &Draft, birth: &Birth<'_>) -> Result<bool, DbError> {
    let done = sqlx::query(
        r"insert into agent_memories (tenant_id, agent_id, id, short_id, created_by, user_id, kind, retention, scope, project_id, repo_id,
              session_id, connection_id, status, topic, topic_raw, is_canonical, vocabulary_version, content, source, source_kind,
              confidence, importance, content_hash, version, live, awaiting_vector, observed_at, created_at, updated_at, expires_at, topic_normal)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'active', $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, 1,
              true, $24, $25, $26, $26, $27, $28)
          on conflict (agent_id, short_id) do nothing",
    )
    .bind(tenant)
    .bind(draft.key.agent_id)
    .bind(birth.id)
    .bind(birth.short_id)
    .bind(draft.created_by)
    .bind(draft.key.user_id)
    .bind(draft.key.kind)
    .bind(draft.retention)
    .bind(draft.key.scope)
    .bind(draft.key.project_id)
    .bind(draft.key.repo_id)
    .bind(draft.key.session_id)
    .bind(draft.key.connection_id)
    .bind(&draft.key.topic)
    .bind(&draft.topic_raw)
    .bind(draft.is_canonical)
    .bind(draft.vocabulary_version)
    .bind(&draft.content)
    .bind(Json(&draft.source))
    .bind(draft.source_kind)
    .bind(draft.confidence)
    .bind(draft.importance)
    .bind(&draft.content_hash)
    .bind(birth.awaiting_vector)
    .bind(draft.source.observed_at)
    .bind(birth.now)
    .bind(birth.expires_at)
    .bind(normal(&draft.topic_raw))
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Notes that exactly this was remembered again: counted and fresh, no new version.
pub async fn touch(
    tx: &mut Tx,
    tenant: TenantId,
    memory: &Memory,
    retention: Retention,
    expires_at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    sqlx::query(
        r"update agent_memories set access_count = access_count + 1, updated_at = $4, expires_at = $5, retention = $6
           where tenant_id = $1 and agent_id = $2 and id = $3",
    )
    .bind(tenant)
    .bind(memory.agent_id)
    .bind(memory.id)
    .bind(now)
    .bind(expires_at)
    .bind(retention)
    .execute(&mut **tx)
    .await?;
    refresh_vectors(tx, tenant, memory.agent_id, memory.id, expires_at, now).await
}

/// Writes new content over a memory, as its next version.
pub async fn revise(
    tx: &mut Tx,
    tenant: TenantId,
    memory: &Memory,
    draft: &Draft,
    expires_at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    sqlx::query(
        r"update agent_memories
             set content = $4, content_hash = $5, topic_raw = $6, source = $7, confidence = $8, observed_at = $9, vocabulary_version = $10,
                 version = version + 1, access_count = access_count + 1, updated_at = $11, expires_at = $12, retention = $13,
                 is_canonical = $14, topic_normal = $15
           where tenant_id = $1 and agent_id = $2 and id = $3",
    )
    .bind(tenant)
    .bind(memory.agent_id)
    .bind(memory.id)
    .bind(&draft.content)
    .bind(&draft.content_hash)
    .bind(&draft.topic_raw)
    .bind(Json(&draft.source))
    .bind(draft.confidence)
    .bind(draft.source.observed_at)
    .bind(draft.vocabulary_version)
    .bind(now)
    .bind(expires_at)
    .bind(draft.retention)
    .bind(draft.is_canonical)
    .bind(normal(&draft.topic_raw))
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Copies the record, as it now stands, into its versions.
pub async fn write_version(
    tx: &mut Tx,
    ctx: &OpContext,
    agent: AgentId,
    id: MemoryId,
    change: Change,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    sqlx::query(
        r"insert into agent_memory_versions (tenant_id, agent_id, memory_id, version, change, content, topic, topic_raw, is_canonical, status,
              deleted, updated_at, valid_from, actor_kind, actor_id, actor_name, source)
          select tenant_id, agent_id, id, version, $4, content, topic, topic_raw, is_canonical, status,
                 deleted_at is not null, updated_at, $5, $6, $7, $8, source
            from agent_memories where tenant_id = $1 and agent_id = $2 and id = $3",
    )
    .bind(ctx.tenant_id)
    .bind(agent)
    .bind(id)
    .bind(change.as_str())
    .bind(now)
    .bind(ctx.actor.kind())
    .bind(ctx.actor.id())
    .bind(ctx.actor.name())
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Memories by id, whatever their state, locked in the order of their ids if they are to be changed.
pub async fn by_ids(tx: &mut Tx, tenant: TenantId, agent: Option<AgentId>, ids: &[MemoryId], lock: bool) -> Result<Vec<Memory>, DbError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let lock = if lock { "for update" } else { "" };
    let sql = format!(
        "select {COLUMNS} from agent_memories m
          where m.tenant_id = $1 and ($2::uuid is null or m.agent_id = $2) and m.id = any($3) order by m.agent_id, m.id {lock}"
    );
    let rows: Vec<Row> = sqlx::query_as(AssertSqlSafe(sql)).bind(tenant).bind(agent).bind(ids).fetch_all(&mut **tx).await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// Marks a memory as deleted, and leaves a tombstone of its hash and source, never of its content.
pub async fn mark_deleted(
    tx: &mut Tx,
    tenant: TenantId,
    memory: &Memory,
    by: &str,
    reason: Option<&str>,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    sqlx::query(
        r"update agent_memories set deleted_at = $4, deleted_by = $5, delete_reason = $6, live = false, version = version + 1
           where tenant_id = $1 and agent_id = $2 and id = $3",
    )
    .bind(tenant)
    .bind(memory.agent_id)
    .bind(memory.id)
    .bind(now)
    .bind(by)
    .bind(reason)
    .execute(&mut **tx)
    .await?;
    sqlx::query(
        r"insert into tombstones (tenant_id, agent_id, memory_id, content_hash, user_id, source, created_at)
          values ($1, $2, $3, $4, $5, $6, $7) on conflict (agent_id, memory_id) do nothing",
    )
    .bind(tenant)
    .bind(memory.agent_id)
    .bind(memory.id)
    .bind(&memory.content_hash)
    .bind(memory.user_id)
    .bind(Json(&memory.source))
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Takes a deletion back; whether the memory lives again. `updated_at` does not move: a restored memory is as old as it was.
pub async fn mark_restored(tx: &mut Tx, tenant: TenantId, memory: &Memory) -> Result<bool, DbError> {
    let live: Option<bool> = sqlx::query_scalar(
        r"update agent_memories
             set deleted_at = null, deleted_by = null, delete_reason = null, version = version + 1,
                 live = status in ('active', 'contradicted') and archived_at is null
           where tenant_id = $1 and agent_id = $2 and id = $3 returning live",
    )
    .bind(tenant)
    .bind(memory.agent_id)
    .bind(memory.id)
    .fetch_optional(&mut **tx)
    .await?;
    sqlx::query("delete from tombstones where tenant_id = $1 and agent_id = $2 and memory_id = $3")
        .bind(tenant)
        .bind(memory.agent_id)
        .bind(memory.id)
        .execute(&mut **tx)
        .await?;
    Ok(live.unwrap_or(false))
}

/// Marks a memory as superseded by another.
pub async fn mark_superseded(tx: &mut Tx, tenant: TenantId, agent: AgentId, id: MemoryId) -> Result<(), DbError> {
    sqlx::query(
        "update agent_memories set status = 'superseded', live = false, version = version + 1 where tenant_id = $1 and agent_id = $2 and id = $3",
    )
    .bind(tenant)
    .bind(agent)
    .bind(id)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Links two memories of one agent.
pub async fn link(
    tx: &mut Tx,
    ctx: &OpContext,
    agent: AgentId,
    from: MemoryId,
    to: MemoryId,
    relation: Relation,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    sqlx::query(
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
    Ok(())
}

/// A memory's links, either way, newest first.
pub async fn links(tx: &mut Tx, tenant: TenantId, agent: AgentId, id: MemoryId) -> Result<Vec<Link>, DbError> {
    let rows: Vec<(MemoryId, MemoryId, Relation, String, DateTime<Utc>)> = sqlx::query_as(
        r"select l.from_id, l.to_id, l.relation, o.topic, l.created_at
            from memory_links l
            join agent_memories o on o.agent_id = l.agent_id and o.id = case when l.from_id = $3 then l.to_id else l.from_id end
           where l.tenant_id = $1 and l.agent_id = $2 and (l.from_id = $3 or l.to_id = $3)
           order by l.created_at desc, l.from_id, l.to_id",
    )
    .bind(tenant)
    .bind(agent)
    .bind(id)
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows
        .into_iter()
        .map(|(from_id, to_id, relation, other_topic, created_at)| Link { from_id, to_id, relation, other_topic, created_at })
        .collect())
}

/// A memory's versions, newest first.
pub async fn versions(tx: &mut Tx, tenant: TenantId, agent: AgentId, id: MemoryId) -> Result<Vec<Version>, DbError> {
    #[derive(FromRow)]
    struct Row {
        version: i32,
        change: String,
        content: String,
        topic: String,
        topic_raw: String,
        is_canonical: bool,
        status: MemoryStatus,
        deleted: bool,
        valid_from: DateTime<Utc>,
        actor_kind: String,
        actor_name: String,
        source: Json<Source>,
    }
    let rows: Vec<Row> = sqlx::query_as(
        r"select version, change, content, topic, topic_raw, is_canonical, status, deleted, valid_from, actor_kind, actor_name, source
            from agent_memory_versions where tenant_id = $1 and agent_id = $2 and memory_id = $3 order by version desc",
    )
    .bind(tenant)
    .bind(agent)
    .bind(id)
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| Version {
            version: row.version,
            change: row.change,
            content: row.content,
            topic: row.topic,
            topic_raw: row.topic_raw,
            is_canonical: row.is_canonical,
            status: row.status,
            deleted: row.deleted,
            valid_from: row.valid_from,
            actor_kind: row.actor_kind,
            actor_name: row.actor_name,
            source: row.source.0,
        })
        .collect())
}
