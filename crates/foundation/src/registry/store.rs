//! SQL of the model registry.

use super::EmbeddingModel;
use db::{DbError, SystemPool, sql};
use sqlx::{Connection, PgConnection};

pub async fn model(pool: &SystemPool, name: &str) -> Result<Option<EmbeddingModel>, DbError> {
    pool.row_if_any(sql!(
        [name],
        r"select name, dimension, dedup_threshold, suggestion_threshold, related_threshold, term_threshold, vector_floor, lexical_floor
            from models where name = $1"
    ))
    .await
}

/// The name of the local model that the databases began with; if they have no organisation yet, it is the wanted one from now on. Asked
/// before anything serves, as the owner.
pub async fn first(url: &str, wanted: Option<&str>) -> Result<String, DbError> {
    let mut connection = PgConnection::connect(url).await?;
    if let Some(wanted) = wanted {
        let mut tx = connection.begin().await?;
        // One after the other, because one model is the first at any moment.
        for statement in [
            "update models set is_first = false where is_first and name <> $1 and not exists (select 1 from tenants)",
            "update models set is_first = true where name = $1 and not is_first and not exists (select 1 from tenants)",
        ] {
            sqlx::query(statement).bind(wanted).execute(&mut *tx).await?;
        }
        tx.commit().await?;
    }
    let name = sqlx::query_scalar("select name from models where is_first").fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(name)
}
