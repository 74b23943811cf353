//! The queries of the ledger of usage and of its accounts.

use super::queries::{Case, Pooled, Query, control, kept, queries};
use db::Tenancy;
use foundation::balances::store as balances;
use foundation::usage::store as usage;
use wire::{UsageLimits, Usd};

/// Every line of a tenant's ledger.
fn ledger_lines(c: &Case) -> usage::Lines<'static> {
    usage::Lines { tenant: c.tenant, span: (c.long_ago(), c.now + chrono::Duration::days(1)), agent: None, model: None }
}

/// In the control database; kept apart by tenant.
pub const USAGE: &[Query] = queries! {
    "usage::used" |tx, c| usage::used(tx, c.tenant, c.now - chrono::Duration::days(9999)).await?.len();
    "usage::parts" |tx, c| usage::parts(tx, ledger_lines(c)).await?.len();
    "usage::exported" |tx, c| usage::exported(tx, ledger_lines(c)).await?.len();
    "usage::names" |tx, c| usage::names(tx, c.tenant, &[c.agent.0]).await?.len();
    "usage::accounts" |tx, c| usage::accounts(tx, c.tenant, c.long_ago(), 10).await?.len();
    "usage::credits" |tx, c| usage::credits(tx, c.tenant, 10).await?.len();
};

/// In the control database; kept apart by tenant and by user.
pub const USAGE_OF_USERS: &[Query] = queries! {
    "usage::of_agent" |tx, c| {
        usage::of_agent(tx, Tenancy { agent: c.agent, ..c.ctx.tenancy() }, (c.long_ago(), c.now + chrono::Duration::days(1))).await?.len()
    };
};

/// Run by the role that sees all tenants, for one of them.
pub fn pooled() -> Vec<Pooled> {
    vec![
        control("balances::left", |pool, c| Box::pin(async move { Ok(balances::left(pool, c.tenant, c.now).await?.len()) })),
        control("usage::set_limits", |pool, c| {
            let limits = UsageLimits { month_tokens: Some(1), ..UsageLimits::default() };
            kept!(pool, |tx| usage::set_limits(tx, c.tenant, None, limits, "x", c.now, c.now).await.map(|()| 0)?)
        }),
        control("usage::require_credit", |pool, c| {
            kept!(pool, |tx| usage::require_credit(tx, c.tenant, None, "y", c.now).await.map(|_| 0)?)
        }),
        control("usage::add_credit", |pool, c| {
            let (reason, created_by) = ("x".to_owned(), "x".to_owned());
            let credit =
                usage::StoredCredit { id: c.fresh, user_id: None, dollars: Usd::from_dollars(1), reason, created_at: c.now, created_by };
            kept!(pool, |tx| usage::add_credit(tx, c.tenant, &credit).await.map(|()| 0)?)
        }),
    ]
}
