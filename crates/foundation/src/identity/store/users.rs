//! SQL of users.

use crate::identity::model::User;
use chrono::{DateTime, Utc};
use db::{DbError, SystemPool, Tx, like, sql};
use wire::{AdminUser, TenantId, UserId};

/// Users whose reference or name begins with a text.
pub async fn users_named(tx: &mut Tx, tenant: TenantId, text: &str, most: i64) -> Result<Vec<UserId>, DbError> {
    tx.values(sql!(
        [tenant, like::starts_with(text), most],
        "select id from users where tenant_id = $1 and (external_ref ilike $2 or name ilike $2) order by external_ref limit $3"
    ))
    .await
}

/// Users with this name, in any case.
pub async fn users_called(tx: &mut Tx, tenant: TenantId, name: &str, most: i64) -> Result<Vec<User>, DbError> {
    tx.rows(sql!(
        [tenant, name, most],
        r"select id, external_ref, name from users
           where tenant_id = $1 and lower(name) = lower(btrim($2)) order by external_ref limit $3"
    ))
    .await
}

/// The users with some ids.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, users = ids.len()))]
pub async fn users_by_id(tx: &mut Tx, tenant: TenantId, ids: &[UserId]) -> Result<Vec<User>, DbError> {
    tx.rows(sql!([tenant, ids], "select id, external_ref, name from users where tenant_id = $1 and id = any($2)")).await
}

/// Whether the organisation knows a user. The row is locked: an erasure waits for the transaction, and then sees what it wrote.
pub async fn lock_user(tx: &mut Tx, tenant: TenantId, user: UserId) -> Result<bool, DbError> {
    let known: Option<UserId> =
        tx.value_if_any(sql!([tenant, user], "select id from users where tenant_id = $1 and id = $2 for key share")).await?;
    Ok(known.is_some())
}

/// The user that has this reference in the organisation.
pub async fn user_by_reference(pool: &SystemPool, tenant: TenantId, reference: &str) -> Result<Option<UserId>, DbError> {
    pool.value_if_any(sql!([tenant, reference], "select id from users where tenant_id = $1 and external_ref = $2")).await
}

/// Inserts a user, unless the organisation has the id or the reference already; whether it was inserted.
pub async fn insert_user(
    tx: &mut Tx,
    tenant: TenantId,
    id: UserId,
    reference: &str,
    name: Option<&str>,
    now: DateTime<Utc>,
) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, id, reference, name, now],
        "insert into users (tenant_id, id, external_ref, name, created_at) values ($1, $2, $3, $4, $5) on conflict do nothing"
    ))
    .await
}

/// Users of a tenant, by their reference.
pub async fn users(tx: &mut Tx, tenant: TenantId) -> Result<Vec<User>, DbError> {
    tx.rows(sql!([tenant], "select id, external_ref, name from users where tenant_id = $1 order by external_ref")).await
}

/// At most `most` users of a tenant by their reference, those after a reference if one is given.
pub async fn users_after(tx: &mut Tx, tenant: TenantId, after: Option<&str>, most: i64) -> Result<Vec<AdminUser>, DbError> {
    tx.rows(sql!(
        [tenant, after, most],
        r"select id, external_ref, name from users
           where tenant_id = $1 and ($2::text is null or external_ref > $2) order by external_ref limit $3"
    ))
    .await
}

/// The user with an id or a reference. The row is locked: another change, or an erasure, waits for the transaction.
pub async fn user_to_change(
    tx: &mut Tx,
    tenant: TenantId,
    id: Option<UserId>,
    reference: Option<&str>,
) -> Result<Option<AdminUser>, DbError> {
    tx.row_if_any(sql!(
        [tenant, id, reference],
        "select id, external_ref, name from users where tenant_id = $1 and (id = $2 or external_ref = $3) for update"
    ))
    .await
}

/// Writes the reference and the name of a user; whether the tenant has it.
pub async fn update_user(tx: &mut Tx, tenant: TenantId, user: &AdminUser) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, user.id, &user.external_ref, &user.name],
        "update users set external_ref = $3, name = $4 where tenant_id = $1 and id = $2"
    ))
    .await
}
