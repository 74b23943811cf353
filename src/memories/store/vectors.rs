//! Vectors: auxiliary to the record, one table per dimension.

use crate::api::{AgentId, MemoryId, TenantId};
use crate::db::{DbError, Tx};
use crate::memories::model::{DECAY_DAYS, WEIGHT_EPOCH, weight};
use chrono::{DateTime, Utc};
use pgvector::{HalfVector, Vector};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

/// A vector with the model that made it.
#[derive(Clone, Copy)]
pub struct Embedded<'a> {
    pub model: &'a str,
    pub vector: &'a [f32],
}

/// The table of vectors of one dimension.
///
/// # Errors
/// `Inconsistent` for a dimension that no table has.
pub fn vector_table(dimension: usize) -> Result<&'static str, DbError> {
    match dimension {
        384 => Ok("embeddings_384"),
        1536 => Ok("embeddings_1536"),
        other => {
            Err(DbError::Inconsistent { table: "models", column: "dimension", row: other.to_string(), reason: "no table holds it".into() })
        }
    }
}

/// Stores a live memory's vector, over an older one of the same model, and notes since when it is found by meaning.
pub async fn put_vector(
    tx: &mut Tx,
    tenant: TenantId,
    agent: AgentId,
    id: MemoryId,
    embedded: Embedded<'_>,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    let table = vector_table(embedded.vector.len())?;
    let (column, expression) = if table == "embeddings_384" { ("half", "$8") } else { ("bits", "binary_quantize($5)") };
    let sql = format!(
        "insert into {table} (tenant_id, agent_id, memory_id, model, user_id, live, expires_at, weight, embedding, {column})
         select m.tenant_id, m.agent_id, m.id, $4, m.user_id, m.live, m.expires_at,
                exp(extract(epoch from m.updated_at - $6)::float8 / 86400.0 / $7), $5, {expression}
           from agent_memories m where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3
         on conflict (agent_id, memory_id, model) do update
            set embedding = excluded.embedding, {column} = excluded.{column}, weight = excluded.weight, live = excluded.live,
                expires_at = excluded.expires_at, user_id = excluded.user_id"
    );
    let mut query = sqlx::query(AssertSqlSafe(sql))
        .bind(tenant)
        .bind(agent)
        .bind(id)
        .bind(embedded.model)
        .bind(Vector::from(embedded.vector.to_vec()))
        .bind(WEIGHT_EPOCH)
        .bind(DECAY_DAYS);
    if table == "embeddings_384" {
        query = query.bind(HalfVector::from_f32_slice(embedded.vector));
    }
    query.execute(&mut **tx).await?;
    sqlx::query(
        r"with there as (update agent_memories set awaiting_vector = false
                          where tenant_id = $1 and agent_id = $2 and id = $3 and awaiting_vector)
          insert into memory_moments (tenant_id, agent_id, memory_id, at, what, model, text_hash)
          select m.tenant_id, m.agent_id, m.id, $4, 'embedded', $5, sha256(convert_to(m.topic || E'\n' || m.content, 'UTF8'))
            from agent_memories m where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3",
    )
    .bind(tenant)
    .bind(agent)
    .bind(id)
    .bind(now)
    .bind(embedded.model)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Removes the vectors of a content that is no more; the memory is found by its words until the new one comes.
pub async fn drop_vectors(tx: &mut Tx, tenant: TenantId, agent: AgentId, id: MemoryId) -> Result<(), DbError> {
    for table in ["embeddings_384", "embeddings_1536"] {
        let sql = format!("delete from {table} where tenant_id = $1 and agent_id = $2 and memory_id = $3");
        sqlx::query(AssertSqlSafe(sql)).bind(tenant).bind(agent).bind(id).execute(&mut **tx).await?;
    }
    sqlx::query("update agent_memories set awaiting_vector = true where tenant_id = $1 and agent_id = $2 and id = $3")
        .bind(tenant)
        .bind(agent)
        .bind(id)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Takes vectors into or out of the live set, as the record now says.
pub async fn sync_live(tx: &mut Tx, tenant: TenantId, agent: AgentId, ids: &[MemoryId]) -> Result<(), DbError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    for table in ["embeddings_384", "embeddings_1536"] {
        let sql = format!(
            "update {table} e set live = m.live, expires_at = m.expires_at from agent_memories m
              where e.tenant_id = $1 and e.agent_id = $2 and e.memory_id = any($3) and m.agent_id = e.agent_id and m.id = e.memory_id"
        );
        sqlx::query(AssertSqlSafe(sql)).bind(tenant).bind(agent).bind(&ids).execute(&mut **tx).await?;
    }
    Ok(())
}

/// The models that have a vector of a memory.
pub async fn embedded_by(tx: &mut Tx, tenant: TenantId, agent: AgentId, id: MemoryId) -> Result<Vec<String>, DbError> {
    Ok(sqlx::query_scalar(
        r"select model from embeddings_384 where tenant_id = $1 and agent_id = $2 and memory_id = $3
          union select model from embeddings_1536 where tenant_id = $1 and agent_id = $2 and memory_id = $3 order by model",
    )
    .bind(tenant)
    .bind(agent)
    .bind(id)
    .fetch_all(&mut **tx)
    .await?)
}

/// A memory was remembered again: it weighs as much as a new one.
pub async fn refresh_vectors(
    tx: &mut Tx,
    tenant: TenantId,
    agent: AgentId,
    id: MemoryId,
    expires_at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    for table in ["embeddings_384", "embeddings_1536"] {
        let sql = format!("update {table} set weight = $4, expires_at = $5 where tenant_id = $1 and agent_id = $2 and memory_id = $3");
        sqlx::query(AssertSqlSafe(sql)).bind(tenant).bind(agent).bind(id).bind(weight(now)).bind(expires_at).execute(&mut **tx).await?;
    }
    Ok(())
}
