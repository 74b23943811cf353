//! Memories and everything that is derived from them.

use crate::memories::store::{SWEEP_SLOT, add_counts};
use chrono::{DateTime, Utc};
use db::{DbError, Tx, sql, statement};
use sqlx::FromRow;
use std::collections::BTreeMap;
use uuid::Uuid;
use wire::{AgentId, MemoryId, TenantId, UserId};

/// Columns that name a memory of the row's own agent; the rows go with the memory.
pub const OF_MEMORY: [(&str, &str); 9] = [
    ("memory_topics", "memory_id"),
    ("agent_memory_versions", "memory_id"),
    ("embeddings_384", "memory_id"),
    ("embeddings_1536", "memory_id"),
    ("memory_terms", "memory_id"),
    ("memory_moments", "memory_id"),
    ("tombstones", "memory_id"),
    ("evidence", "memory_id"),
    ("evidence", "candidate_id"),
];
/// Columns that name a memory of any agent.
pub const TO_MEMORY: [(&str, &str); 6] = [
    ("memory_links", "from_id"),
    ("memory_links", "to_id"),
    ("memory_proposals", "from_id"),
    ("memory_proposals", "to_id"),
    ("retrieval_hits", "memory_id"),
    ("erased_sources", "memory_id"),
];

/// A memory that is to be erased.
#[derive(Clone, Debug, FromRow)]
pub struct Doomed {
    pub agent_id: AgentId,
    pub id: MemoryId,
    pub user_id: Option<UserId>,
    pub content_hash: Vec<u8>,
    pub topic_normal: String,
    /// The normal forms of its further topics.
    pub further: Vec<String>,
    /// Of a live memory: how many terms the counts of words have of it.
    pub counted: Option<i64>,
}

pub async fn memories_of(tx: &mut Tx, tenant: TenantId, user: UserId) -> Result<Vec<MemoryId>, DbError> {
    tx.values(sql!([tenant, user], "select id from agent_memories where tenant_id = $1 and user_id = $2 order by id")).await
}

/// Locks memories: whoever changes one of them waits, and finds it gone.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn doomed(tx: &mut Tx, tenant: TenantId, ids: &[MemoryId]) -> Result<Vec<Doomed>, DbError> {
    tx.rows(sql!(
        [tenant, ids],
        r"select m.agent_id, m.id, m.user_id, m.content_hash, m.topic_normal, case when m.live then m.term_count::bigint end as counted,
                 array(select t.topic_normal from memory_topics t
                        where t.tenant_id = $1 and t.agent_id = m.agent_id and t.memory_id = m.id) as further
            from agent_memories m where m.tenant_id = $1 and m.id = any($2) order by m.id for update"
    ))
    .await
}

/// The SHA-256 of a text, with its agent and user.
pub type OwnedHash = (AgentId, Option<UserId>, Vec<u8>);
/// A fingerprint, and when its text or user was erased.
pub type Erased = (Vec<u8>, DateTime<Utc>);

/// The SHA-256 of what memories said in earlier versions, with their agents and users.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn hashes_of_versions(tx: &mut Tx, tenant: TenantId, ids: &[MemoryId]) -> Result<Vec<OwnedHash>, DbError> {
    tx.rows(sql!(
        [tenant, ids],
        r"select distinct agent_id, user_id, sha256(convert_to(content, 'UTF8'))
            from agent_memory_versions where tenant_id = $1 and memory_id = any($2)"
    ))
    .await
}

/// Keeps fingerprints of what is erased.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, fingerprints = fingerprints.len()))]
pub async fn put_fingerprints(
    tx: &mut Tx,
    tenant: TenantId,
    fingerprints: &[(AgentId, Vec<u8>)],
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    let (agents, bytes): (Vec<Uuid>, Vec<&[u8]>) = fingerprints.iter().map(|(agent, bytes)| (agent.0, bytes.as_slice())).unzip();
    tx.run(sql!(
        [tenant, agents, bytes, now],
        r"insert into erased_texts (tenant_id, agent_id, fingerprint, erased_at)
          select distinct $1::uuid, f.agent_id, f.fingerprint, $4::timestamptz
               from unnest($2::uuid[], $3::bytea[]) f (agent_id, fingerprint)
          on conflict do nothing"
    ))
    .await
}

/// Those of some fingerprints whose texts or users were erased, with when.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, fingerprints = fingerprints.len()))]
pub async fn erased(tx: &mut Tx, tenant: TenantId, fingerprints: &[Vec<u8>]) -> Result<Vec<Erased>, DbError> {
    tx.rows(sql!([tenant, fingerprints], "select fingerprint, erased_at from erased_texts where tenant_id = $1 and fingerprint = any($2)"))
        .await
}

/// The memories that contradict some that are to be erased, with their agents: their status may change.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn contradicted_by(tx: &mut Tx, tenant: TenantId, ids: &[MemoryId]) -> Result<Vec<(AgentId, MemoryId)>, DbError> {
    tx.rows(sql!(
        [tenant, ids],
        r"select distinct m.agent_id, m.id
            from memory_links l
            join agent_memories m on m.tenant_id = $1 and m.id = case when l.from_id = any($2) then l.to_id else l.from_id end
           where l.tenant_id = $1 and l.relation = 'contradicts' and (l.from_id = any($2) or l.to_id = any($2)) and m.id <> all($2)"
    ))
    .await
}

/// Removes memories that the caller has locked, with everything that is derived from them.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, memories = memories.len()))]
pub async fn delete_memories(tx: &mut Tx, tenant: TenantId, memories: &[Doomed]) -> Result<(), DbError> {
    let mut agents: BTreeMap<AgentId, Vec<MemoryId>> = BTreeMap::new();
    for memory in memories {
        agents.entry(memory.agent_id).or_default().push(memory.id);
    }
    let all: Vec<Uuid> = memories.iter().map(|memory| memory.id.0).collect();
    for (table, column) in TO_MEMORY {
        let sql = format!("delete from {table} where tenant_id = $1 and {column} = any($2)");
        tx.run(statement!(sql, tenant, &all)).await?;
    }
    tx.run(sql!(
        [tenant, &all],
        r"delete from context_texts t using context_log c
           where t.tenant_id = $1 and c.tenant_id = $1 and c.agent_id = t.agent_id and c.id = t.context_id and c.memory_ids && $2"
    ))
    .await?;
    tx.run(sql!(
        [tenant, &all],
        "update idempotent_requests set fingerprint = null, answer = null, memory_ids = '{}' where tenant_id = $1 and memory_ids && $2"
    ))
    .await?;
    // Rows that cannot be delivered keep their words.
    tx.run(sql!(
        [tenant, all.iter().map(Uuid::to_string).collect::<Vec<_>>()],
        r"delete from outbox where tenant_id = $1 and delivered_at is null and error is not null
             and (payload->>'memory_id' = any($2::text[]) or payload->>'target_id' = any($2::text[]))"
    ))
    .await?;
    for (agent, ids) in agents {
        // A memory that a candidate was merged into has its topics, from the moment at which it was superseded; topics that it had before, or
        // that other candidates have, stay. The hourly reindex cuts its words again.
        tx.run(sql!(
            [tenant, agent, &ids],
            r"with gave as (
                  select v.memory_id, v.candidate_id, c.topic_normal
                    from evidence v
                   cross join lateral (select m.topic_normal from agent_memories m
                                        where m.tenant_id = $1 and m.agent_id = $2 and m.id = v.candidate_id
                                       union
                                       select f.topic_normal from memory_topics f
                                        where f.tenant_id = $1 and f.agent_id = $2 and f.memory_id = v.candidate_id) c
                   where v.tenant_id = $1 and v.agent_id = $2 and v.candidate_id <> v.memory_id
                     and v.memory_id in (select e.memory_id from evidence e
                                          where e.tenant_id = $1 and e.agent_id = $2 and e.candidate_id = any($3))),
              dropped as (delete from memory_topics t using gave g
                           where t.tenant_id = $1 and t.agent_id = $2 and t.memory_id = g.memory_id and t.topic_normal = g.topic_normal
                             and g.candidate_id = any($3)
                             and exists (select from agent_memory_versions s
                                          where s.tenant_id = $1 and s.agent_id = $2 and s.memory_id = g.candidate_id
                                            and s.change = 'superseded' and s.valid_from = t.created_at)
                             and not exists (select from gave o where o.memory_id = t.memory_id and o.topic_normal = t.topic_normal
                                                and o.candidate_id <> all($3))
                          returning t.memory_id)
              update agent_memories m set word_rules = 0 from dropped d where m.tenant_id = $1 and m.agent_id = $2 and m.id = d.memory_id"
        ))
        .await?;
        for (table, column) in OF_MEMORY {
            let sql = format!("delete from {table} where tenant_id = $1 and agent_id = $2 and {column} = any($3)");
            tx.run(statement!(sql, tenant, agent, &ids)).await?;
        }
        subtract(tx, tenant, agent, memories).await?;
        tx.run(sql!([tenant, agent, &ids], "delete from agent_memories where tenant_id = $1 and agent_id = $2 and id = any($3)")).await?;
    }
    Ok(())
}

/// Subtracts an agent's live memories from what BM25 counts.
async fn subtract(tx: &mut Tx, tenant: TenantId, agent: AgentId, memories: &[Doomed]) -> Result<(), DbError> {
    let mut sums: BTreeMap<Option<UserId>, (i64, i64)> = BTreeMap::new();
    for memory in memories.iter().filter(|memory| memory.agent_id == agent) {
        if let Some(terms) = memory.counted {
            let sum = sums.entry(memory.user_id).or_default();
            *sum = (sum.0 + 1, sum.1 + terms);
        }
    }
    for (user, (documents, terms)) in sums {
        add_counts(tx, tenant, agent, user, SWEEP_SLOT, -documents, -terms).await?;
    }
    Ok(())
}
