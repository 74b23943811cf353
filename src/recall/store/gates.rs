//! SQL of one memory that a search may or may not find.

use super::Narrowing;
use crate::memories::store::VECTORS;
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user, statement};
use foundation::index::VectorTable;
use foundation::registry::EmbeddingModel;
use sqlx::FromRow;
use wire::{AgentId, MemoryId, RecallFilters};

/// What a search reads of a memory besides its record.
#[derive(Clone, Copy, Debug, FromRow)]
pub struct Compared {
    /// Its vector is still to come.
    pub awaiting_vector: bool,
    pub archived_at: Option<DateTime<Utc>>,
    /// Its cosine with the question, if both have a vector of this model.
    pub similarity: Option<f64>,
}

/// Compares a memory in any state with a question, from the vector that a search compares.
pub async fn compared(
    tx: &mut Tx,
    tenancy: Tenancy,
    agent: AgentId,
    id: MemoryId,
    model: &EmbeddingModel,
    vector: Option<&[f32]>,
) -> Result<Option<Compared>, DbError> {
    let vectors = VECTORS.of(model.dimension)?;
    let VectorTable { table, column } = vectors;
    let cosine = match vector {
        None => "null::float8".to_owned(),
        Some(_) => format!(
            r"(select -(e.{column} <#> $6) from {table} e
                where e.tenant_id = $1 and e.agent_id = m.agent_id and e.memory_id = m.id and e.model = $5)"
        ),
    };
    let of_user = of_user!("m", "$4");
    tx.row_if_any(statement!(
        format!(
            r"select m.awaiting_vector, m.archived_at, {cosine} as similarity
                from agent_memories m
               where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and {of_user}"
        ),
        tenancy.tenant,
        agent,
        id,
        tenancy.users,
        &model.name,
        vector.map(|vector| vectors.operand(vector)),
    ))
    .await
}

/// Which of several filters let a memory through, in their order; nothing if the memory does not exist.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, %agent, filters = filters.len()))]
pub async fn lets_through(
    tx: &mut Tx,
    tenancy: Tenancy,
    agent: AgentId,
    id: MemoryId,
    filters: &[RecallFilters],
) -> Result<Vec<bool>, DbError> {
    let mut query = statement!("select array[", tenancy.tenant, agent, id, tenancy.users);
    for (place, filter) in filters.iter().enumerate() {
        query.push(if place == 0 { "coalesce(true" } else { ", coalesce(true" });
        Narrowing::Agent(filter).push(&mut query);
        query.push(", false)");
    }
    query.push(concat!(
        "]::boolean[] from agent_memories m where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ",
        of_user!("m", "$4")
    ));
    let passed: Option<Vec<bool>> = tx.value_if_any(query).await?;
    Ok(passed.unwrap_or_default())
}
