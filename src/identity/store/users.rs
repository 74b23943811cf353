//! SQL that finds users by what they are called, and names them.

use crate::api::{TenantId, UserId};
use crate::db::{DbError, Tx, like};
use crate::identity::model::User;

/// Users whose reference or name begins with a text.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn users_named(tx: &mut Tx, tenant: TenantId, text: &str, most: i64) -> Result<Vec<UserId>, DbError> {
    Ok(sqlx::query_scalar(
        "select id from users where tenant_id = $1 and (external_ref ilike $2 or name ilike $2) order by external_ref limit $3",
    )
    .bind(tenant)
    .bind(like::starts_with(text))
    .bind(most)
    .fetch_all(&mut **tx)
    .await?)
}

/// The users with some ids.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, users = ids.len()))]
pub async fn users_by_id(tx: &mut Tx, tenant: TenantId, ids: &[UserId]) -> Result<Vec<User>, DbError> {
    Ok(sqlx::query_as("select id, external_ref, name from users where tenant_id = $1 and id = any($2)")
        .bind(tenant)
        .bind(ids)
        .fetch_all(&mut **tx)
        .await?)
}
