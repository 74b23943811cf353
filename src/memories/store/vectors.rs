//! Vectors: auxiliary to the record, one table per dimension.

use crate::memories::model::{WEIGHT_EPOCH, weight};
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user, sql, statement};
use pgvector::{HalfVector, Vector};
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo};
use sqlx::{Encode, Postgres, Type};
use wire::{AgentId, DECAY_DAYS, MemoryId};

/// A vector with the model that made it.
#[derive(Clone, Copy)]
pub struct Embedded<'a> {
    pub model: &'a str,
    pub vector: &'a [f32],
}

/// Where vectors of one dimension are kept.
#[derive(Clone, Copy, Debug)]
pub struct VectorTable {
    pub table: &'static str,
    /// The column that a search compares: with 384 dimensions the half vector, which the covering index holds.
    pub column: &'static str,
}

impl VectorTable {
    /// The table of one dimension.
    ///
    /// # Errors
    /// `Inconsistent` for a dimension that no table has.
    pub fn of(dimension: usize) -> Result<Self, DbError> {
        match dimension {
            384 => Ok(Self { table: "embeddings_384", column: "half" }),
            1536 => Ok(Self { table: "embeddings_1536", column: "embedding" }),
            other => {
                let reason = "no table holds it".into();
                Err(DbError::Inconsistent { table: "models", column: "dimension", row: other.to_string(), reason })
            }
        }
    }

    /// Whether that column holds half vectors.
    pub fn is_half(self) -> bool {
        self.column == "half"
    }

    /// The other operand: a vector in the type of the column.
    pub fn operand(self, vector: &[f32]) -> Operand {
        if self.is_half() { Operand::Half(HalfVector::from_f32_slice(vector)) } else { Operand::Full(Vector::from(vector.to_vec())) }
    }
}

/// A vector in the type of the column that it is compared with.
pub enum Operand {
    Half(HalfVector),
    Full(Vector),
}

impl Type<Postgres> for Operand {
    fn type_info() -> PgTypeInfo {
        Vector::type_info()
    }
}

impl Encode<'_, Postgres> for Operand {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        match self {
            Self::Half(vector) => vector.encode_by_ref(buffer),
            Self::Full(vector) => vector.encode_by_ref(buffer),
        }
    }

    fn produces(&self) -> Option<PgTypeInfo> {
        Some(match self {
            Self::Half(_) => HalfVector::type_info(),
            Self::Full(_) => Vector::type_info(),
        })
    }
}

/// Stores a live memory's vector, over an older one of the same model, and records since when it is found by meaning.
pub async fn put_vector(
    tx: &mut Tx,
    tenancy: Tenancy,
    agent: AgentId,
    id: MemoryId,
    embedded: Embedded<'_>,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    let vectors = VectorTable::of(embedded.vector.len())?;
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
    tx.run(sql!(
        [tenancy.tenant, agent, id, now, embedded.model, tenancy.users],
        r"with there as (update agent_memories m set awaiting_vector = false
                              where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and m.awaiting_vector and ",
        of_user!("m", "$6"),
        r")
              insert into memory_moments (tenant_id, agent_id, memory_id, user_id, at, what, model, text_hash)
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
        ") update agent_memories m set awaiting_vector = true where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ",
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
