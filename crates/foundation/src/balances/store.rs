//! SQL of prices and of what the limits of accounts leave.

use super::accounts::{Left, Price};
use chrono::{DateTime, Utc};
use db::{DbError, SystemPool, sql};
use std::collections::HashMap;
use uuid::Uuid;
use wire::{TenantId, Usd};

/// The prices of models that cost something.
pub async fn prices(pool: &SystemPool) -> Result<HashMap<String, Price>, DbError> {
    let rows: Vec<(String, Usd, Usd)> = pool
        .rows(sql!([], "select model, input_microusd, output_microusd from model_prices where input_microusd > 0 or output_microusd > 0"))
        .await?;
    Ok(rows.into_iter().map(|(model, input, output)| (model, Price { input, output })).collect())
}

/// What the limits of a tenant's accounts leave, as the ledger was written last.
pub async fn left(pool: &SystemPool, tenant: TenantId, month: DateTime<Utc>) -> Result<Vec<Left>, DbError> {
    pool.rows(sql!(
        [tenant, month, Uuid::nil()],
        r"select nullif(a.user_id, $3) as user_id,
                 case when a.needs_credit then
                      coalesce((select sum(c.amount_microusd)::bigint from usage_credits c
                                 where c.tenant_id = a.tenant_id and c.user_id = a.user_id), 0)
                      - a.spent_microusd end as credit_microusd,
                 a.month_microusd - case when a.month >= $2 then a.used_microusd else 0 end as month_microusd,
                 a.month_tokens - case when a.month >= $2 then a.used_tokens else 0 end as month_tokens
            from usage_accounts a
           where a.tenant_id = $1 and (a.needs_credit or a.month_microusd is not null or a.month_tokens is not null)"
    ))
    .await
}
