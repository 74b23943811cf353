//! SQL of the model registry.

use super::{EmbeddingModel, ModelState};
use chrono::{DateTime, Utc};
use db::{DbError, SystemPool, begin, lock, lock_key, sql};
use sqlx::{Connection, PgConnection};
use uuid::Uuid;

/// A registered model by name.
pub async fn model(pool: &SystemPool, name: &str) -> Result<Option<EmbeddingModel>, DbError> {
    pool.row_if_any(sql!(
        [name],
        r"select name, dimension, dedup_threshold, suggestion_threshold, related_threshold, term_threshold, vector_floor, lexical_floor
            from models where name = $1"
    ))
    .await
}

/// The name of the current model; if there is no organisation yet, it is the wanted one from now on. None, and nothing is changed, if that is
/// not registered. Asked before anything serves, as the owner.
pub async fn current(url: &str, wanted: Option<&str>) -> Result<Option<String>, DbError> {
    let mut connection = PgConnection::connect(url).await?;
    let mut tx = connection.begin().await?;
    if let Some(wanted) = wanted {
        // One after the other, because one model is the current one at any moment.
        for statement in [
            "update models set is_current = false, is_kept = false where is_current and name <> $1 and not exists (select 1 from tenants)",
            "update models set is_current = true, is_kept = true where name = $1 and not is_current and not exists (select 1 from tenants)",
        ] {
            sqlx::query(statement).bind(wanted).execute(&mut *tx).await?;
        }
    }
    let name: Option<String> = sqlx::query_scalar("select name from models where is_current").fetch_optional(&mut *tx).await?;
    if name.is_some() {
        tx.commit().await?;
    } else {
        tx.rollback().await?;
    }
    connection.close().await?;
    Ok(name)
}

/// Every registered model, the current one first.
pub async fn states(pool: &SystemPool) -> Result<Vec<ModelState>, DbError> {
    pool.rows(sql!(
        [],
        r"select name, dimension, is_kept, is_current, current_since, current_until, fault
            from models order by is_current desc, is_kept desc, name"
    ))
    .await
}

/// Keeps a model, or no longer keeps one that is not the current one; whether there is such a model.
pub async fn set_kept(pool: &SystemPool, name: &str, kept: bool) -> Result<bool, DbError> {
    pool.changed_any(sql!(
        [name, kept],
        r"update models set is_kept = $2, fault = null, current_until = case when $2 then current_until end
           where name = $1 and ($2 or not is_current)"
    ))
    .await
}

/// Makes a kept model the current one; whether it is kept.
pub async fn make_current(pool: &SystemPool, name: &str, now: DateTime<Utc>) -> Result<bool, DbError> {
    let mut tx = begin(pool).await?;
    // One after the other, because one model is the current one at any moment.
    lock(&mut tx, lock_key(&[b"current embedding model"])).await?;
    let kept: Option<bool> = tx.value_if_any(sql!([name], "select is_kept from models where name = $1 and is_kept")).await?;
    if kept.is_some() {
        tx.run(sql!([name, now], "update models set is_current = false, current_until = $2 where is_current and name <> $1")).await?;
        tx.run(sql!(
            [name, now],
            "update models set is_current = true, current_since = $2, current_until = null where name = $1 and not is_current"
        ))
        .await?;
    }
    tx.commit().await?;
    Ok(kept.is_some())
}

/// Notes why a model cannot be loaded, or that it can.
pub async fn set_fault(pool: &SystemPool, name: &str, fault: Option<&str>) -> Result<(), DbError> {
    pool.run(sql!([name, fault], "update models set fault = $2 where name = $1 and fault is distinct from $2")).await
}

/// Takes or extends the right to fill in the vectors of a kept model, which one process at a time has; whether this one has it.
pub async fn hold_filling(pool: &SystemPool, name: &str, filler: Uuid, now: DateTime<Utc>, until: DateTime<Utc>) -> Result<bool, DbError> {
    pool.changed_any(sql!(
        [name, filler, now, until],
        r"update models set filler = $2, filler_until = $4
           where name = $1 and is_kept and (filler is null or filler = $2 or filler_until <= $3)"
    ))
    .await
}

/// Gives up the right to fill in vectors, so that the next process need not wait.
pub async fn end_filling(pool: &SystemPool, filler: Uuid) -> Result<(), DbError> {
    pool.run(sql!([filler], "update models set filler = null, filler_until = null where filler = $1")).await
}
