use super::input;
use crate::{
    ConsoleError, Flash,
    guard::{invalid, operator},
    query::Query,
    submit::submit,
};
use foundation::usage as ledger;
use leptos::prelude::*;
use wire::{Balances, UsageFilter, UsageReport, Usd};

const PAGE: &str = "/usage";

/// What calls of models cost in a period.
pub async fn usage(filter: UsageFilter) -> Result<UsageReport, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(ledger::overview(&engine, &ctx, &filter).await?)
}

/// The accounts with limits, and the latest grants.
pub async fn read_balances() -> Result<Balances, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(ledger::balances(&engine, &ctx).await?)
}

/// Grants credit to the organisation or to a user, then redirects to the page.
#[server(endpoint = "grant_credit")]
pub async fn grant_credit(
    #[server(default)] user: String,
    #[server(default)] dollars: String,
    #[server(default)] reason: String,
) -> Result<(), ConsoleError> {
    let typed = Query::default().with("form", "grant").with("user", &user).with("dollars", &dollars).with("reason", &reason);
    submit(PAGE, typed, |engine, ctx| async move {
        let (user, amount) = input::grant(&user, &dollars).map_err(invalid)?;
        ledger::grant_credit(&engine, &ctx, user.as_ref(), amount, &reason).await?;
        Ok(Flash::done(if amount > Usd::ZERO { "The credit was granted." } else { "The credit was corrected." }))
    })
    .await
}

/// Sets the limits of the organisation or of a user, then redirects to the page.
#[server(endpoint = "set_limits")]
pub async fn set_limits(
    #[server(default)] user: String,
    #[server(default)] account: String,
    #[server(default)] month_dollars: String,
    #[server(default)] month_tokens: String,
    #[server(default)] needs_credit: bool,
) -> Result<(), ConsoleError> {
    let typed = Query::default()
        .with("form", "limits")
        .with("user", &user)
        .with("account", &account)
        .with("month_dollars", &month_dollars)
        .with("month_tokens", &month_tokens)
        .with("needs_credit", if needs_credit { "true" } else { "" });
    let form = Query::default().with("user", &user).href(PAGE);
    submit((PAGE, &form), typed, |engine, ctx| async move {
        let (whose, limits) = input::limits((&account, !user.is_empty()), &month_dollars, &month_tokens, needs_credit).map_err(invalid)?;
        ledger::set_limits(&engine, &ctx, whose.as_ref(), limits).await?;
        Ok(Flash::done("The limits were saved. They apply from the next call on."))
    })
    .await
}
