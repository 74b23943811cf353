//! SQL of the vocabulary as it is, or was, in force.

pub mod erasure;

use super::model::State;
use chrono::{DateTime, Utc};
use db::{DbError, Tx, sql};
use wire::TenantId;

/// The vocabulary's version; 0 before the first decision.
pub async fn version(tx: &mut Tx, tenant: TenantId) -> Result<i64, DbError> {
    Ok(tx.value_if_any(sql!([tenant], "select version from vocabularies where tenant_id = $1")).await?.unwrap_or(0))
}

/// The version in force at a moment; 0 before the first decision.
pub async fn version_at(tx: &mut Tx, tenant: TenantId, at: DateTime<Utc>) -> Result<i64, DbError> {
    tx.value(sql!([tenant, at], "select coalesce(max(version), 0) from decisions where tenant_id = $1 and at <= $2")).await
}

/// When the decision was made that produced a version. Imported decisions produced no version of this installation: theirs is 0.
pub async fn decided_at(tx: &mut Tx, tenant: TenantId, version: i64) -> Result<Option<DateTime<Utc>>, DbError> {
    tx.value(sql!([tenant, version], "select max(at) from decisions where tenant_id = $1 and version = $2 and version > 0")).await
}

/// Everything in force.
pub async fn state(tx: &mut Tx, tenant: TenantId) -> Result<State, DbError> {
    let terms = tx
        .rows(sql!(
            [tenant],
            r"select id, lineage, term, normal, definition, category, created_at, valid_from
            from canonical_terms where tenant_id = $1 and valid_to is null order by normal"
        ))
        .await?;
    let aliases = tx
        .rows(sql!(
            [tenant],
            "select id, term_id, alias, normal, valid_from from term_aliases where tenant_id = $1 and valid_to is null order by normal"
        ))
        .await?;
    Ok(State { terms, aliases })
}

/// Everything that was in force at a moment.
pub async fn state_at(tx: &mut Tx, tenant: TenantId, at: DateTime<Utc>) -> Result<State, DbError> {
    let terms = tx
        .rows(sql!(
            [tenant, at],
            r"select id, lineage, term, normal, definition, category, created_at, valid_from
            from canonical_terms where tenant_id = $1 and valid_from <= $2 and (valid_to is null or valid_to > $2) order by normal"
        ))
        .await?;
    let aliases = tx
        .rows(sql!(
            [tenant, at],
            r"select id, term_id, alias, normal, valid_from
            from term_aliases where tenant_id = $1 and valid_from <= $2 and (valid_to is null or valid_to > $2) order by normal"
        ))
        .await?;
    Ok(State { terms, aliases })
}
