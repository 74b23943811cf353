//! SQL of the memories that the recall cache proposes.

use super::{Meaning, Nearest, Reach};
use crate::memories::store::VECTORS;
use db::{DbError, Tx, statement};
use foundation::index::VectorTable;
use uuid::Uuid;
use wire::MemoryId;

/// The nearest of some memories, compared as the whole search compares them: the best that the search is for, then the best of those `besides`
/// that are near enough to be shown.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %reach.tenancy.tenant, ids = ids.len() + besides.len()))]
pub async fn nearest_of(
    tx: &mut Tx,
    reach: &Reach<'_>,
    meaning: &Meaning<'_>,
    ids: &[Uuid],
    besides: &[Uuid],
) -> Result<Vec<Nearest>, DbError> {
    let vectors = VECTORS.of(meaning.vector.len())?;
    let (VectorTable { table, column }, of_user, rank) = (vectors, reach.of_user("e", "$4"), meaning.rank_in_sql());
    // `coalesce` keeps the vectors in the index of their keys: that of live vectors would be read whole for an agent that the planner takes for
    // small.
    let text = format!(
        r"with compared as materialized (
                 select e.memory_id, e.weight, -(e.{column} <#> $7) as similarity from {table} e
                  where e.tenant_id = $1 and e.agent_id = any($2) and e.memory_id = any($5 || $6) and e.model = $11
                    and coalesce(e.live, false) and (e.expires_at is null or e.expires_at > $3){of_user} offset 0),
               ranked as materialized (select s.memory_id, s.similarity, {rank} as rank from compared s)
          (select r.memory_id, r.similarity, r.rank from ranked r where r.memory_id = any($5) order by r.rank desc, r.memory_id desc limit $9)
          union all
          (select r.memory_id, r.similarity, r.rank from ranked r where r.memory_id = any($6) and r.similarity >= $10
            order by r.rank desc, r.memory_id desc limit $9)"
    );
    let rows: Vec<(MemoryId, f64, f64)> = tx
        .rows(statement!(
            text,
            reach.tenant(),
            reach.agents,
            reach.now,
            reach.user_id(),
            ids,
            besides,
            vectors.operand(meaning.vector),
            meaning.decayed_above,
            i64::try_from(meaning.most).unwrap_or(i64::MAX),
            reach.scoping.strong,
            meaning.model,
        ))
        .await?;
    Ok(rows.into_iter().map(|(id, similarity, rank)| Nearest { id, similarity, rank }).collect())
}
