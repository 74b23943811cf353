use super::{
    agents,
    api::{KeyRead, connects, read_key},
    hosts::{HOSTS, Host},
};
use crate::{
    Flash,
    features::session::Viewer,
    guard::by_id,
    layout::{Crumb, PageHead, ViewerResource},
    query::{Query, use_param, use_query},
    ui::{Choice, CopyText, Empty, Icon, PostForm, SelectField, Shape, TextField, Time, awaited, choice, or_error, or_missing},
};
use leptos::prelude::*;
use leptos_meta::Title;
use wire::{AgentSummary, KeyId, OperatorRole, USER_REF_MAX};

/// What operators without the role see.
const NOT_ALLOWED: &str = "Connecting an agent makes a key, which requires the role “admin”. Ask an administrator for it.";
/// The placeholder in the lines for a key that was shown before.
const GONE: &str = "YOUR_KEY";

/// The page that makes a key for an agent in a host.
#[component]
pub fn ConnectPage() -> impl IntoView {
    let (list, who, query) = (agents(), ViewerResource::shared(), use_query());
    view! {
        <Crumb href="/agents" text="Agents" />
        <PageHead title="Connect an agent">"Choose where the agent runs. You get a key and the lines to copy."</PageHead>
        {awaited(async move {
            let answer = who.permitted(OperatorRole::Admin, NOT_ALLOWED, list).await;
            or_error(answer, |(viewer, agents)| {
                let agents: Vec<AgentSummary> = agents.into_iter().filter(connects).collect();
                match agents.is_empty() {
                    true => view! { <div class="card max-w-xl"><NoAgent /></div> }.into_any(),
                    false => view! { <Form viewer agents query /> }.into_any(),
                }
            })
        })}
    }
}

#[component]
fn NoAgent() -> impl IntoView {
    view! {
        <Empty shape=Shape::Agents title="No agents yet">
            <p class="mb-3">"Make an agent first. A key belongs to one agent."</p>
            <a class="button" href="/agents">"Make an agent"</a>
        </Empty>
    }
}

#[component]
fn Form(viewer: Viewer, agents: Vec<AgentSummary>, query: Query) -> impl IntoView {
    let flash = viewer.refused();
    let typed = flash.as_ref().map_or(query, |flash| Query::parse(&flash.typed));
    let error = |name: &str| flash.as_ref().and_then(|flash: &Flash| flash.field(name));
    let agents: Vec<Choice> = agents.into_iter().map(|agent| (agent.id.to_string(), agent.slug)).collect();
    let hosts: Vec<Choice> = HOSTS.iter().map(|host| choice(host.slug, host.name)).collect();
    let (no_host, nobody) = (error("host"), error("user").or_else(|| error("user_id")));
    view! {
        <PostForm class="card max-w-xl space-y-4 p-5" action="/console/api/connect_agent" label="Connect an agent">
            <SelectField name="agent" label="Agent" value=typed.text("agent") choices=agents />
            <SelectField name="host" label="Where it runs" value=typed.text("host") choices=hosts error=no_host />
            <TextField
                name="user"
                label="Only for the user"
                optional=true
                value=typed.text("user")
                most=USER_REF_MAX
                note="The id or your own reference of the person for whom the agent works. Others cannot be reached with the key."
                error=nobody
            />
            <p class="text-sm text-soft">
                "The key can read, write and delete memories, capture texts, read documents and propose terms, and it does not expire. For other \
                rights, make a key on the page of the agent."
            </p>
            <button class="button button-primary" type="submit">"Make key and show lines"</button>
        </PostForm>
    }
}

/// The page with the lines for a host, which waits for the first call with the key.
#[component]
pub fn ConnectedPage() -> impl IntoView {
    let read = by_id(use_param::<KeyId>("key"), read_key, "No key has this id.");
    let (who, host) = (ViewerResource::shared(), Host::named(&use_query().text("host")));
    view! {
        <Crumb href="/agents/connect" text="Connect an agent" />
        {awaited(async move {
            let answer = who.permitted(OperatorRole::Admin, NOT_ALLOWED, read).await;
            or_missing("Connect an agent", answer, |(_, read)| view! { <Connected read host /> })
        })}
    }
}

#[component]
fn Connected(read: KeyRead, host: Option<&'static Host>) -> impl IntoView {
    let KeyRead { key, agent, secret, public_url } = read;
    let host = host.unwrap_or(&HOSTS[0]);
    let here = Query::default().with("host", host.slug).href(&format!("/agents/connect/{}", key.id));
    let once = secret.is_some();
    let shown = secret.unwrap_or_else(|| GONE.to_owned());
    let says = if once { host.says() } else { format!("{} The key was shown once: if you did not copy it, rotate it.", host.says()) };
    let title = format!("Connect {} to {}", agent.slug, host.name);
    let ended = key.revoked_at.is_some();
    let called = key.last_used_at;
    let recalled = agent.last_recall.filter(|at| called.is_some() && *at >= key.created_at);
    let waits = recalled.is_none() && !ended;
    let state = match (ended, called, recalled) {
        (true, ..) => view! { <p>"The key was revoked. Make a new one."</p> }.into_any(),
        (false, _, Some(at)) => view! {
            <p class="font-medium text-good">{format!("{} recalled ", agent.slug)} <Time at /></p>
            <p class="text-sm"><a href=format!("/recall/log?agent={}", agent.id)>"Recalls of this agent"</a></p>
        }
        .into_any(),
        (false, Some(at), None) => {
            view! { <p>{format!("{} called ", agent.slug)} <Time at /> ". Waiting for its first recall."</p> }.into_any()
        }
        (false, None, None) => view! { <p>"Waiting for the first call."</p> }.into_any(),
    };
    let again = waits.then(|| {
        view! {
            <p class="text-sm text-soft">"This page refreshes every few seconds. A call appears here some seconds after it was made."</p>
            <p><a class="button" href=here>"Check again"</a></p>
        }
    });
    view! {
        <Title text=title.clone() />
        <h1 class="mb-5 break-words">{title}</h1>
        <div class="max-w-3xl space-y-6">
            <CopyText id="lines" title=format!("Lines for {}", host.name) says text=host.lines(&public_url, &shown) once />
            <section class="card space-y-3 p-4" aria-labelledby="first-call" data-testid="first-call" data-again=waits.then_some("")>
                <h2 class="flex items-center gap-2" id="first-call">
                    <Icon shape=if recalled.is_some() { Shape::Done } else { Shape::Log } />
                    "First call"
                </h2>
                <div role="status">{state}</div>
                {again}
                <p class="text-sm"><a href=format!("/agents/{}#keys", agent.id)>{format!("Keys of {}", agent.slug)}</a></p>
            </section>
        </div>
    }
}
