//! SQL of the model registry.

use super::{Floors, Model};
use db::{DbError, SystemPool, sql};
use sqlx::FromRow;

#[derive(FromRow)]
struct Row {
    name: String,
    dimension: i32,
    dedup_threshold: f64,
    suggestion_threshold: f64,
    related_threshold: f64,
    term_threshold: f64,
    vector_floor: f64,
    lexical_floor: f64,
}

pub async fn model(pool: &SystemPool, name: &str) -> Result<Option<Model>, DbError> {
    let row: Option<Row> = pool
        .row_if_any(sql!(
            [name],
            r"select name, dimension, dedup_threshold, suggestion_threshold, related_threshold, term_threshold, vector_floor, lexical_floor
            from models where name = $1"
        ))
        .await?;
    Ok(row.map(|row| Model {
        name: row.name,
        dimension: usize::try_from(row.dimension).unwrap_or_default(),
        dedup_threshold: row.dedup_threshold,
        suggestion_threshold: row.suggestion_threshold,
        related_threshold: row.related_threshold,
        term_threshold: row.term_threshold,
        floors: Floors { vector: row.vector_floor, lexical: row.lexical_floor },
    }))
}
