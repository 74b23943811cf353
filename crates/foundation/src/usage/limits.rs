//! Limits of accounts: credit that an admin grants, and monthly quotas.

use super::report::Names;
use super::store::{self, StoredAccount, StoredCredit};
use crate::audit::{self, NewEntry};
use crate::balances::{self, Left, Price, month};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::identity::known_user;
use crate::intake::Reason;
use crate::jobs;
use crate::op::OpContext;
use async_recursion::async_recursion as boxed;
use chrono::{DateTime, Utc};
use db::Tx;
use serde_json::json;
use tracing::instrument;
use uuid::Uuid;
use verb::verb;
use wire::{Account, Balances, Credit, DOLLARS_MAX, REASON_MAX, TITLE_MAX, TOKENS_MAX, TenantId, UsageLimits, Usd, UserId, UserRef};

/// Accounts, and grants, that the page lists.
const LISTED: i64 = 100;

/// The accounts that have limits, with what is left, and the latest grants.
#[verb(role = Viewer)]
pub async fn balances(engine: &Engine, ctx: &OpContext) -> Result<Balances, Error> {
    super::flush(engine).await?;
    let now = engine.clock().now();
    let mut tx = engine.db().control.begin_snapshot(ctx.tenancy()).await?;
    let accounts = store::accounts(&mut tx, ctx.tenant_id, month(now), LISTED).await?;
    let credits = store::credits(&mut tx, ctx.tenant_id, LISTED).await?;
    let users = accounts.iter().map(|account| account.user_id).chain(credits.iter().map(|credit| credit.user_id));
    let users: Vec<Uuid> = users.flatten().map(|user| user.0).collect();
    let names = Names::read(&mut tx, ctx, &users).await?;
    tx.commit().await?;
    let name = |user: Option<UserId>| names.of(user.map_or(Uuid::nil(), |user| user.0));
    let account = |one: StoredAccount| {
        let credit = one.needs_credit.then_some(one.credit);
        let exhausted = left(&one).exhausted(Default::default(), now);
        let limits = UsageLimits { needs_credit: one.needs_credit, month_dollars: one.month_dollars, month_tokens: one.month_tokens };
        let (used_dollars, used_tokens) = (one.used_dollars, one.used_tokens);
        Account { user_id: one.user_id, name: name(one.user_id), limits, credit, used_dollars, used_tokens, exhausted }
    };
    let credit = |one: StoredCredit| Credit {
        user_id: one.user_id,
        name: name(one.user_id),
        dollars: one.dollars,
        reason: one.reason,
        at: one.created_at,
        by: one.created_by,
    };
    Ok(Balances { accounts: accounts.into_iter().map(account).collect(), credits: credits.into_iter().map(credit).collect() })
}

/// How many accounts have used up their credit or a quota, of the latest changed ones, as far as the ledger is written.
pub async fn exhausted(tx: &mut Tx, tenant: TenantId, now: DateTime<Utc>) -> Result<i64, Error> {
    let accounts = store::accounts(tx, tenant, month(now), LISTED).await?;
    Ok(accounts.iter().filter(|one| left(one).exhausted(Default::default(), now).is_some()).count() as i64)
}

fn left(one: &StoredAccount) -> Left {
    Left {
        user_id: one.user_id,
        credit: one.needs_credit.then_some(one.credit),
        month_dollars: one.month_dollars.map(|quota| quota - one.used_dollars),
        month_tokens: one.month_tokens.map(|quota| quota - one.used_tokens),
    }
}

/// Grants credit to the organisation or to a user, or corrects it by an amount below 0. From then on calls of paid models need credit. Work
/// that waits for it is tried again at once.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid` for an amount of 0 or beyond [`DOLLARS_MAX`], for a reason that is empty or longer than
/// [`REASON_MAX`], and for an unknown user.
#[verb(role = Admin)]
pub async fn grant_credit(engine: &Engine, ctx: &OpContext, user: Option<&UserRef>, dollars: Usd, reason: &str) -> Result<(), Error> {
    let fits = dollars != Usd::ZERO && (Usd::ZERO - DOLLARS_MAX..=DOLLARS_MAX).contains(&dollars);
    let message = format!("must be an amount other than 0, from -{DOLLARS_MAX} to {DOLLARS_MAX} US dollars");
    Checks::default().that(fits, "dollars", message).text("reason", reason, REASON_MAX).done()?;
    let reason = &Reason::new(reason);
    let user_id = account(engine, ctx, user).await?;
    // What was called before the first grant is not charged to it.
    super::flush(engine).await?;
    let now = engine.clock().now();
    let by = ctx.actor.name();
    let mut tx = engine.db().control.begin_system().await?;
    if !store::require_credit(&mut tx, ctx.tenant_id, user_id, by, now).await? {
        let limits = UsageLimits { needs_credit: true, ..UsageLimits::default() };
        store::set_limits(&mut tx, ctx.tenant_id, user_id, limits, by, now, month(now)).await?;
    }
    let id = engine.clock().id();
    let credit = StoredCredit { id, user_id, dollars, reason: reason.as_str().to_owned(), created_at: now, created_by: by.to_owned() };
    store::add_credit(&mut tx, ctx.tenant_id, &credit).await?;
    let (action, message) = match dollars > Usd::ZERO {
        true => ("usage.credit_granted", format!("{dollars} US dollars of credit granted")),
        false => ("usage.credit_corrected", format!("credit corrected by {dollars} US dollars")),
    };
    finish(engine, tx, ctx, entry(engine, ctx, action, user_id, message).reason(Some(reason))).await
}

/// Sets the limits of the organisation or of a user. They hold for calls of paid models from then on.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid` for a quota below 0 or beyond [`DOLLARS_MAX`] or [`TOKENS_MAX`], and for an unknown user.
#[verb(role = Admin)]
pub async fn set_limits(engine: &Engine, ctx: &OpContext, user: Option<&UserRef>, limits: UsageLimits) -> Result<(), Error> {
    let fits = limits.month_dollars.is_none_or(|quota| (Usd::ZERO..=DOLLARS_MAX).contains(&quota));
    Checks::default()
        .that(fits, "month_dollars", format!("must be an amount from 0 to {DOLLARS_MAX} US dollars"))
        .that(
            limits.month_tokens.is_none_or(|quota| (0..=TOKENS_MAX).contains(&quota)),
            "month_tokens",
            format!("must be a number from 0 to {TOKENS_MAX}"),
        )
        .done()?;
    let user_id = account(engine, ctx, user).await?;
    super::flush(engine).await?;
    let now = engine.clock().now();
    let mut tx = engine.db().control.begin_system().await?;
    store::set_limits(&mut tx, ctx.tenant_id, user_id, limits, ctx.actor.name(), now, month(now)).await?;
    let changes = serde_json::to_value(limits).map_err(Error::failed("limits cannot be serialised"))?;
    let entry = entry(engine, ctx, "usage.limits_set", user_id, "limits of model calls changed".into());
    finish(engine, tx, ctx, entry.changes(json!({ "limits": changes }))).await
}

/// Sets what a model costs, for every organisation of this server. Calls of a model without a price, or with one of 0, are free and never
/// refused. Running servers notice within a few seconds.
///
/// # Errors
/// `Invalid` for a model without a name, and for a price below 0 or beyond [`DOLLARS_MAX`].
#[boxed]
#[instrument(skip_all)]
pub async fn set_price(engine: &Engine, model: &str, price: Price) -> Result<(), Error> {
    let message = format!("must be an amount from 0 to {DOLLARS_MAX} US dollars for a million tokens");
    let fits = |amount: Usd| (Usd::ZERO..=DOLLARS_MAX).contains(&amount);
    Checks::default()
        .text("model", model, TITLE_MAX)
        .that(fits(price.input), "input", message.clone())
        .that(fits(price.output), "output", message)
        .done()?;
    let control = engine.db().control.system();
    store::set_price(control, model, price).await?;
    engine.accounts().set_prices(balances::store::prices(control).await?);
    Ok(())
}

/// The account of the organisation, or of a user whom the organisation knows.
async fn account(engine: &Engine, ctx: &OpContext, user: Option<&UserRef>) -> Result<Option<UserId>, Error> {
    let Some(named) = user else { return Ok(None) };
    let user = known_user(engine, ctx, named).await?.filter(|user| !user.0.is_nil() && !user.0.is_max());
    user.map(Some).ok_or_else(|| Error::invalid("user", "is not a user of the organisation: give a reference or an id"))
}

fn entry(engine: &Engine, ctx: &OpContext, action: &str, user: Option<UserId>, message: String) -> NewEntry {
    match user {
        Some(user) => NewEntry::new(engine, ctx, action, "user", user, message),
        None => NewEntry::new(engine, ctx, action, "tenant", ctx.tenant_id, message),
    }
}

/// Commits a change with its audit row, and tries work again that waited for it.
async fn finish(engine: &Engine, mut tx: Tx, ctx: &OpContext, entry: NewEntry) -> Result<(), Error> {
    audit::append_in(engine, &mut tx, ctx.tenant_id, &[entry]).await?;
    tx.commit().await?;
    engine.accounts().forget(ctx.tenant_id);
    for database in [&engine.db().memory, &engine.db().kb] {
        if let Err(error) = jobs::store::hasten(database.system(), ctx.tenant_id, engine.clock().now()).await {
            tracing::warn!(%error, "jobs that wait for a balance are tried again within an hour, not at once");
        }
    }
    engine.jobs().wake();
    engine.captures().wake();
    Ok(())
}
