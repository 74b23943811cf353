use crate::{ConsoleError, Flash, guard::operator, once, query::Query, submit::submit};
use foundation::{identity, webhooks};
use leptos::prelude::*;
use wire::{NewWebhook, NoticeKind, Webhook, WebhookId, WebhookSettings, WebhookState};

const PAGE: &str = "/webhooks";

/// Names the webhook of a refused form without fields.
pub const BUTTON: &str = "webhook";

/// What the page shows.
pub struct Read {
    pub webhooks: Vec<Webhook>,
    /// The slugs of the agents, that of the commons too.
    pub agents: Vec<String>,
    /// A secret that was just made. Nobody can read it again.
    pub secret: Option<String>,
}

pub async fn read_webhooks() -> Result<Read, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let webhooks = webhooks::list(&engine, &ctx).await?;
    let agents = identity::all_agents(&engine, &ctx).await?.into_iter().map(|agent| agent.slug).collect();
    Ok(Read { webhooks, agents, secret: once::take(PAGE).await })
}

/// What was typed into a form, with each ticked event under its name.
fn typed(url: &str, events: &[NoticeKind]) -> Query {
    events.iter().fold(Query::default().with("url", url), |typed, event| typed.with(event.as_str(), "on"))
}

/// Makes a webhook, then redirects to the page, which shows its secret once.
#[server(endpoint = "create_webhook")]
pub async fn create_webhook(
    #[server(default)] url: String,
    #[server(default)] events: Vec<NoticeKind>,
    #[server(default)] agent: String,
) -> Result<(), ConsoleError> {
    submit(PAGE, typed(&url, &events).with("agent", &agent), |engine, ctx| async move {
        let agent = Some(agent).filter(|agent| !agent.is_empty());
        let made = webhooks::add(&engine, &ctx, NewWebhook { url, events, agent }).await?;
        once::show(PAGE, made.secret, "Created the webhook. Copy its secret now: it is shown once.").await
    })
    .await
}

/// Changes the address and the events of a webhook, then redirects to the page.
#[server(endpoint = "change_webhook")]
pub async fn change_webhook(
    id: WebhookId,
    #[server(default)] url: String,
    #[server(default)] events: Vec<NoticeKind>,
) -> Result<(), ConsoleError> {
    submit(PAGE, typed(&url, &events).with("id", id), |engine, ctx| async move {
        let settings = WebhookSettings { url: Some(url), events: Some(events), state: None };
        webhooks::change(&engine, &ctx, id, settings).await?;
        Ok(Flash::done("Saved the webhook."))
    })
    .await
}

/// Pauses a webhook or makes it active, then redirects to the page.
#[server(endpoint = "set_webhook_state")]
pub async fn set_webhook_state(id: WebhookId, state: WebhookState) -> Result<(), ConsoleError> {
    submit(PAGE, Query::default().with(BUTTON, id), |engine, ctx| async move {
        let settings = WebhookSettings { state: Some(state), ..WebhookSettings::default() };
        webhooks::change(&engine, &ctx, id, settings).await?;
        Ok(Flash::done(match state {
            WebhookState::Active => "The webhook is active. The server calls its address again.",
            _ => "The webhook is paused. Resume sends the events of the last day.",
        }))
    })
    .await
}

/// Replaces the secret of a webhook, then redirects to the page, which shows the new one once.
#[server(endpoint = "rotate_webhook")]
pub async fn rotate_webhook(id: WebhookId) -> Result<(), ConsoleError> {
    submit(PAGE, Query::default().with(BUTTON, id), |engine, ctx| async move {
        let made = webhooks::rotate(&engine, &ctx, id).await?;
        once::show(PAGE, made.secret, "Replaced the secret. The old one signs for 24 hours, too. Copy the new one now: it is shown once.")
            .await
    })
    .await
}

/// Removes a webhook, then redirects to the page.
#[server(endpoint = "remove_webhook")]
pub async fn remove_webhook(id: WebhookId) -> Result<(), ConsoleError> {
    submit(PAGE, Query::default().with(BUTTON, id), |engine, ctx| async move {
        webhooks::remove(&engine, &ctx, id).await?;
        Ok(Flash::done("Removed the webhook. Nothing more is sent to its address."))
    })
    .await
}
