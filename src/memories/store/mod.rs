//! All SQL of the record: memories, versions, links, words, vectors, tombstones.

mod archive;
mod evidence;
mod index;
mod links;
mod listing;
mod recalls;
mod status;
mod suggestions;
mod topics;
mod vectors;
mod versions;

pub use archive::{Which, archive, fading, live, set_pinned, to_archive, unarchive};
pub use evidence::{copy_evidence, evidence_of, take_evidence};
pub(crate) use index::{SWEEP_SLOT, add_counts};
pub use index::{add_words, drop_words, lock_counts, put_words};
pub use links::{contradictions, disputed, link, links, still_linked, unlink};
pub use listing::{
    Counts, count, counts, in_reach, last_write, late_vectors, list, named, narrow, newest, of_agent, push_deleted, status_counts,
    stored_by, user_counts, written_by_day,
};
pub use recalls::{Recalled, recalls};
pub use status::{Standing, mark_captured, mark_deleted, mark_restored, mark_superseded, next_version, set_status};
pub use suggestions::{NewSuggestion, accepted, suggest};
pub use topics::{
    StaleTopic, TopicUse, add_topic, count_phrases, drop_topics, file_topic, file_under, phrases_in_use, stale, stale_topics, take_topics,
    topic_use, topics_of, unresolved, with_phrase,
};
pub use vectors::{Embedded, VECTORS, add_vector, drop_vectors, embedded_by, put_vector, refresh_vectors, sync_live};
pub(crate) use versions::confirmed;
pub use versions::{removals_at, reviewed, source_of_version, versions, write_version};

use super::model::{DedupKey, Details, Draft, Memory};
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, insert, of_user, sql, statement, update};
use pgvector::Vector;
use sqlx::FromRow;
use sqlx::types::Json;
use wire::{AgentId, MemoryId, MemoryStatus, Retention};
use words::normal;

/// The columns of [`Memory`], for a table called `m`: a literal, so that statements that read whole memories are literals, too. To paste
/// such a statement into psql, write `m.*` instead.
macro_rules! columns {
    () => {
        "m.id, m.short_id, m.agent_id, m.created_by, m.user_id, m.kind, m.category, m.subject, m.retention, m.scope, m.project_id, m.repo_id, \
         m.session_id, m.connection_id, m.status, m.topic, m.topic_raw, m.is_canonical, m.vocabulary_version, m.title, m.content, m.summary, \
         m.source, m.source_kind, m.evidence_ref, m.confidence, m.importance, m.pinned, m.content_hash, m.version, m.live, m.access_count, \
         m.recalled_count, m.remembered_count, m.last_accessed_at, m.observed_at, m.created_at, m.updated_at, m.stated_at, m.expires_at, m.deleted_at, m.deleted_by, m.delete_reason, \
         m.rationale, m.alternatives, m.role, m.trust, m.retention_rule, m.importance_factors, m.archived_at, m.archive_reason, \
         m.filename, m.attachment_id, \
         (select p.slug from projects p where p.tenant_id = $1 and p.id = m.project_id) as project, \
         (select r.slug from repos r where r.tenant_id = $1 and r.id = m.repo_id) as repo"
    };
}
pub(crate) use columns;

/// The columns of [`Memory`] for statements that are put together at run time.
pub const COLUMNS: &str = columns!();

/// A memory and its similarity to another one.
#[derive(FromRow)]
pub struct Neighbour {
    #[sqlx(flatten)]
    pub memory: Memory,
    /// The cosine of both vectors.
    pub similarity: f64,
}

/// The candidate of a key's owner with this content, if one waits.
pub async fn waiting(tx: &mut Tx, tenancy: Tenancy, key: &DedupKey, hash: &[u8]) -> Result<Option<(MemoryId, String)>, DbError> {
    tx.row_if_any(sql!(
        [tenancy.tenant, key.agent_id, key.user_id, hash, key.kind, tenancy.users],
        r"select m.id, m.short_id from agent_memories m
           where m.tenant_id = $1 and m.agent_id = $2 and m.user_id is not distinct from $3 and m.content_hash = $4 and m.kind = $5
             and m.status = 'inbox' and m.deleted_at is null and ",
        of_user!("m", "$6"),
        " order by m.id limit 1"
    ))
    .await
}

/// The newest texts, topics included, of the candidates of an agent and of those that it proposed to the commons.
pub async fn waiting_texts(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, commons: AgentId, most: i64) -> Result<Vec<String>, DbError> {
    tx.values(sql!(
        [tenancy.tenant, agent, tenancy.users, most, commons],
        r"select m.topic || E'\n' || m.content from agent_memories m
           where m.tenant_id = $1 and (m.agent_id = $2 or (m.agent_id = $5 and m.created_by = $2)) and m.status = 'inbox'
             and m.deleted_at is null and ",
        of_user!("m", "$3"),
        " order by m.created_at desc, m.id limit $4"
    ))
    .await
}

/// Starts a statement with a [`DedupKey`]: parameters 1 to 12.
macro_rules! by_key {
    ($text:expr, $tenancy:expr, $key:expr, $now:expr, $($value:expr),+ $(,)?) => {
        statement!(
            $text,
            $tenancy.tenant,
            $key.agent_id,
            $key.user_id,
            $key.kind,
            $key.scope,
            $key.project_id,
            $key.repo_id,
            $key.session_id,
            $key.connection_id,
            $key.topic_key(),
            $now,
            $tenancy.users,
            $($value),+
        )
    };
}

/// The live memory with exactly this content and the owner, kind and place of `key`, under any topic; first one under its topic.
pub async fn same_content(
    tx: &mut Tx,
    tenancy: Tenancy,
    key: &DedupKey,
    hash: &[u8],
    now: DateTime<Utc>,
) -> Result<Option<Memory>, DbError> {
    let text = concat!(
        "select ",
        columns!(),
        r" from agent_memories m
           where m.tenant_id = $1 and m.agent_id = $2 and m.user_id is not distinct from $3 and m.kind = $4 and m.scope = $5
             and m.project_id is not distinct from $6 and m.repo_id is not distinct from $7 and m.session_id is not distinct from $8
             and m.connection_id is not distinct from $9 and m.live and (m.expires_at is null or m.expires_at > $11)
             and m.content_hash = $13 and ",
        of_user!("m", "$12"),
        " order by m.topic_key = $10 desc, m.created_at, m.id limit 1 for update of m"
    );
    tx.row_if_any(by_key!(text, tenancy, key, now, hash)).await
}

/// The other live memories of some agents that hold the same content, oldest first.
pub async fn copies_of(
    tx: &mut Tx,
    tenancy: Tenancy,
    agents: &[AgentId],
    memory: &Memory,
    now: DateTime<Utc>,
) -> Result<Vec<MemoryId>, DbError> {
    tx.values(sql!(
        [tenancy.tenant, agents, &memory.content_hash, memory.id, now, tenancy.users],
        r"select m.id from agent_memories m
           where m.tenant_id = $1 and m.agent_id = any($2) and m.content_hash = $3 and m.id <> $4 and m.live
             and (m.expires_at is null or m.expires_at > $5) and ",
        of_user!("m", "$6"),
        " order by m.created_at, m.id"
    ))
    .await
}

/// Whether this content is kept already as an earlier wording of a memory.
pub async fn is_kept_as_earlier(tx: &mut Tx, tenancy: Tenancy, memory: &Memory, hash: &[u8]) -> Result<bool, DbError> {
    tx.value(sql!(
        [tenancy.tenant, memory.agent_id, memory.id, hash, tenancy.users],
        r"select exists (select from memory_links l
                          join agent_memories m on m.tenant_id = l.tenant_id and m.agent_id = l.agent_id and m.id = l.to_id
                         where l.tenant_id = $1 and l.agent_id = $2 and l.from_id = $3 and l.relation = 'supersedes'
                           and m.content_hash = $4 and m.status = 'superseded' and ",
        of_user!("m", "$5"),
        ")"
    ))
    .await
}

/// Gives a memory what another one that it supersedes has more of: retention, a pin, and being the answer to one question.
pub async fn inherit(tx: &mut Tx, tenancy: Tenancy, newer: &Memory, older: &Memory) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, newer.agent_id, newer.id, older.agent_id, older.id, tenancy.users],
        r"update agent_memories m
             set written = pg_current_xact_id(), pinned = m.pinned or o.pinned, profile_fact = m.profile_fact or o.profile_fact,
                 retention = case when m.expires_at < coalesce(o.expires_at, 'infinity') then o.retention else m.retention end,
                 expires_at = case when m.expires_at is null or o.expires_at is null then null else greatest(m.expires_at, o.expires_at) end
            from agent_memories o
           where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and o.tenant_id = $1 and o.agent_id = $4 and o.id = $5 and ",
        of_user!("m", "$6"),
        " and ",
        of_user!("o", "$6")
    ))
    .await?;
    sync_live(tx, tenancy, newer.agent_id, &[newer.id]).await
}

/// The live memories under `key` whose vectors are nearest, other than `except`, with their cosines.
pub async fn nearest(
    tx: &mut Tx,
    tenancy: Tenancy,
    key: &DedupKey,
    embedded: Embedded<'_>,
    except: Option<MemoryId>,
    most: i64,
    now: DateTime<Utc>,
) -> Result<Vec<(Memory, f64)>, DbError> {
    let table = VECTORS.of(embedded.vector.len())?.table;
    // `offset 0` keeps the vectors in an inner loop by their key. For a table that was never analysed the planner expects one row and joins
    // the other way round, which takes quadratic time.
    let of_user = of_user!("m", "$12");
    let sql = format!(
        r"select {COLUMNS}, 1 - e.distance as similarity
            from agent_memories m
           cross join lateral (select e.embedding <=> $13 as distance from {table} e
                                where e.tenant_id = $1 and e.agent_id = m.agent_id and e.memory_id = m.id and e.model = $14 offset 0) e
           where m.tenant_id = $1 and m.agent_id = $2 and m.user_id is not distinct from $3 and m.kind = $4 and m.scope = $5
             and m.project_id is not distinct from $6 and m.repo_id is not distinct from $7 and m.session_id is not distinct from $8
             and m.connection_id is not distinct from $9 and m.topic_key = $10 and m.live and (m.expires_at is null or m.expires_at > $11)
             and m.id is distinct from $15 and {of_user}
           order by e.distance, m.id limit $16 for update of m"
    );
    let query = by_key!(sql, tenancy, key, now, Vector::from(embedded.vector.to_vec()), embedded.model, except, most);
    let near: Vec<Neighbour> = tx.rows(query).await?;
    Ok(near.into_iter().map(|near| (near.memory, near.similarity)).collect())
}

/// The id, the short id and the times of a new record.
pub struct Birth<'a> {
    pub id: MemoryId,
    pub short_id: &'a str,
    pub now: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
    pub awaiting_vector: bool,
    /// Active, or a candidate of the inbox.
    pub status: MemoryStatus,
}

/// Inserts a memory as version 1. False when its short id is taken: try another.
pub async fn insert(tx: &mut Tx, tenancy: Tenancy, draft: &Draft, birth: &Birth<'_>) -> Result<bool, DbError> {
    let query = insert!("insert into agent_memories" {
        tenant_id: tenancy.tenant,
        agent_id: draft.key.agent_id,
        id: birth.id,
        short_id: birth.short_id,
        created_by: draft.created_by,
        user_id: draft.key.user_id,
        kind: draft.key.kind,
        category: draft.details.category,
        subject: &draft.details.subject,
        retention: draft.retention,
        scope: draft.key.scope,
        project_id: draft.key.project_id,
        repo_id: draft.key.repo_id,
        session_id: draft.key.session_id,
        connection_id: draft.key.connection_id,
        status: birth.status,
        topic: &draft.key.topic,
        topic_raw: &draft.topic_raw,
        topic_normal: normal(&draft.topic_raw),
        topic_key: draft.key.topic_key(),
        is_canonical: draft.is_canonical,
        vocabulary_version: draft.vocabulary_version,
        title: &draft.details.title,
        content: &draft.content,
        summary: &draft.details.summary,
        rationale: &draft.details.rationale,
        alternatives: &draft.details.alternatives,
        source: Json(&draft.source),
        source_kind: draft.source_kind,
        evidence_ref: &draft.details.evidence_ref,
        confidence: draft.details.confidence.unwrap_or(1.0),
        // A memory that an agent writes is important unless its author says otherwise.
        importance: draft.details.importance.unwrap_or(1.0),
        pinned: draft.details.pinned.unwrap_or(false),
        profile_fact: draft.details.profile_fact,
        source_id: draft.details.source_id,
        filename: &draft.details.filename,
        attachment_id: &draft.details.attachment_id,
        role: draft.details.role,
        trust: draft.trust(),
        retention_rule: draft.details.retention_rule,
        importance_factors: draft.details.importance_factors.as_ref().map(Json),
        content_hash: &draft.content_hash,
        version: 1,
        live: birth.status == MemoryStatus::Active,
        awaiting_vector: birth.awaiting_vector,
        observed_at: draft.source.observed_at,
        created_at: birth.now,
        updated_at: birth.now,
        stated_at: draft.stated_at(birth.now),
        expires_at: birth.expires_at,
    } "on conflict (tenant_id, agent_id, short_id) do nothing");
    tx.changed_any(query).await
}

/// What a memory gets that is remembered again.
pub struct Repetition<'a> {
    pub retention: Retention,
    pub details: &'a Details,
    pub expires_at: Option<DateTime<Utc>>,
    pub stated_at: DateTime<Utc>,
}

/// Records that exactly this was remembered again: counted and fresh. New details may make it the next version.
pub async fn touch(tx: &mut Tx, tenancy: Tenancy, memory: &Memory, again: Repetition<'_>, now: DateTime<Utc>) -> Result<(), DbError> {
    let Repetition { retention, details, expires_at, stated_at } = again;
    let query = update!(
        r"update agent_memories m
             set written = pg_current_xact_id(), access_count = access_count + 1, remembered_count = remembered_count + 1,
                 stated_at = greatest(stated_at, $5), profile_fact = profile_fact or $6, version = version + $7, ",
        {
            updated_at: now,
            expires_at: expires_at,
            retention: retention,
        } keep {
            category: details.category,
            subject: &details.subject,
            title: &details.title,
            summary: &details.summary,
            evidence_ref: &details.evidence_ref,
            importance: details.importance,
            pinned: details.pinned,
            confidence: details.confidence,
            rationale: &details.rationale,
            alternatives: &details.alternatives,
        } [
            tenancy.tenant, memory.agent_id, memory.id, tenancy.users, stated_at, details.profile_fact,
            i32::from(!details.amendments(memory).is_empty()),
        ] "where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ", of_user!("m", "$4")
    );
    tx.run(query).await?;
    tx.run(sql!(
        [tenancy.tenant, memory.agent_id, memory.id, tenancy.users, now],
        r"insert into memory_moments (tenant_id, agent_id, memory_id, user_id, at, what, stated_at)
          select m.tenant_id, m.agent_id, m.id, m.user_id, $5, 'repeated', m.stated_at
            from agent_memories m where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ",
        of_user!("m", "$4")
    ))
    .await?;
    refresh_vectors(tx, tenancy, memory.agent_id, memory.id, expires_at, now).await
}

/// Writes new content over a memory, as its next version. Its title, summary, rationale and alternatives are those of the draft.
pub async fn revise(
    tx: &mut Tx,
    tenancy: Tenancy,
    memory: &Memory,
    draft: &Draft,
    expires_at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    let query = update!(
        r"update agent_memories m
             set written = pg_current_xact_id(), version = version + 1, access_count = access_count + 1, remembered_count = remembered_count + 1,
                 profile_fact = profile_fact or $5, ",
        {
            content: &draft.content,
            content_hash: &draft.content_hash,
            topic_raw: &draft.topic_raw,
            topic_normal: normal(&draft.topic_raw),
            is_canonical: draft.is_canonical,
            vocabulary_version: draft.vocabulary_version,
            source: Json(&draft.source),
            source_kind: draft.source_kind,
            confidence: draft.details.confidence.unwrap_or(1.0),
            observed_at: draft.source.observed_at,
            updated_at: now,
            stated_at: draft.stated_at(now),
            expires_at: expires_at,
            retention: draft.retention,
            title: &draft.details.title,
            summary: &draft.details.summary,
            rationale: &draft.details.rationale,
            alternatives: &draft.details.alternatives,
            trust: draft.trust(),
        } keep {
            category: draft.details.category,
            subject: &draft.details.subject,
            evidence_ref: &draft.details.evidence_ref,
            importance: draft.details.importance,
            pinned: draft.details.pinned,
            role: draft.details.role,
        } [tenancy.tenant, memory.agent_id, memory.id, tenancy.users, draft.details.profile_fact]
        "where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ", of_user!("m", "$4")
    );
    tx.run(query).await
}

/// Memories by id in any state, locked in the order of their ids if they are to be changed.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, ids = ids.len()))]
pub async fn by_ids(tx: &mut Tx, tenancy: Tenancy, agent: Option<AgentId>, ids: &[MemoryId], lock: bool) -> Result<Vec<Memory>, DbError> {
    macro_rules! by_ids {
        ($lock:literal) => {
            concat!(
                "select ",
                columns!(),
                r" from agent_memories m
                   where m.tenant_id = $1 and ($2::uuid is null or m.agent_id = $2) and m.id = any($3) and ",
                of_user!("m", "$4"),
                r"
                   order by m.agent_id, m.id ",
                $lock
            )
        };
    }
    let sql = if lock { by_ids!("for update") } else { by_ids!("") };
    tx.rows(statement!(sql, tenancy.tenant, agent, ids, tenancy.users)).await
}

/// The memories of some agents (none named: of any) that have this short id, the first agent's first; locked if they are to be changed.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, agents = agents.len()))]
pub async fn by_short(tx: &mut Tx, tenancy: Tenancy, agents: &[AgentId], short: &str, lock: bool) -> Result<Vec<Memory>, DbError> {
    macro_rules! by_short {
        ($lock:literal) => {
            concat!(
                "select ",
                columns!(),
                r" from agent_memories m
                   where m.tenant_id = $1 and (cardinality($2::uuid[]) = 0 or m.agent_id = any($2)) and m.short_id = $3 and ",
                of_user!("m", "$4"),
                r"
                   order by array_position($2, m.agent_id), m.id ",
                $lock
            )
        };
    }
    let sql = if lock { by_short!("for update") } else { by_short!("") };
    tx.rows(statement!(sql, tenancy.tenant, agents, short, tenancy.users)).await
}

/// The live profile fact of a person that answers the same question, by topic or by phrase.
pub async fn profile_fact(tx: &mut Tx, tenancy: Tenancy, draft: &Draft, now: DateTime<Utc>) -> Result<Option<Memory>, DbError> {
    tx.row_if_any(sql!(
        [tenancy.tenant, draft.key.agent_id, draft.key.user_id, draft.key.topic_key(), normal(&draft.topic_raw), now, tenancy.users],
        "select ",
        columns!(),
        r" from agent_memories m
           where m.tenant_id = $1 and m.agent_id = $2 and m.user_id is not distinct from $3 and m.live and m.profile_fact
             and (m.topic_key = $4 or m.topic_normal = $5) and (m.expires_at is null or m.expires_at > $6) and ",
        of_user!("m", "$7"),
        " order by m.updated_at desc, m.id limit 1 for update of m"
    ))
    .await
}
