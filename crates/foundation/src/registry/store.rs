//! SQL of the model registry.

use super::Model;
use db::{DbError, SystemPool, sql};
use sqlx::{Connection, PgConnection};

pub async fn model(pool: &SystemPool, name: &str) -> Result<Option<Model>, DbError> {
    pool.row_if_any(sql!(
        [name],
        r"select name, dimension, dedup_threshold, suggestion_threshold, related_threshold, term_threshold, vector_floor, lexical_floor
            from models where name = $1"
    ))
    .await
}

/// The name of the local model that the databases began with. Asked once, before anything serves, as the owner.
pub async fn first(url: &str) -> Result<String, DbError> {
    let mut connection = PgConnection::connect(url).await?;
    let name = sqlx::query_scalar("select name from models where is_first").fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(name)
}
