//! SQL of the model registry.

use super::Model;
use db::{DbError, SystemPool, sql};

pub async fn model(pool: &SystemPool, name: &str) -> Result<Option<Model>, DbError> {
    pool.row_if_any(sql!(
        [name],
        r"select name, dimension, dedup_threshold, suggestion_threshold, related_threshold, term_threshold, vector_floor, lexical_floor
            from models where name = $1"
    ))
    .await
}
