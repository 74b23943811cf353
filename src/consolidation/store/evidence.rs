//! The places in sources that candidates were made from.

use crate::consolidation::{NewCandidate, Owner, Spot};
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, insert, of_user, sql};
use uuid::Uuid;
use wire::{AgentId, MemoryEvidence, MemoryId, QuarantineState};

/// The memory that quotes this place, even if it was rejected or deleted since.
pub async fn memory_at(tx: &mut Tx, tenancy: Tenancy, owner: Owner, spot: &Spot) -> Result<Option<MemoryId>, DbError> {
    tx.value_if_any(sql!(
        [tenancy.tenant, owner.agent_id, spot.source_id, byte(spot.starts), byte(spot.ends), tenancy.users],
        r"select v.memory_id from evidence v
           where v.tenant_id = $1 and v.agent_id = $2 and v.source_id = $3 and v.starts = $4 and v.ends = $5 and ",
        of_user!("v", "$6")
    ))
    .await
}

/// Adds a candidate's place to a memory; false if the place is known.
pub async fn insert_evidence(
    tx: &mut Tx,
    tenancy: Tenancy,
    owner: Owner,
    memory: MemoryId,
    id: Uuid,
    candidate: &NewCandidate,
    now: DateTime<Utc>,
) -> Result<bool, DbError> {
    let spot = &candidate.spot;
    let query = insert!("insert into evidence" {
        tenant_id: tenancy.tenant,
        agent_id: owner.agent_id,
        id: id,
        memory_id: memory,
        user_id: owner.user_id,
        candidate_id: memory,
        source_id: spot.source_id,
        event_id: spot.event_id,
        starts: byte(spot.starts),
        ends: byte(spot.ends),
        quote: &spot.quote,
        speaker: &spot.speaker,
        observed_at: candidate.observed_at,
        created_at: now,
    } "on conflict (tenant_id, agent_id, source_id, starts, ends) do nothing");
    tx.changed_any(query).await
}

/// Gives the evidence of a candidate to another memory of the agent; which places.
pub async fn move_evidence(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, from: MemoryId, to: MemoryId) -> Result<Vec<Uuid>, DbError> {
    tx.values(sql!(
        [tenancy.tenant, agent, from, to, tenancy.users],
        "update evidence v set memory_id = $4 where v.tenant_id = $1 and v.agent_id = $2 and v.memory_id = $3 and ",
        of_user!("v", "$5"),
        " returning v.id"
    ))
    .await
}

/// Gives some places of a memory back to the one that they were taken from.
pub async fn give_evidence_back(
    tx: &mut Tx,
    tenancy: Tenancy,
    agent: AgentId,
    from: MemoryId,
    to: MemoryId,
    places: &[Uuid],
) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, agent, from, to, places, tenancy.users],
        r"update evidence v set memory_id = $4
           where v.tenant_id = $1 and v.agent_id = $2 and v.memory_id = $3 and v.id = any($5) and ",
        of_user!("v", "$6")
    ))
    .await
}

/// Gives the places that a candidate was made from back to it.
pub async fn take_evidence_back(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, candidate: MemoryId) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, agent, candidate, tenancy.users],
        "update evidence v set memory_id = v.candidate_id where v.tenant_id = $1 and v.agent_id = $2 and v.candidate_id = $3 and ",
        of_user!("v", "$4")
    ))
    .await
}

/// The memories that a candidate was merged into.
pub async fn merged_into(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, candidate: MemoryId) -> Result<Vec<MemoryId>, DbError> {
    tx.values(sql!(
        [tenancy.tenant, agent, candidate, tenancy.users],
        r"select distinct v.memory_id from evidence v
           where v.tenant_id = $1 and v.agent_id = $2 and v.candidate_id = $3 and v.memory_id <> v.candidate_id and ",
        of_user!("v", "$4"),
        " order by 1"
    ))
    .await
}

/// The states of what is or was in quarantine at a place.
pub async fn quarantine_at(tx: &mut Tx, tenancy: Tenancy, owner: Owner, spot: &Spot) -> Result<Vec<QuarantineState>, DbError> {
    tx.values(sql!(
        [tenancy.tenant, owner.agent_id, spot.source_id, byte(spot.starts), byte(spot.ends), tenancy.users],
        r"select q.state from quarantine q
           where q.tenant_id = $1 and q.agent_id = $2 and q.source_id = $3 and q.starts < $5 and q.ends > $4 and ",
        of_user!("q", "$6")
    ))
    .await
}

/// The bytes of a source around a place, before and after it.
pub async fn surroundings(tx: &mut Tx, tenancy: Tenancy, place: &MemoryEvidence, most: i32) -> Result<(Vec<u8>, Vec<u8>), DbError> {
    let found: Option<(Vec<u8>, Vec<u8>)> = tx
        .row_if_any(sql!(
            [tenancy.tenant, place.source_id, place.starts, place.ends, most, tenancy.users],
            r"select substring(convert_to(s.content, 'UTF8') from greatest($3 - $5, 0) + 1 for least($3, $5)),
                 substring(convert_to(s.content, 'UTF8') from $4 + 1 for $5)
            from sources s where s.tenant_id = $1 and s.id = $2 and s.content is not null and ",
            of_user!("s", "$6"),
            " limit 1"
        ))
        .await?;
    Ok(found.unwrap_or_default())
}

fn byte(at: usize) -> i32 {
    i32::try_from(at).unwrap_or(i32::MAX)
}
