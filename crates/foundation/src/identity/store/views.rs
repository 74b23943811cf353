//! SQL of operators' saved views.

use chrono::{DateTime, Utc};
use db::{DbError, Tx, lock, lock_key};
use wire::{OperatorId, SavedView, TenantId, ViewId, ViewPage};

/// An operator's views of a page, by name.
pub async fn views(tx: &mut Tx, tenant: TenantId, operator: OperatorId, page: ViewPage) -> Result<Vec<SavedView>, DbError> {
    let rows: Vec<(ViewId, String, String)> = sqlx::query_as(
        r"select id, name, query from saved_views
           where tenant_id = $1 and operator_id = $2 and page = $3 order by lower(name), name",
    )
    .bind(tenant)
    .bind(operator)
    .bind(page)
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.into_iter().map(|(id, name, query)| SavedView { id, page, name, query }).collect())
}

/// Serialises saves by this operator, so that the number of views can be counted.
pub async fn lock_views(tx: &mut Tx, tenant: TenantId, operator: OperatorId) -> Result<(), DbError> {
    lock(tx, lock_key(&[b"views", tenant.0.as_bytes(), operator.0.as_bytes()])).await
}

/// How many views an operator keeps, over all pages.
pub async fn count_views(tx: &mut Tx, tenant: TenantId, operator: OperatorId) -> Result<i64, DbError> {
    Ok(sqlx::query_scalar("select count(*) from saved_views where tenant_id = $1 and operator_id = $2")
        .bind(tenant)
        .bind(operator)
        .fetch_one(&mut **tx)
        .await?)
}

/// Inserts a view.
pub async fn insert_view(tx: &mut Tx, tenant: TenantId, operator: OperatorId, view: &SavedView, now: DateTime<Utc>) -> Result<(), DbError> {
    sqlx::query("insert into saved_views (tenant_id, id, operator_id, page, name, query, created_at) values ($1, $2, $3, $4, $5, $6, $7)")
        .bind(tenant)
        .bind(view.id)
        .bind(operator)
        .bind(view.page)
        .bind(&view.name)
        .bind(&view.query)
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Renames a view; whether there was one of this operator.
pub async fn rename_view(tx: &mut Tx, tenant: TenantId, operator: OperatorId, id: ViewId, name: &str) -> Result<bool, DbError> {
    let done = sqlx::query("update saved_views set name = $4 where tenant_id = $1 and operator_id = $2 and id = $3")
        .bind(tenant)
        .bind(operator)
        .bind(id)
        .bind(name)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// Deletes a view and returns it, if there was one of this operator.
pub async fn delete_view(tx: &mut Tx, tenant: TenantId, operator: OperatorId, id: ViewId) -> Result<Option<SavedView>, DbError> {
    let deleted: Option<(ViewPage, String, String)> =
        sqlx::query_as("delete from saved_views where tenant_id = $1 and operator_id = $2 and id = $3 returning page, name, query")
            .bind(tenant)
            .bind(operator)
            .bind(id)
            .fetch_optional(&mut **tx)
            .await?;
    Ok(deleted.map(|(page, name, query)| SavedView { id, page, name, query }))
}
