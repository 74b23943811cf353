//! Webhooks, from the command line.

use super::Failure;
use clap::Subcommand;
use foundation::{Engine, identity, webhooks};
use wire::{MadeWebhook, NewWebhook, NoticeKind, WebhookId, WebhookSettings, WebhookState};

#[derive(Subcommand)]
pub enum Webhook {
    /// Create a webhook, and print its id and, once, its secret
    Create {
        /// The address that is called: https, on the public internet
        url: String,
        #[arg(long)]
        tenant: String,
        /// What it is called for, separated by commas: memory.stored, memory.changed, candidate.waiting, zero_hit.expected, job.dead,
        /// erasure.confirmed
        #[arg(long, value_delimiter = ',', required = true)]
        events: Vec<NoticeKind>,
        /// Call it for the memory of this agent only
        #[arg(long, value_name = "SLUG")]
        agent: Option<String>,
    },
    /// List webhooks with their state
    List {
        #[arg(long)]
        tenant: String,
    },
    /// Change the address or the events
    Change {
        id: WebhookId,
        #[arg(long)]
        tenant: String,
        #[arg(long)]
        url: Option<String>,
        #[arg(long, value_delimiter = ',')]
        events: Option<Vec<NoticeKind>>,
    },
    /// Stop calling a webhook; resume sends the events of the last day
    Pause {
        id: WebhookId,
        #[arg(long)]
        tenant: String,
    },
    /// Call a webhook again that was paused or disabled
    Resume {
        id: WebhookId,
        #[arg(long)]
        tenant: String,
    },
    /// Replace the secret, and print the new one once; the old one signs for 24 hours, too
    Rotate {
        id: WebhookId,
        #[arg(long)]
        tenant: String,
    },
    /// Remove a webhook
    Remove {
        id: WebhookId,
        #[arg(long)]
        tenant: String,
    },
}

pub async fn webhook(engine: &Engine, command: Webhook) -> Result<(), Failure> {
    match command {
        Webhook::Create { url, tenant, events, agent } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            print_made(&webhooks::add(engine, &ctx, NewWebhook { url, events, agent }).await?);
        }
        Webhook::List { tenant } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            webhooks::list(engine, &ctx).await?.iter().for_each(print);
        }
        Webhook::Change { id, tenant, url, events } => set(engine, &tenant, id, WebhookSettings { url, events, state: None }).await?,
        Webhook::Pause { id, tenant } => set(engine, &tenant, id, state(WebhookState::Paused)).await?,
        Webhook::Resume { id, tenant } => set(engine, &tenant, id, state(WebhookState::Active)).await?,
        Webhook::Rotate { id, tenant } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            print_made(&webhooks::rotate(engine, &ctx, id).await?);
        }
        Webhook::Remove { id, tenant } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            webhooks::remove(engine, &ctx, id).await?;
            println!("removed {id}");
        }
    }
    Ok(())
}

fn state(state: WebhookState) -> WebhookSettings {
    WebhookSettings { state: Some(state), ..WebhookSettings::default() }
}

async fn set(engine: &Engine, tenant: &str, id: WebhookId, settings: WebhookSettings) -> Result<(), Failure> {
    let ctx = identity::open_tenant(engine, tenant).await?;
    print(&webhooks::change(engine, &ctx, id, settings).await?);
    Ok(())
}

fn print_made(made: &MadeWebhook) {
    println!("webhook {}", made.webhook.id);
    if let Some(secret) = &made.secret {
        println!("secret {secret}");
    }
}

fn print(webhook: &wire::Webhook) {
    let events: Vec<&str> = webhook.events.iter().map(|event| event.as_str()).collect();
    let of = webhook.agent.as_deref().map(|agent| format!(" of {agent}")).unwrap_or_default();
    let why = webhook.reason.as_ref().or(webhook.error.as_ref()).map(|why| format!(": {why}")).unwrap_or_default();
    println!("{} {} {} for {}{of}{why}", webhook.id, webhook.state, webhook.url, events.join(", "));
}
