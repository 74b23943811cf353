//! SQL of operators' saved views.

use chrono::{DateTime, Utc};
use db::{DbError, Tx, lock, lock_key, sql};
use wire::{OperatorId, SavedView, TenantId, ViewId, ViewPage, ViewSharing};

/// The views of a page that an operator sees, by name: the operator's own, then those that others share.
pub async fn views(tx: &mut Tx, tenant: TenantId, operator: OperatorId, page: ViewPage) -> Result<Vec<SavedView>, DbError> {
    let rows: Vec<(ViewId, String, String, ViewSharing, Option<String>)> = tx
        .rows(sql!(
            [tenant, operator, page],
            r"select v.id, v.name, v.query, v.sharing, case when v.operator_id <> $2 then o.name end
                from saved_views v join operators o on o.tenant_id = v.tenant_id and o.id = v.operator_id
               where v.tenant_id = $1 and v.page = $3 and (v.operator_id = $2 or v.sharing <> 'private')
               order by v.operator_id <> $2, lower(v.name), v.name, v.id"
        ))
        .await?;
    Ok(rows.into_iter().map(|(id, name, query, sharing, by)| SavedView { id, page, name, query, sharing, by }).collect())
}

/// Serialises saves by this operator, so that the number of views can be counted.
pub async fn lock_views(tx: &mut Tx, tenant: TenantId, operator: OperatorId) -> Result<(), DbError> {
    lock(tx, lock_key(&[b"views", tenant.0.as_bytes(), operator.0.as_bytes()])).await
}

/// How many views an operator keeps, over all pages.
pub async fn count_views(tx: &mut Tx, tenant: TenantId, operator: OperatorId) -> Result<i64, DbError> {
    tx.value(sql!([tenant, operator], "select count(*) from saved_views where tenant_id = $1 and operator_id = $2")).await
}

pub async fn insert_view(tx: &mut Tx, tenant: TenantId, operator: OperatorId, view: &SavedView, now: DateTime<Utc>) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, view.id, operator, view.page, &view.name, &view.query, now],
        "insert into saved_views (tenant_id, id, operator_id, page, name, query, created_at) values ($1, $2, $3, $4, $5, $6, $7)"
    ))
    .await
}

/// Renames a view; whether there was one of this operator.
pub async fn rename_view(tx: &mut Tx, tenant: TenantId, operator: OperatorId, id: ViewId, name: &str) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, operator, id, name],
        "update saved_views set name = $4 where tenant_id = $1 and operator_id = $2 and id = $3"
    ))
    .await
}

/// Who sees a view, if it is one of this operator or one that is shared. The row is locked.
pub async fn sharing(tx: &mut Tx, tenant: TenantId, operator: OperatorId, id: ViewId) -> Result<Option<ViewSharing>, DbError> {
    tx.value_if_any(sql!(
        [tenant, operator, id],
        r"select sharing from saved_views
           where tenant_id = $1 and id = $3 and (operator_id = $2 or sharing <> 'private') for update"
    ))
    .await
}

/// Changes who sees a view: one of this operator, or one that is shared; whether there was one.
pub async fn share_view(tx: &mut Tx, tenant: TenantId, operator: OperatorId, id: ViewId, sharing: ViewSharing) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, operator, id, sharing],
        r"update saved_views set sharing = $4
           where tenant_id = $1 and id = $3 and (operator_id = $2 or sharing <> 'private')"
    ))
    .await
}

/// Deletes a view and returns it, if there was one of this operator.
pub async fn delete_view(tx: &mut Tx, tenant: TenantId, operator: OperatorId, id: ViewId) -> Result<Option<SavedView>, DbError> {
    let deleted: Option<(ViewPage, String, String, ViewSharing)> = tx
        .row_if_any(sql!(
            [tenant, operator, id],
            "delete from saved_views where tenant_id = $1 and operator_id = $2 and id = $3 returning page, name, query, sharing"
        ))
        .await?;
    Ok(deleted.map(|(page, name, query, sharing)| SavedView { id, page, name, query, sharing, by: None }))
}
