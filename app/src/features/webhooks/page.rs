use super::{
    api::{BUTTON, Read, read_webhooks},
    words,
};
use crate::{
    Flash,
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{Choice, CopyText, Empty, FieldSet, PostForm, SelectField, Shape, TextField, Time, awaited, choice, fact, or_error, text},
};
use leptos::prelude::*;
use wire::{NoticeKind, OperatorRole, WEBHOOK_URL_MAX, Webhook, WebhookState};

/// What operators without the role see.
const NOT_ALLOWED: &str = "Reading this page requires the role “admin”. Ask an administrator for it.";

/// The page of webhooks: each with its state and its last delivery, and a form for a new one.
#[component]
pub fn WebhooksPage() -> impl IntoView {
    let (read, who) = (read_webhooks(), ViewerResource::shared());
    view! {
        <PageHead title="Webhooks">
            "Addresses that the server calls when something happens. It sends ids, and never the text of a memory."
        </PageHead>
        {awaited(async move {
            let answer = who.permitted(OperatorRole::Admin, NOT_ALLOWED, read).await;
            or_error(answer, |(viewer, read)| view! { <Whole read flash=viewer.refused() /> })
        })}
    }
}

#[component]
fn Whole(read: Read, flash: Option<Flash>) -> impl IntoView {
    let Read { webhooks, agents, secret } = read;
    let list = if webhooks.is_empty() {
        view! {
            <div class="card">
                <Empty shape=Shape::Events title="No webhooks yet">
                    <p>"Create one here, and the server calls its address when something happens."</p>
                </Empty>
            </div>
        }
        .into_any()
    } else {
        let rows = webhooks.into_iter().map(|webhook| view! { <Row webhook flash=flash.clone() /> }).collect_view();
        view! { <ul class="space-y-4" aria-label="Webhooks">{rows}</ul> }.into_any()
    };
    // A refused form of a webhook names it.
    let of_new = flash.filter(|flash| !Query::parse(&flash.typed).any(&["id", BUTTON]));
    view! {
        <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div class="mb-6 min-w-0 space-y-4">
                {secret.map(|secret| view! {
                    <CopyText id="new-secret" title="Signing secret" says="Copy it now and store it in a safe place. It is not shown again." text=secret once=true />
                })}
                {list}
            </div>
            <New agents flash=of_new />
        </div>
    }
}

/// One webhook: what it is called for, how its last delivery went, and what can be done with it.
#[component]
fn Row(webhook: Webhook, flash: Option<Flash>) -> impl IntoView {
    let id = webhook.id.to_string();
    let url = text::visible(&webhook.url);
    let events = webhook.events.iter().map(|event| event.as_str()).collect::<Vec<_>>().join(", ");
    let agent = webhook.agent.clone().unwrap_or_else(|| "every agent".into());
    let failed = webhook.reason.clone().or_else(|| webhook.error.clone());
    view! {
        <li class="card space-y-3 p-4" data-testid="webhook">
            <p class="flex flex-wrap items-baseline gap-x-2 gap-y-1">
                <span class="min-w-0 font-mono text-sm break-all">{url.clone()}</span>
                {words::state(webhook.state)}
            </p>
            <dl class="facts">
                {fact("Events", events)}
                {fact("Memory of", agent)}
                {fact("Last delivery", match webhook.delivered_at {
                    Some(at) => view! { <Time at /> }.into_any(),
                    None => view! { <span class="text-soft">"none yet"</span> }.into_any(),
                })}
                {failed.map(|why| fact("Last failure", view! { <span class="text-danger">{text::visible(&why)}</span> }))}
                {webhook.failing_since.map(|at| fact("Failing since", view! { <Time at /> }))}
                {webhook.previous_secret_until.map(|at| fact("Old secret until", view! { <Time at /> }))}
            </dl>
            <div class="flex flex-wrap items-start gap-2">
                <Switch id=id.clone() state=webhook.state url=url.clone() />
                <Change webhook flash />
                <Rotate id=id.clone() url=url.clone() />
                <Remove id url />
            </div>
        </li>
    }
}

/// The button that pauses a webhook, or makes it active.
#[component]
fn Switch(id: String, state: WebhookState, url: String) -> impl IntoView {
    let (next, word) = match state {
        WebhookState::Active => (WebhookState::Paused, "Pause"),
        WebhookState::Paused | WebhookState::Disabled => (WebhookState::Active, "Resume"),
    };
    view! {
        <PostForm action="/console/api/set_webhook_state" fields=[("id", id), ("state", next.to_string())]>
            <button class="button" type="submit" aria-label=format!("{word} webhook {url}")>
                {word}
            </button>
        </PostForm>
    }
}

/// The folded form that changes the address and the events. It is open if it was refused.
#[component]
fn Change(webhook: Webhook, flash: Option<Flash>) -> impl IntoView {
    let id = webhook.id.to_string();
    let refused = flash.as_ref().and_then(|flash| flash.refused_at(("id", id.as_str()), "url"));
    let no_events = flash.filter(|_| refused.is_some()).and_then(|flash| flash.field("events"));
    let open = refused.is_some();
    let (url, chosen, error) = match refused {
        Some((typed, error)) => (typed.text("url"), ticked(&typed), error),
        None => (webhook.url, webhook.events, None),
    };
    view! {
        <details class="min-w-0" open=open>
            <summary class="button">"Change…"</summary>
            <PostForm class="mt-2 space-y-3" action="/console/api/change_webhook" fields=[("id", id.clone())]>
                <TextField name="url" id=format!("url-{id}") label="Address" required=true most=WEBHOOK_URL_MAX value=url error />
                <Events chosen error=no_events />
                <button class="button button-primary" type="submit">
                    "Save webhook"
                </button>
            </PostForm>
        </details>
    }
}

#[component]
fn Rotate(id: String, url: String) -> impl IntoView {
    view! {
        <details class="min-w-0">
            <summary class="button">"Replace secret…"</summary>
            <PostForm class="mt-2 space-y-1" action="/console/api/rotate_webhook" fields=[("id", id)]>
                <p class="text-xs text-soft">"Makes a new secret and shows it once. The old one signs for 24 hours, too."</p>
                <button class="button" type="submit" aria-label=format!("Replace the secret of {url}")>
                    "Replace secret"
                </button>
            </PostForm>
        </details>
    }
}

#[component]
fn Remove(id: String, url: String) -> impl IntoView {
    view! {
        <details class="min-w-0">
            <summary class="button button-quiet">"Remove…"</summary>
            <PostForm class="mt-2 space-y-1" action="/console/api/remove_webhook" fields=[("id", id)]>
                <p class="text-xs text-soft">"Deliveries that wait are dropped. You cannot undo this."</p>
                <button class="button button-danger" type="submit" aria-label=format!("Remove webhook {url}")>
                    "Remove webhook"
                </button>
            </PostForm>
        </details>
    }
}

/// The form for a new webhook.
#[component]
fn New(agents: Vec<String>, flash: Option<Flash>) -> impl IntoView {
    let typed = flash.as_ref().map(|flash| Query::parse(&flash.typed)).unwrap_or_default();
    let error = move |field: &str| flash.as_ref().and_then(|flash| flash.field(field));
    let agents: Vec<Choice> = std::iter::once(choice("", "Every agent")).chain(agents.iter().map(|slug| choice(slug, slug))).collect();
    view! {
        <PostForm class="card space-y-3 p-4" action="/console/api/create_webhook" label="New webhook">
            <h2>"New webhook"</h2>
            <TextField
                name="url"
                label="Address"
                required=true
                most=WEBHOOK_URL_MAX
                hint="https://example.org/hook"
                note="An https address on the public internet. It must answer within five seconds, and redirects are not followed."
                value=typed.text("url")
                error=error("url")
            />
            <SelectField name="agent" label="Memory of" value=typed.text("agent") choices=agents error=error("agent") />
            <Events chosen=ticked(&typed) error=error("events") />
            <button class="button button-primary" type="submit">
                "Create webhook"
            </button>
        </PostForm>
    }
}

/// The events that were ticked in a refused form.
fn ticked(typed: &Query) -> Vec<NoticeKind> {
    NoticeKind::ALL.iter().copied().filter(|event| typed.get(event.as_str()).is_some()).collect()
}

#[component]
fn Events(chosen: Vec<NoticeKind>, error: Option<String>) -> impl IntoView {
    let ticks = NoticeKind::ALL.iter().map(|event| {
        let checked = chosen.contains(event);
        view! {
            <label class="flex items-start gap-2 text-sm">
                <input class="mt-1 shrink-0" type="checkbox" name="events[]" value=event.as_str() checked=checked />
                <span>{words::event(*event)} " " <code class="font-mono text-xs text-soft">{event.as_str()}</code></span>
            </label>
        }
    });
    let ticks = ticks.collect_view();
    view! { <FieldSet legend="Events" error>{ticks}</FieldSet> }
}
