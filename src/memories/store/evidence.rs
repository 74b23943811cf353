//! The places in sources that say what a memory says.

use db::{DbError, Tenancy, Tx, of_user, sql};
use sqlx::FromRow;
use wire::{AgentId, MemoryEvidence, MemoryId};

/// The places of some memories, newest first, at most `most` of each.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, ids = ids.len()))]
pub async fn evidence_of(tx: &mut Tx, tenancy: Tenancy, ids: &[MemoryId], most: i64) -> Result<Vec<(MemoryId, MemoryEvidence)>, DbError> {
    #[derive(FromRow)]
    struct Row {
        memory_id: MemoryId,
        #[sqlx(flatten)]
        evidence: MemoryEvidence,
    }
    let rows: Vec<Row> = tx
        .rows(sql!(
            [tenancy.tenant, ids, tenancy.users, most],
            r"select memory_id, source_id, source_title, speaker, observed_at, starts, ends, quote
            from (select v.memory_id, v.source_id, coalesce(s.title, s.reference, '') as source_title, v.speaker, v.observed_at, v.starts,
                         v.ends, v.quote, v.created_at, v.id,
                         row_number() over (partition by v.memory_id order by v.observed_at desc nulls last, v.created_at desc,
                              v.id) as place
                    from evidence v left join lateral (select title, reference from sources s where s.tenant_id = $1
                         and s.id = v.source_id limit 1) s on true
                   where v.tenant_id = $1 and v.memory_id = any($2) and ",
            of_user!("v", "$3"),
            r") v where place <= $4 order by memory_id, place"
        ))
        .await?;
    Ok(rows.into_iter().map(|row| (row.memory_id, row.evidence)).collect())
}

/// Takes the places in sources that a memory has as evidence from the memories of another agent that are out of recall: an earlier copy of it
/// held them. Agents may not, so only operators do.
pub async fn take_evidence(
    tx: &mut Tx,
    tenancy: Tenancy,
    from_agent: AgentId,
    from: MemoryId,
    to_agent: AgentId,
    to: MemoryId,
) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, from_agent, from, to_agent, to, tenancy.users],
        r"update evidence o set memory_id = $5
            from evidence v
           where v.tenant_id = $1 and v.agent_id = $2 and v.memory_id = $3
             and o.tenant_id = $1 and o.agent_id = $4 and o.source_id = v.source_id and o.starts = v.starts and o.ends = v.ends
             and o.memory_id <> $5
             and not exists (select from agent_memories m where m.tenant_id = $1 and m.agent_id = $4 and m.id = o.memory_id and m.live)
             and ",
        of_user!("v", "$6"),
        " and ",
        of_user!("o", "$6")
    ))
    .await
}

/// Gives a copy of a memory, which another agent owns, the same evidence. Ids are unique per agent, so the rows keep theirs.
pub async fn copy_evidence(
    tx: &mut Tx,
    tenancy: Tenancy,
    from_agent: AgentId,
    from: MemoryId,
    to_agent: AgentId,
    to: MemoryId,
) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, from_agent, from, to_agent, to, tenancy.users],
        r"insert into evidence (tenant_id, agent_id, id, memory_id, user_id, candidate_id, source_id, event_id, starts, ends,
                 quote, speaker,
                                observed_at, created_at)
          select v.tenant_id, $4, v.id, $5, v.user_id, $5, v.source_id, v.event_id, v.starts, v.ends, v.quote, v.speaker, v.observed_at,
                 v.created_at
            from evidence v where v.tenant_id = $1 and v.agent_id = $2 and v.memory_id = $3 and ",
        of_user!("v", "$6"),
        " on conflict do nothing"
    ))
    .await
}
