//! SQL of the model registry.

use super::{Floors, Model};
use crate::db::DbError;
use sqlx::PgPool;

pub async fn model(pool: &PgPool, name: &str) -> Result<Option<Model>, DbError> {
    let row: Option<(String, i32, f64, f64, f64, f64, f64)> = sqlx::query_as(
        "select name, dimension, dedup_threshold, suggestion_threshold, related_threshold, vector_floor, lexical_floor from models where name = $1",
    )
    .bind(name)
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|(name, dimension, dedup_threshold, suggestion_threshold, related_threshold, vector, lexical)| Model {
        name,
        dimension: usize::try_from(dimension).unwrap_or_default(),
        dedup_threshold,
        suggestion_threshold,
        related_threshold,
        floors: Floors { vector, lexical },
    }))
}
