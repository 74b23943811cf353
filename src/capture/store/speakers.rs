//! The names of a source's speakers: in its turns, in what quotes them, and in the memories that came of it.

use crate::memories::model::Memory;
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user, sql};
use extract::parts::StoredTurn;
use sqlx::FromRow;
use sqlx::types::Json;
use wire::{AgentId, MemoryId, SourceId, UserId};

/// A part of a source whose turns may be changed.
#[derive(FromRow)]
pub struct LockedPart {
    pub id: SourceId,
    pub agent_id: AgentId,
    pub user_id: Option<UserId>,
    #[sqlx(json(nullable))]
    pub turns: Option<Vec<StoredTurn>>,
}

/// The parts of a source, locked, in order; none for the id of a later part.
pub async fn lock_parts(tx: &mut Tx, tenancy: Tenancy, source: SourceId) -> Result<Vec<LockedPart>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, source, tenancy.users],
        r"select s.id, s.agent_id, s.user_id, s.turns from sources s
           where s.tenant_id = $1 and (s.id = $2 and s.part = 1 or s.whole_id = $2) and ",
        of_user!("s", "$3"),
        " order by s.part for update"
    ))
    .await
}

pub async fn put_turns(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, part: SourceId, turns: &[StoredTurn]) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, agent, part, Json(turns), tenancy.users],
        "update sources s set turns = $4 where s.tenant_id = $1 and s.agent_id = $2 and s.id = $3 and ",
        of_user!("s", "$5")
    ))
    .await
}

/// Takes the events that work on some parts from their workers. Their step begins again with the names as they are now.
pub async fn interrupt(tx: &mut Tx, tenancy: Tenancy, parts: &[SourceId], now: DateTime<Utc>) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, parts, now, tenancy.users],
        r"update events e set state = 'pending', error = null, leased_until = $3, attempts_before = attempt
           where e.tenant_id = $1 and e.source_id = any($2) and e.state = 'running' and ",
        of_user!("e", "$4")
    ))
    .await
}

/// The memories that quote some parts, each with whether one of its quotes is of a speaker with this name. Left out is what a speaker of this
/// name says in another source, too: "Speaker 1" may be somebody else there.
pub async fn quoting(tx: &mut Tx, tenancy: Tenancy, parts: &[SourceId], speaker: &str) -> Result<Vec<(MemoryId, bool)>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, parts, speaker, tenancy.users],
        r"select v.memory_id, bool_or(coalesce(v.speaker = $3, false)) from evidence v
           where v.tenant_id = $1 and v.source_id = any($2)
             and not exists (select 1 from evidence o
                              where o.tenant_id = $1 and o.memory_id = v.memory_id and o.speaker = $3 and o.source_id <> all($2))
             and ",
        of_user!("v", "$4"),
        " group by v.memory_id"
    ))
    .await
}

/// Gives the speaker of what is quoted from some parts another name.
pub async fn rename_in_evidence(tx: &mut Tx, tenancy: Tenancy, parts: &[SourceId], from: &str, to: &str) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, parts, from, to, tenancy.users],
        "update evidence v set speaker = $4 where v.tenant_id = $1 and v.source_id = any($2) and v.speaker = $3 and ",
        of_user!("v", "$5")
    ))
    .await
}

/// The candidates and live memories of some agents that have one of these contents.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, hashes = hashes.len()))]
pub async fn equal(tx: &mut Tx, tenancy: Tenancy, agents: &[AgentId], hashes: &[Vec<u8>]) -> Result<Vec<MemoryId>, DbError> {
    tx.values(sql!(
        [tenancy.tenant, agents, hashes, tenancy.users],
        r"select m.id from agent_memories m
           where m.tenant_id = $1 and m.agent_id = any($2) and m.content_hash = any($3)
             and m.deleted_at is null and (m.live or m.status = 'inbox') and ",
        of_user!("m", "$4"),
        " order by m.id"
    ))
    .await
}

/// Stores the content, the source and the subject of a memory, as its next version. `updated_at` does not move: nobody said it again.
pub async fn rename_memory(tx: &mut Tx, tenancy: Tenancy, memory: &Memory) -> Result<(), DbError> {
    tx.run(sql!(
        [
            tenancy.tenant,
            memory.agent_id,
            memory.id,
            &memory.content,
            &memory.content_hash,
            Json(&memory.source),
            &memory.subject,
            tenancy.users
        ],
        r"update agent_memories m set content = $4, content_hash = $5, source = $6, subject = $7, version = version + 1,
                                    written = pg_current_xact_id()
           where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ",
        of_user!("m", "$8")
    ))
    .await
}
