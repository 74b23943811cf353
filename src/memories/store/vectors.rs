//! Vectors: auxiliary to the record, one table per dimension.

use crate::memories::model::{WEIGHT_EPOCH, weight};
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user, sql, statement};
use foundation::index::{VectorTable, Vectors};
use pgvector::Vector;
use wire::{AgentId, DECAY_DAYS, MemoryId};

/// A vector with the model that made it.
#[derive(Clone, Copy)]
pub struct Embedded<'a> {
    pub model: &'a str,
    pub vector: &'a [f32],
}

/// The tables of memories' vectors. With 384 dimensions a search compares half vectors, which the covering index holds.
pub const VECTORS: Vectors = Vectors {
    of_384: VectorTable { table: "embeddings_384", column: "half" },
    of_1536: VectorTable { table: "embeddings_1536", column: "embedding" },
};

/// Stores a live memory's vector by the current model, and removes those of other models: they may be of a former text, and are filled in again.
pub async fn put_vector(
    tx: &mut Tx,
    tenancy: Tenancy,
    agent: AgentId,
    id: MemoryId,
    embedded: Embedded<'_>,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    add_vector(tx, tenancy, agent, id, embedded, now).await?;
    tx.run(sql!(
        [tenancy.tenant, agent, id, tenancy.users, embedded.model],
        r"with small as (delete from embeddings_384 e
                           where e.tenant_id = $1 and e.agent_id = $2 and e.memory_id = $3 and e.model <> $5 and ",
        of_user!("e", "$4"),
        r"), large as (delete from embeddings_1536 e
                           where e.tenant_id = $1 and e.agent_id = $2 and e.memory_id = $3 and e.model <> $5 and ",
        of_user!("e", "$4"),
        r") update agent_memories m set awaiting_vector = false
             where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and m.awaiting_vector and ",
        of_user!("m", "$4")
    ))
    .await
}

/// Stores a memory's vector beside those of other models, over an older one of the same model, and records since when it is found by the meaning
/// that this model sees.
pub async fn add_vector(
    tx: &mut Tx,
    tenancy: Tenancy,
    agent: AgentId,
    id: MemoryId,
    embedded: Embedded<'_>,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    let vectors = VECTORS.of(embedded.vector.len())?;
    let table = vectors.table;
    let (derived, value) = if vectors.is_half() { ("half", "$9") } else { ("bits", "binary_quantize($9)") };
    let of_user = of_user!("m", "$7");
    tx.run(statement!(
        format!(
            r"insert into {table} (tenant_id, agent_id, memory_id, model, user_id, live, expires_at, weight, embedding, {derived})
              select m.tenant_id, m.agent_id, m.id, $4, m.user_id, m.live, m.expires_at,
                     exp(extract(epoch from m.updated_at - $5)::float8 / 86400.0 / $6), $8, {value}
                from agent_memories m where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and {of_user}
              on conflict (tenant_id, agent_id, memory_id, model) do update
                 set embedding = excluded.embedding, {derived} = excluded.{derived}, weight = excluded.weight, live = excluded.live,
                     expires_at = excluded.expires_at, user_id = excluded.user_id"
        ),
        tenancy.tenant,
        agent,
        id,
        embedded.model,
        WEIGHT_EPOCH,
        DECAY_DAYS,
        tenancy.users,
        Vector::from(embedded.vector.to_vec()),
        vectors.operand(embedded.vector)
    ))
    .await?;
    // A statement of its own: Citus refuses one that changes one table and inserts what another one selects.
    tx.run(sql!(
        [tenancy.tenant, agent, id, tenancy.users],
        r"update agent_memories m set written = pg_current_xact_id()
           where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and m.written <> pg_current_xact_id() and ",
        of_user!("m", "$4")
    ))
    .await?;
    tx.run(sql!(
        [tenancy.tenant, agent, id, now, embedded.model, tenancy.users],
        r"insert into memory_moments (tenant_id, agent_id, memory_id, user_id, at, what, model, text_hash)
              select m.tenant_id, m.agent_id, m.id, m.user_id, $4, 'embedded', $5, sha256(convert_to(m.topic || E'\n' || m.content, 'UTF8'))
                from agent_memories m where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ",
        of_user!("m", "$6")
    ))
    .await
}

/// Removes the vectors of a former content; the memory is found by its words until the new vector comes.
pub async fn drop_vectors(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: MemoryId) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, agent, id, tenancy.users],
        "with small as (delete from embeddings_384 e where e.tenant_id = $1 and e.agent_id = $2 and e.memory_id = $3 and ",
        of_user!("e", "$4"),
        "), large as (delete from embeddings_1536 e where e.tenant_id = $1 and e.agent_id = $2 and e.memory_id = $3 and ",
        of_user!("e", "$4"),
        ") update agent_memories m set awaiting_vector = true, written = pg_current_xact_id() where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ",
        of_user!("m", "$4")
    ))
    .await
}

/// Moves vectors into or out of the live set, according to the record.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, %agent, ids = ids.len()))]
pub async fn sync_live(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, ids: &[MemoryId]) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, agent, ids, tenancy.users],
        r"with small as (
                  update embeddings_384 e set live = m.live, expires_at = m.expires_at from agent_memories m
                   where e.tenant_id = $1 and e.agent_id = $2 and e.memory_id = any($3)
                     and m.tenant_id = e.tenant_id and m.agent_id = e.agent_id and m.id = e.memory_id and ",
        of_user!("m", "$4"),
        r")
              update embeddings_1536 e set live = m.live, expires_at = m.expires_at from agent_memories m
               where e.tenant_id = $1 and e.agent_id = $2 and e.memory_id = any($3)
                     and m.tenant_id = e.tenant_id and m.agent_id = e.agent_id and m.id = e.memory_id and ",
        of_user!("m", "$4")
    ))
    .await
}

/// The models that have a vector of a memory.
pub async fn embedded_by(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: MemoryId) -> Result<Vec<String>, DbError> {
    tx.values(sql!(
        [tenancy.tenant, agent, id, tenancy.users],
        "select e.model from embeddings_384 e where e.tenant_id = $1 and e.agent_id = $2 and e.memory_id = $3 and ",
        of_user!("e", "$4"),
        " union select e.model from embeddings_1536 e where e.tenant_id = $1 and e.agent_id = $2 and e.memory_id = $3 and ",
        of_user!("e", "$4"),
        " order by model"
    ))
    .await
}

/// Gives the vectors of a memory that was remembered again the weight of a new one.
pub async fn refresh_vectors(
    tx: &mut Tx,
    tenancy: Tenancy,
    agent: AgentId,
    id: MemoryId,
    expires_at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, agent, id, weight(now), expires_at, tenancy.users],
        r"with small as (
                  update embeddings_384 e set weight = $4, expires_at = $5
                   where e.tenant_id = $1 and e.agent_id = $2 and e.memory_id = $3 and ",
        of_user!("e", "$6"),
        r")
              update embeddings_1536 e set weight = $4, expires_at = $5
               where e.tenant_id = $1 and e.agent_id = $2 and e.memory_id = $3 and ",
        of_user!("e", "$6")
    ))
    .await
}
