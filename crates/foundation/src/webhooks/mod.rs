//! Webhooks: addresses that are called when something happens. What is sent has the form of the Standard Webhooks specification: an id, a time,
//! and a signature over both and the body. It holds ids and no text: whoever reads it needs a key to learn more.
//!
//! A delivery is an event of the one queue, with workers of its own: a receiver that hangs holds up no other one.

mod send;
pub mod store;
mod worker;

pub use send::deliver;
pub use worker::{run, work};

use crate::audit::{NewEntry, differences};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::idempotency::Once;
use crate::identity::{self, settle};
use crate::intake::Admitted;
use crate::op::OpContext;
use crate::outbound::Fault;
use chrono::TimeDelta;
use reqwest::Url;
use serde_json::json;
use verb::verb;
use wire::{
    AgentId, MadeWebhook, NewWebhook, NoticeKind, WEBHOOK_URL_MAX, WEBHOOKS_MAX, Webhook, WebhookId, WebhookSettings, WebhookState,
};

/// How long the secret before signs beside a new one.
const OVERLAP: TimeDelta = TimeDelta::hours(24);

/// The webhooks of the organisation, the oldest first.
///
/// # Errors
/// `Forbidden` without the role `admin`.
#[verb(role = Admin)]
pub async fn list(engine: &Engine, ctx: &OpContext) -> Result<Vec<Webhook>, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let mut webhooks = store::list(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    let now = engine.clock().now();
    for webhook in &mut webhooks {
        webhook.previous_secret_until = webhook.previous_secret_until.filter(|until| *until > now);
    }
    Ok(webhooks)
}

/// Forgets replaced secrets that sign no more, of every organisation.
///
/// # Errors
/// When the database is out of reach.
pub async fn sweep(engine: &Engine) -> Result<(), Error> {
    Ok(store::forget_secrets(engine.db().control.system(), engine.clock().now()).await?)
}

/// Makes a webhook. The answer has its secret, which is shown only once: a repeated request gets the same webhook without it. It is called
/// for what happens from now on.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid` for the address and without an event; `NotFound` for the agent; `Conflict` if there are 50
/// webhooks.
#[verb(role = Admin)]
pub async fn add(engine: &Engine, ctx: &OpContext, new: NewWebhook) -> Result<MadeWebhook, Error> {
    let new = admit(NewWebhook { events: distinct(new.events), ..new })?;
    check(&new.events)?;
    let url = address(engine, &new.url)?;
    let once = Once::new(engine, ctx, "admin.add_webhook", &new)?;
    if let Some(answer) = once.stored_answer(&engine.db().control).await? {
        return Ok(answer);
    }
    let agent_id = agent_of(engine, ctx, new.agent.as_deref()).await?;
    let mut tx = engine.db().control.begin_system().await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let (id, secret) = (WebhookId(engine.clock().id()), send::new_secret(engine));
    let row = store::NewRow { id, url: &url, events: &new.events, agent_id, secret: &secret };
    if !store::insert(&mut tx, ctx.tenant_id, &row, WEBHOOKS_MAX, engine.clock().now()).await? {
        return Err(Error::Conflict(format!("there are {WEBHOOKS_MAX} webhooks already: remove one first")));
    }
    let webhook = store::to_change(&mut tx, ctx.tenant_id, id).await?.ok_or(Error::NotFound("webhook"))?;
    let entry = NewEntry::new(engine, ctx, "webhook.created", "webhook", id, "webhook created").changes(differences(None, &webhook)?);
    let stored = MadeWebhook { webhook, secret: None };
    settle(engine, ctx, tx, &once, &[entry], &stored).await?;
    Ok(MadeWebhook { secret: Some(secret), ..stored })
}

/// Changes a webhook: its address, its events, or whether it is called. What waits for a paused webhook is sent when it is resumed: notices of
/// the last day, and deliveries of the last 32 hours. What happens or would be tried again while one is disabled is not sent later.
///
/// # Errors
/// `Forbidden` without the role `admin`; `NotFound`; `Invalid` for the address, without an event, and for the state `disabled`.
#[verb(role = Admin, %id)]
pub async fn change(engine: &Engine, ctx: &OpContext, id: WebhookId, settings: WebhookSettings) -> Result<Webhook, Error> {
    let request = Admitted::new(id)?.with(admit(settings)?);
    let settings = &request.1;
    let is_allowed = settings.state != Some(WebhookState::Disabled);
    Checks::default().that(is_allowed, "state", "must be active or paused: only the server disables a webhook").done()?;
    let once = Once::new(engine, ctx, "admin.change_webhook", &request)?;
    let mut tx = engine.db().control.begin_system().await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let before = store::to_change(&mut tx, ctx.tenant_id, id).await?.ok_or(Error::NotFound("webhook"))?;
    let mut after = before.clone();
    if let Some(events) = &settings.events {
        check(events)?;
        after.events = distinct(events.clone());
    }
    // One that stays is not checked: it may have been made when the server still called private addresses.
    if let Some(url) = settings.url.as_ref().filter(|url| url.trim() != before.url) {
        after.url = address(engine, url)?;
    }
    after.state = settings.state.unwrap_or(before.state);
    let resumes = before.state != WebhookState::Active && after.state == WebhookState::Active;
    // Also if it is paused first: what happened while it was disabled is not sent later.
    let begins = before.state == WebhookState::Disabled && after.state != WebhookState::Disabled;
    if after.state != WebhookState::Disabled {
        after.reason = None;
    }
    if resumes || after.url != before.url {
        (after.error, after.failing_since) = (None, None);
    }
    let mut entries = vec![];
    if after != before {
        store::update(&mut tx, ctx.tenant_id, &after, begins).await?;
        let entry = NewEntry::new(engine, ctx, "webhook.changed", "webhook", id, "webhook changed");
        entries.push(entry.changes(differences(Some(&before), &after)?));
    }
    settle(engine, ctx, tx, &once, &entries, &after).await?;
    Ok(after)
}

/// Gives a webhook a new secret, which is in the answer and shown only once. For 24 hours the secret before signs, too.
///
/// # Errors
/// `Forbidden` without the role `admin`; `NotFound`.
#[verb(role = Admin, %id)]
pub async fn rotate(engine: &Engine, ctx: &OpContext, id: WebhookId) -> Result<MadeWebhook, Error> {
    let once = Once::new(engine, ctx, "admin.rotate_webhook", &Admitted::new(id)?)?;
    let mut tx = engine.db().control.begin_system().await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let before = store::to_change(&mut tx, ctx.tenant_id, id).await?.ok_or(Error::NotFound("webhook"))?;
    let (secret, until) = (send::new_secret(engine), engine.clock().now() + OVERLAP);
    store::rotate(&mut tx, ctx.tenant_id, id, &secret, until).await?;
    let webhook = Webhook { previous_secret_until: Some(until), ..before.clone() };
    let entry = NewEntry::new(engine, ctx, "webhook.rotated", "webhook", id, "secret of the webhook replaced");
    let entry = entry.changes(differences(Some(&before), &webhook)?);
    let stored = MadeWebhook { webhook, secret: None };
    settle(engine, ctx, tx, &once, &[entry], &stored).await?;
    Ok(MadeWebhook { secret: Some(secret), ..stored })
}

/// Removes a webhook. What waits to be sent to it is dropped.
///
/// # Errors
/// `Forbidden` without the role `admin`; `NotFound`.
#[verb(role = Admin, %id)]
pub async fn remove(engine: &Engine, ctx: &OpContext, id: WebhookId) -> Result<(), Error> {
    let once = Once::new(engine, ctx, "admin.remove_webhook", &Admitted::new(id)?)?;
    let mut tx = engine.db().control.begin_system().await?;
    if once.claim::<bool>(&mut tx).await?.is_some() {
        return Ok(());
    }
    let before = store::to_change(&mut tx, ctx.tenant_id, id).await?.ok_or(Error::NotFound("webhook"))?;
    store::delete(&mut tx, ctx.tenant_id, id).await?;
    let gone = differences(Some(&json!({ "webhook": before })), &json!({ "webhook": null }))?;
    let entry = NewEntry::new(engine, ctx, "webhook.removed", "webhook", id, "webhook removed").changes(gone);
    settle(engine, ctx, tx, &once, &[entry], &true).await
}

/// Lets a request in. An address with a secret is refused: it is shown to every admin, and the signature proves who calls.
fn admit<T: serde::Serialize + serde::de::DeserializeOwned>(request: T) -> Result<Admitted<T>, Error> {
    let admitted = Admitted::new(request)?;
    match admitted.removed().first() {
        Some(kind) => Err(Error::invalid("url", format!("holds a secret ({kind}): use the signature to check who calls"))),
        None => Ok(admitted),
    }
}

/// Events in one order, each once: a list that only names them otherwise changes nothing.
fn distinct(mut events: Vec<NoticeKind>) -> Vec<NoticeKind> {
    events.sort_unstable();
    events.dedup();
    events
}

fn check(events: &[NoticeKind]) -> Result<(), Error> {
    Checks::default().that(!events.is_empty(), "events", "must hold at least one event").done()
}

/// The address in its usual form.
fn address(engine: &Engine, url: &str) -> Result<String, Error> {
    let url = url.trim().parse::<Url>().map_or_else(|_| url.to_owned(), String::from);
    Checks::default().text("url", &url, WEBHOOK_URL_MAX).done()?;
    engine.outbound().check(&url).map_err(|fault| {
        Error::invalid(
            "url",
            match fault {
                Fault::Private => "leads into a private network: use a public address, or set ALLOW_PRIVATE_ADDRESSES on the server",
                _ => "must be an https address without a user name, a password and a fragment",
            },
        )
    })?;
    Ok(url)
}

/// The agent with a slug, which may be the commons.
async fn agent_of(engine: &Engine, ctx: &OpContext, slug: Option<&str>) -> Result<Option<AgentId>, Error> {
    match slug {
        Some(slug) => Ok(Some(identity::agent_by_slug(engine, ctx, slug).await?.id)),
        None => Ok(None),
    }
}
