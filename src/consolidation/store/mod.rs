//! All SQL of consolidation: evidence, what is known already, suggestions about two memories, the inbox.

mod evidence;
mod inbox;
mod suggestions;
mod survey;

pub use evidence::{
    give_evidence_back, insert_evidence, memory_at, merged_into, move_evidence, quarantine_at, surroundings, take_evidence_back,
};
pub use inbox::{Proposed, count, list, proposed, was_candidate};
pub use suggestions::{
    Decided, End, OpenSuggestion, close_suggestion, decided, disputed, open_suggestion, reopen_suggestion, suggestion_count,
    suggestion_list, suggestions_of,
};
pub use survey::{Surveyed, is_linked, last_survey, to_survey};

use super::Owner;
use super::model::{NewCandidate, Place};
use crate::memories::model::Memory;
use crate::memories::store::{COLUMNS, Embedded, Neighbour, VECTORS, columns};
use chrono::{DateTime, Utc};
use db::cursor::Seek;
use db::{COUNTED, DbError, Tenancy, Tx, count_rows, of_user, sql, statement, update};
use pgvector::Vector;
use sqlx::FromRow;
use sqlx::types::Json;
use wire::{MemoryId, QuarantineId, QuarantineState, SourceId, UserId};
use words::normal;

/// Whether somebody forgot exactly this statement.
pub async fn is_forgotten(tx: &mut Tx, tenancy: Tenancy, owner: Owner, hash: &[u8]) -> Result<bool, DbError> {
    tx.value(sql!(
        [tenancy.tenant, owner.agent_id, owner.user_id, hash, tenancy.users],
        r"select exists (select from tombstones t where t.tenant_id = $1 and t.agent_id = $2 and t.user_id is not distinct from $3
                            and t.content_hash = $4 and ",
        of_user!("t", "$5"),
        ")"
    ))
    .await
}

/// The candidate or live memory of an owner that has exactly this content and applies to the same project, repository and session.
pub async fn same_content(
    tx: &mut Tx,
    tenancy: Tenancy,
    owner: Owner,
    candidate: &NewCandidate,
    hash: &[u8],
    now: DateTime<Utc>,
) -> Result<Option<MemoryId>, DbError> {
    tx.value_if_any(sql!(
        [
            tenancy.tenant,
            owner.agent_id,
            owner.user_id,
            hash,
            now,
            candidate.scope,
            candidate.project_id,
            candidate.session_id,
            candidate.connection_id,
            tenancy.users,
            candidate.repo_id
        ],
        r"select m.id from agent_memories m
           where m.tenant_id = $1 and m.agent_id = $2 and m.user_id is not distinct from $3 and m.content_hash = $4
             and m.deleted_at is null and (m.live or m.status = 'inbox') and (m.expires_at is null or m.expires_at > $5)
             and m.scope = $6 and m.project_id is not distinct from $7 and m.session_id is not distinct from $8
             and m.connection_id is not distinct from $9 and m.repo_id is not distinct from $11 and ",
        of_user!("m", "$10"),
        " order by m.live desc, m.created_at, m.id limit 1"
    ))
    .await
}

/// Of an owner's vectors, how many are looked through for each neighbour that is wanted: those of other places and those not in force are left
/// out.
const LOOKED_THROUGH: i64 = 400;

/// The candidates and live memories of an owner and a place whose vectors are nearest, with their cosines.
pub async fn nearest(
    tx: &mut Tx,
    tenancy: Tenancy,
    owner: Owner,
    embedded: Embedded<'_>,
    place: Place,
    most: i64,
    now: DateTime<Utc>,
) -> Result<Vec<(Memory, f64)>, DbError> {
    let table = VECTORS.of(embedded.vector.len())?.table;
    let of_user = of_user!("m", "$6");
    // The vectors are compared first, in one pass over the owner's rows. Memories are then read from the nearest on, until there are enough.
    let sql = format!(
        r"select {COLUMNS}, 1 - e.distance as similarity
            from (select v.agent_id, v.memory_id, v.embedding <=> $4 as distance from {table} v
                   where v.tenant_id = $1 and v.agent_id = $2 and v.user_id is not distinct from $3 and v.model = $5
                   order by 3 limit $7 * {LOOKED_THROUGH}) e
            join agent_memories m on m.tenant_id = $1 and m.agent_id = e.agent_id and m.id = e.memory_id
           where m.deleted_at is null and (m.live or m.status = 'inbox') and (m.expires_at is null or m.expires_at > $8)
             and (case m.scope when 'project' then m.project_id when 'repo' then m.repo_id end) is not distinct from $9
             and m.connection_id is not distinct from $10 and {of_user}
           order by e.distance, m.id limit $7"
    );
    // The table follows from the dimension.
    let near: Vec<Neighbour> = tx
        .rows(statement!(
            sql,
            tenancy.tenant,
            owner.agent_id,
            owner.user_id,
            Vector::from(embedded.vector.to_vec()),
            embedded.model,
            tenancy.users,
            most,
            now,
            place.project,
            place.connection_id
        ))
        .await?;
    Ok(near.into_iter().map(|near| (near.memory, near.similarity)).collect())
}

/// Gives the row of a candidate the text and the place of `memory`: when a person edits it, or undoes that.
pub async fn rewrite(tx: &mut Tx, tenancy: Tenancy, memory: &Memory) -> Result<(), DbError> {
    let query = update!(
        "update agent_memories m set written = pg_current_xact_id(), ",
        {
            topic: &memory.topic,
            topic_key: normal(&memory.topic),
            topic_raw: &memory.topic_raw,
            topic_normal: normal(&memory.topic_raw),
            is_canonical: memory.is_canonical,
            vocabulary_version: memory.vocabulary_version,
            kind: memory.kind,
            scope: memory.scope,
            project_id: memory.project_id,
            retention: memory.retention,
            expires_at: memory.expires_at,
            content: &memory.content,
            content_hash: &memory.content_hash,
            title: &memory.title,
            summary: &memory.summary,
            rationale: &memory.rationale,
            alternatives: &memory.alternatives,
            source: Json(&memory.source),
            trust: memory.trust,
            observed_at: memory.observed_at,
            stated_at: memory.stated_at,
            updated_at: memory.updated_at,
            subject: &memory.subject,
        } keep {} [tenancy.tenant, memory.agent_id, memory.id, tenancy.users]
        "where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ", of_user!("m", "$4")
    );
    tx.run(query).await
}

/// A turn in quarantine.
#[derive(FromRow)]
pub struct Quarantined {
    pub id: QuarantineId,
    pub agent_id: wire::AgentId,
    pub user_id: Option<UserId>,
    pub source_id: SourceId,
    pub source_title: String,
    pub starts: i32,
    pub ends: i32,
    pub quote: String,
    pub reasons: Vec<String>,
    pub state: QuarantineState,
    pub created_at: DateTime<Utc>,
}

const QUARANTINED: &str = r"select q.id, q.agent_id, q.user_id, q.source_id, coalesce(s.title, s.reference, '') as source_title, q.starts, q.ends,
        q.quote, q.reasons, q.state, q.created_at
   from quarantine q left join sources s on s.tenant_id = q.tenant_id and s.agent_id = q.agent_id and s.id = q.source_id
  where q.tenant_id = $1";

/// How many turns wait in quarantine, up to [`wire::TOTAL_MAX`] and one more.
pub async fn quarantine_count(tx: &mut Tx, tenancy: Tenancy) -> Result<i64, DbError> {
    let sql = format!("select {COUNTED} from quarantine q where q.tenant_id = $1 and q.state = 'waiting'");
    count_rows(tx, statement!(sql, tenancy.tenant), "q.created_at, q.id").await
}

/// One page of waiting turns and one more, oldest first.
pub async fn quarantine_list(tx: &mut Tx, tenancy: Tenancy, seek: &Seek, size: usize) -> Result<Vec<Quarantined>, DbError> {
    let mut query = statement!(format!("{QUARANTINED} and q.state = 'waiting'"), tenancy.tenant);
    seek.push(&mut query, "q.created_at", "q.id", false, size);
    tx.rows(query).await
}

/// A turn in quarantine, locked.
pub async fn quarantined(tx: &mut Tx, tenancy: Tenancy, id: QuarantineId) -> Result<Option<Quarantined>, DbError> {
    tx.row_if_any(statement!(format!("{QUARANTINED} and q.id = $2 for update of q"), tenancy.tenant, id)).await
}

/// Records a decision about a turn in quarantine.
pub async fn close_quarantined(
    tx: &mut Tx,
    tenancy: Tenancy,
    id: QuarantineId,
    state: QuarantineState,
    by: &str,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, id, state, by, now],
        "update quarantine set state = $3, decided_by = $4, decided_at = $5 where tenant_id = $1 and id = $2"
    ))
    .await
}

/// Lets a dismissed turn in quarantine wait again; whether there is one.
pub async fn reopen_quarantined(tx: &mut Tx, tenancy: Tenancy, id: QuarantineId) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenancy.tenant, id],
        r"update quarantine set state = 'waiting', decided_by = null, decided_at = null
                 where tenant_id = $1 and id = $2 and state = 'dismissed'"
    ))
    .await
}

/// The candidates of an agent with these short or long ids, for a caller that names them.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, ids = ids.len()))]
pub async fn candidates(tx: &mut Tx, tenancy: Tenancy, agent: wire::AgentId, ids: &[MemoryId]) -> Result<Vec<Memory>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, agent, ids, tenancy.users],
        "select ",
        columns!(),
        r" from agent_memories m
            where m.tenant_id = $1 and m.agent_id = $2 and m.id = any($3) and m.status = 'inbox' and m.deleted_at is null and ",
        of_user!("m", "$4"),
        " order by m.id for update"
    ))
    .await
}
