//! All SQL of retrieval: candidates by vector and by words, the log, the counters, and the operators' view of the log.

mod candidates;
mod gates;
mod health;
mod past;
mod proposed;
mod reach;
mod retrievals;

pub use candidates::{Anchors, Feature, Meaning, Nearest, Sides, awaiting, named, rank, sides, sizes, turns, updated_at};
pub use gates::{Compared, compared, lets_through};
pub use health::{Recalls, Share, ZeroHitRow, by_bar, count_zero_hits, list_zero_hits, nearest_of_all, shares, slow, zero_hit};
pub use past::{Past, as_stored, count_past, past};
pub use proposed::nearest_of;
pub use reach::{Narrowing, Reach};
pub use retrievals::{Measured, Seen, count_retrievals, list_retrievals, retrieval, sweep, versions_seen};

use super::log::{Access, Entry};
use super::near::Near;
use chrono::{DateTime, Utc};
use db::{DbError, Tx, insert, sql};
use sqlx::types::Json;
use uuid::Uuid;
use wire::{TenantId, ZeroHitCause};

/// Writes a recall to the log, with the memories that it returned and the documents that it cited.
pub async fn insert_log(tx: &mut Tx, entry: &Entry, cause: Option<ZeroHitCause>, near: &[Near]) -> Result<(), DbError> {
    let rank = |rank: Option<u32>| rank.and_then(|rank| i32::try_from(rank).ok());
    let returned: Vec<(Uuid, i32)> = entry.candidates.iter().filter_map(|one| Some((one.memory_id.0, rank(one.rank)?))).collect();
    let cited: Vec<(Uuid, Uuid, i32)> =
        entry.knowledge.iter().filter_map(|one| Some((one.chunk_id.0, one.document_id.0, rank(one.rank)?))).collect();
    let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
    let query = insert!("insert into retrievals" {
        tenant_id: entry.tenancy.tenant,
        agent_id: entry.agent_id,
        id: entry.id,
        at: entry.at,
        user_id: entry.user_id,
        query: &entry.query,
        query_canonical: &entry.query_canonical,
        k: i32::try_from(entry.k).unwrap_or(i32::MAX),
        expected: entry.expected,
        ranking: entry.ranking,
        filters: &entry.filters,
        model: &entry.model,
        vector_floor: entry.floors.vector,
        lexical_floor: entry.floors.lexical,
        vocabulary_version: entry.vocabulary_version,
        statistics: &entry.statistics,
        candidates: Json(&entry.candidates),
        hits: count(returned.len()),
        zero_hit: entry.zero_hit,
        reason: entry.reason,
        degraded: &entry.degraded,
        took_ms: entry.took_ms,
        cause: cause,
        near_misses: Json(near),
        knowledge: Json(&entry.knowledge),
        knowledge_hits: count(cited.len()),
        fewer: entry.fewer,
        session_id: entry.session.as_ref().map(|(id, _)| *id),
        for_context: entry.for_context,
        given: entry.given,
    } "on conflict (tenant_id, agent_id, id) do nothing");
    tx.run(query).await?;
    let (memories, ranks): (Vec<Uuid>, Vec<i32>) = returned.into_iter().unzip();
    tx.run(sql!(
        [entry.tenancy.tenant, entry.agent_id, entry.id, memories, ranks],
        r"insert into retrieval_hits (tenant_id, agent_id, retrieval_id, memory_id, rank, at, user_id)
          select r.tenant_id, r.agent_id, r.id, h.memory_id, h.rank, r.at, r.user_id
            from retrievals r cross join unnest($4::uuid[], $5::integer[]) as h (memory_id, rank)
           where r.tenant_id = $1 and r.agent_id = $2 and r.id = $3
          on conflict do nothing"
    ))
    .await?;
    for (chunk, document, rank) in cited {
        tx.run(sql!(
            [entry.tenancy.tenant, entry.agent_id, entry.id, chunk, document, rank, entry.at, entry.user_id],
            r"insert into citations (tenant_id, agent_id, retrieval_id, chunk_id, document_id, rank, at, user_id)
              values ($1, $2, $3, $4, $5, $6, $7, $8)
              on conflict do nothing"
        ))
        .await?;
    }
    Ok(())
}

/// Adds to access counts. Rows are locked in the order of their ids, so two writers never deadlock.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, accesses = accesses.len()))]
pub async fn count_accesses(tx: &mut Tx, tenant: TenantId, accesses: &[Access]) -> Result<(), DbError> {
    let agents: Vec<Uuid> = accesses.iter().map(|access| access.agent_id.0).collect();
    let ids: Vec<Uuid> = accesses.iter().map(|access| access.memory_id.0).collect();
    let counts: Vec<i64> = accesses.iter().map(|access| access.count).collect();
    let last: Vec<DateTime<Utc>> = accesses.iter().map(|access| access.last).collect();
    tx.run(sql!(
        [tenant, agents, ids, counts, last],
        r"with hits as materialized (
              select m.agent_id, m.id, h.count, h.last
                from unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::timestamptz[]) as h (agent_id, id, count, last)
                join agent_memories m on m.tenant_id = $1 and m.agent_id = h.agent_id and m.id = h.id
               order by m.agent_id, m.id for update of m)
          update agent_memories m
             set access_count = m.access_count + hits.count, recalled_count = m.recalled_count + hits.count,
                 last_accessed_at = greatest(m.last_accessed_at, hits.last)
            from hits where m.tenant_id = $1 and m.agent_id = hits.agent_id and m.id = hits.id"
    ))
    .await
}
