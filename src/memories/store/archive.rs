//! Archiving: what faded, expired or makes room leaves the live set, and can be restored.

use super::index::SWEEP_SLOT;
use super::versions::insert_versions;
use crate::memories::model::{Change, Memory};
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, not_held, of_user, sql, statement};
use foundation::OpContext;
use wire::{AgentId, ArchiveReason, MemoryId};
use words::aging::{WEEK, WEEKLY};

/// What is left of an episode's importance at `$now`: [`words::aging::decayed`] in SQL.
fn decayed(now: &str) -> String {
    format!(
        "m.importance * power({WEEKLY}::float8, greatest(extract(epoch from {now} - coalesce(m.last_accessed_at, m.created_at))::float8, 0) / {WEEK})"
    )
}

/// The episodes of an agent that may fade, a literal so that statements about them use one index.
const FADING: &str = "m.live and m.kind = 'episode' and m.retention <> 'permanent' and not m.pinned";

/// The episodes that may fade and whose retention has not ended at `$now`: an expired one waits for the sweep, and no read finds it.
fn fading_at(now: &str) -> String {
    format!("{FADING} and (m.expires_at is null or m.expires_at > {now})")
}

/// Which memories of an agent are to be archived.
#[derive(Clone, Copy, Debug)]
pub enum Which {
    /// Unexpired episodes that may fade whose decayed importance is below this.
    Below(f64),
    /// Live memories whose retention ended.
    Expired,
    /// Any unexpired episodes that may fade.
    Weakest,
}

/// Up to `most` live memories of an agent to be archived, locked, the weakest first. Those of users under a legal hold stay. Rows that
/// somebody else changes now are skipped: no writer waits for a sweep, and no sweep for a writer.
pub async fn to_archive(
    tx: &mut Tx,
    tenancy: Tenancy,
    agent: AgentId,
    which: Which,
    most: i64,
    now: DateTime<Utc>,
) -> Result<Vec<MemoryId>, DbError> {
    let (decayed, fading) = (decayed("$4"), fading_at("$4"));
    let (condition, order) = match which {
        Which::Below(_) => (format!("{fading} and {decayed} < $5"), decayed.clone()),
        Which::Weakest => (format!("{fading} and $5::float8 is null"), decayed.clone()),
        Which::Expired => ("m.live and m.expires_at <= $4 and not m.pinned and $5::float8 is null".into(), "m.expires_at".into()),
    };
    let (not_held, of_user) = (not_held!("m"), of_user!("m", "$6"));
    let sql = format!(
        r"select m.id from agent_memories m
           where m.tenant_id = $1 and m.agent_id = $2 and {condition} and {not_held} and {of_user}
           order by {order}, m.id limit $3 for update skip locked"
    );
    let below = if let Which::Below(below) = which { Some(below) } else { None };
    // Nothing in the statement comes from outside.
    let mut ids: Vec<MemoryId> = tx.values(statement!(sql, tenancy.tenant, agent, most, now, below, tenancy.users)).await?;
    ids.sort_unstable();
    Ok(ids)
}

/// How many episodes of an agent may fade at `now`. Expired ones do not count, whether a sweep archived them or not.
pub async fn fading(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, now: DateTime<Utc>) -> Result<i64, DbError> {
    let sql = format!(
        "select count(*) from agent_memories m where m.tenant_id = $1 and m.agent_id = $2 and {} and {}",
        fading_at("$4"),
        of_user!("m", "$3")
    );
    tx.value(statement!(sql, tenancy.tenant, agent, tenancy.users, now)).await
}

/// How many live memories an agent has, of all users, also of those whose rows the transaction does not see.
pub async fn live(tx: &mut Tx, tenancy: Tenancy, agent: AgentId) -> Result<i64, DbError> {
    tx.value(sql!([tenancy.tenant, agent], "select live_memories($1, $2)")).await
}

/// Archives live memories of an agent that the caller has locked: with their words and vectors, as their next version. The words are
/// subtracted from a slot of the counts that no writer uses.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor, %agent, ids = ids.len()))]
pub async fn archive(
    tx: &mut Tx,
    ctx: &OpContext,
    agent: AgentId,
    ids: &[MemoryId],
    reason: ArchiveReason,
    now: DateTime<Utc>,
) -> Result<u64, DbError> {
    tx.changed(sql!(
        [
            ctx.tenant_id,
            agent,
            ids,
            ctx.users,
            now,
            reason,
            Change::Archived.as_str(),
            ctx.actor.kind(),
            ctx.actor.id(),
            ctx.actor.name(),
            SWEEP_SLOT
        ],
        r"with before as (
              select m.id, m.user_id, m.term_count from agent_memories m
               where m.tenant_id = $1 and m.agent_id = $2 and m.id = any($3) and m.live and ",
        of_user!("m", "$4"),
        r"),
          gone as (
              update agent_memories m
                 set archived_at = $5, archive_reason = $6, live = false, version = version + 1, term_count = null,
                     written = pg_current_xact_id()
                from before b where m.tenant_id = $1 and m.agent_id = $2 and m.id = b.id
              returning m.*),
          versions as (",
        insert_versions!("$7", "$5", "$8", "$9", "$10", "source", "null::jsonb"),
        r" from gone on conflict do nothing),
          words as (delete from memory_terms t using gone g where t.tenant_id = $1 and t.agent_id = $2 and t.memory_id = g.id),
          small as (update embeddings_384 e set live = false from gone g where e.tenant_id = $1 and e.agent_id = $2
               and e.memory_id = g.id),
          large as (update embeddings_1536 e set live = false from gone g where e.tenant_id = $1 and e.agent_id = $2
               and e.memory_id = g.id),
          counts as (
              insert into memory_term_counts (tenant_id, agent_id, user_id, slot, documents, terms)
              select $1, $2, b.user_id, $11, -count(*), -sum(b.term_count) from before b where b.term_count is not null group by b.user_id
              on conflict (tenant_id, agent_id, user_id, slot) do update
                 set documents = memory_term_counts.documents + excluded.documents, terms = memory_term_counts.terms + excluded.terms
               where memory_term_counts.tenant_id = excluded.tenant_id)
          select id from gone"
    ))
    .await
}

/// Takes a memory out of the archive, with a new end of its retention. It counts as retrieved now. [`super::mark_restored`] makes it live.
pub async fn unarchive(
    tx: &mut Tx,
    tenancy: Tenancy,
    memory: &Memory,
    expires_at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, memory.agent_id, memory.id, expires_at, now, tenancy.users],
        r"update agent_memories m
             set archived_at = null, archive_reason = null, expires_at = $4, last_accessed_at = $5, written = pg_current_xact_id(),
                 live = status in ('active', 'contradicted') and deleted_at is null
           where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ",
        of_user!("m", "$6")
    ))
    .await
}

/// Pins or unpins a memory, which moves the end of its retention. Its vectors follow with `sync_live`.
pub async fn set_pinned(
    tx: &mut Tx,
    tenancy: Tenancy,
    agent: AgentId,
    id: MemoryId,
    pinned: bool,
    expires_at: Option<DateTime<Utc>>,
) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, agent, id, pinned, expires_at, tenancy.users],
        "update agent_memories m set pinned = $4, expires_at = $5, written = pg_current_xact_id() where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ",
        of_user!("m", "$6")
    ))
    .await
}
