//! SQL of accounts, their credit, and prices.

use crate::balances::Price;
use chrono::{DateTime, Utc};
use db::{DbError, SystemPool, Tx, insert, sql};
use sqlx::FromRow;
use uuid::Uuid;
use wire::{TenantId, UsageLimits, Usd, UserId};

/// Sets what a model costs from now on.
pub async fn set_price(pool: &SystemPool, model: &str, price: Price) -> Result<(), DbError> {
    pool.run(sql!(
        [model, price.input, price.output],
        r"insert into model_prices (model, input_microusd, output_microusd) values ($1, $2, $3)
          on conflict (model) do update set input_microusd = excluded.input_microusd, output_microusd = excluded.output_microusd"
    ))
    .await
}

/// Sets the limits of an account. A new account counts what was used in its month so far.
pub async fn set_limits(
    tx: &mut Tx,
    tenant: TenantId,
    user: Option<UserId>,
    limits: UsageLimits,
    by: &str,
    now: DateTime<Utc>,
    month: DateTime<Utc>,
) -> Result<(), DbError> {
    tx.run(sql!(
        [
            tenant,
            user.map_or(Uuid::nil(), |user| user.0),
            limits.needs_credit,
            limits.month_dollars,
            limits.month_tokens,
            month,
            now,
            by,
            Uuid::nil()
        ],
        r"insert into usage_accounts (tenant_id, user_id, needs_credit, spent_microusd, month_microusd, month_tokens, month,
                 used_microusd,
                                      used_tokens, updated_at, updated_by)
          select $1, $2, $3, 0, $4, $5, $6, coalesce(sum(l.cost_microusd), 0)::bigint,
               coalesce(sum(l.tokens_in + l.tokens_out), 0)::bigint,
                 $7, $8
            from usage_ledger l
           where l.tenant_id = $1 and l.hour >= $6 and ($2 = $9 or l.user_id = $2)
             -- a model without a price counts towards no limit; a call of the others may cost less than a micro-dollar
             and (l.cost_microusd > 0 or exists (select 1 from model_prices p where p.model = l.model and (p.input_microusd > 0
                  or p.output_microusd > 0)))
          on conflict (tenant_id, user_id) do update
             set needs_credit = excluded.needs_credit, month_microusd = excluded.month_microusd, month_tokens = excluded.month_tokens,
                 updated_at = excluded.updated_at, updated_by = excluded.updated_by"
    ))
    .await
}

/// Makes calls need credit from now on, and leaves the quotas of the account as they are; false if there is no such account.
pub async fn require_credit(tx: &mut Tx, tenant: TenantId, user: Option<UserId>, by: &str, now: DateTime<Utc>) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, user.map_or(Uuid::nil(), |user| user.0), now, by],
        "update usage_accounts set needs_credit = true, updated_at = $3, updated_by = $4 where tenant_id = $1 and user_id = $2"
    ))
    .await
}

/// A grant, or a correction below 0.
#[derive(Clone, Debug, FromRow)]
pub struct StoredCredit {
    pub id: Uuid,
    /// `None`: the organisation.
    pub user_id: Option<UserId>,
    #[sqlx(rename = "amount_microusd")]
    pub dollars: Usd,
    pub reason: String,
    pub created_at: DateTime<Utc>,
    pub created_by: String,
}

/// Adds a grant or a correction.
pub async fn add_credit(tx: &mut Tx, tenant: TenantId, credit: &StoredCredit) -> Result<(), DbError> {
    let query = insert!("insert into usage_credits" {
        tenant_id: tenant,
        id: credit.id,
        user_id: credit.user_id.map_or(Uuid::nil(), |user| user.0),
        amount_microusd: credit.dollars,
        reason: &credit.reason,
        created_at: credit.created_at,
        created_by: &credit.created_by,
    } "");
    tx.run(query).await
}

/// The latest grants and corrections of a tenant.
pub async fn credits(tx: &mut Tx, tenant: TenantId, most: i64) -> Result<Vec<StoredCredit>, DbError> {
    tx.rows(sql!(
        [tenant, most, Uuid::nil()],
        r"select id, nullif(user_id, $3) as user_id, amount_microusd, reason, created_at, created_by
            from usage_credits where tenant_id = $1 order by created_at desc, id desc limit $2"
    ))
    .await
}

/// An account with its limits.
#[derive(Clone, Debug, FromRow)]
pub struct StoredAccount {
    /// `None`: the organisation.
    pub user_id: Option<UserId>,
    pub needs_credit: bool,
    #[sqlx(rename = "month_microusd")]
    pub month_dollars: Option<Usd>,
    pub month_tokens: Option<i64>,
    /// What is left of the credit.
    #[sqlx(rename = "credit_microusd")]
    pub credit: Usd,
    #[sqlx(rename = "used_microusd")]
    pub used_dollars: Usd,
    pub used_tokens: i64,
}

/// The accounts of a tenant that have a limit: the organisation's first, then the latest changed ones.
pub async fn accounts(tx: &mut Tx, tenant: TenantId, month: DateTime<Utc>, most: i64) -> Result<Vec<StoredAccount>, DbError> {
    tx.rows(sql!(
        [tenant, month, Uuid::nil(), most],
        r"select nullif(a.user_id, $3) as user_id, a.needs_credit, a.month_microusd, a.month_tokens,
                 coalesce((select sum(c.amount_microusd)::bigint from usage_credits c
                            where c.tenant_id = a.tenant_id and c.user_id = a.user_id), 0)
                 - a.spent_microusd as credit_microusd,
                 case when a.month >= $2 then a.used_microusd else 0 end as used_microusd,
                 case when a.month >= $2 then a.used_tokens else 0 end as used_tokens
            from usage_accounts a
           where a.tenant_id = $1 and (a.needs_credit or a.month_microusd is not null or a.month_tokens is not null)
           order by a.user_id <> $3, a.updated_at desc, a.user_id limit $4"
    ))
    .await
}
