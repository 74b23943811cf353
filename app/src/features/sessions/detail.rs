use super::{
    api::{Detail, read_session},
    url::PATH,
    words::{host_name, title},
};
use crate::{
    features::people::PersonOf,
    guard::by_id,
    layout::{Crumb, LogPeriod},
    query::{Query, use_param},
    ui::{Badge, Time, Titled, Zone, awaited, fact, fact_as, or_missing, reading, rows_or, text},
};
use leptos::prelude::*;
use leptos_meta::Title;
use uuid::Uuid;
use wire::{AgentSession, Page, Retrieval, SourceRow, StateFilter};

/// The page of one session: what it was given and what was captured from it, both in the order of time.
#[component]
pub fn SessionPage() -> impl IntoView {
    let detail = reading(by_id(use_param::<Uuid>("id"), read_session, "No session has this id."));
    view! {
        <Crumb href=PATH text="Sessions" />
        {awaited(async move { or_missing("Session", detail.await, |detail| view! { <Whole detail /> }) })}
    }
}

#[component]
fn Whole(detail: Detail) -> impl IntoView {
    let Detail { session, given, captured } = detail;
    let title = title(&session);
    view! {
        <Title text=text::short(&title, 80) />
        <header class="mb-5">
            <h1 class="wrap-anywhere" dir="auto">{title}</h1>
            <p class="mt-0.5 text-sm text-soft">
                "A session of " <a class="underline" href=format!("{PATH}?agent={}", session.agent_id)>{session.agent_slug.clone()}</a>
                ", last active " <Time at=session.last_at />
            </p>
        </header>
        <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div class="min-w-0 space-y-6">
                <Given id=session.id given />
                <Captured session=session.clone() captured />
            </div>
            <div class="mt-6 lg:mt-0"><Facts session /></div>
        </div>
    }
}

/// The way to the whole list, where the page shows only its beginning.
fn all<T>(page: &Page<T>, noun: &str, href: String) -> Option<impl IntoView + use<T>> {
    let says = format!("All {} {noun}", text::total_number(page.total));
    page.next.is_some().then(|| view! { <p class="mt-2 text-sm"><a href=href>{says}</a></p> })
}

/// The contexts and recalls that the agent was given.
#[component]
fn Given(id: Uuid, given: Page<Retrieval>) -> impl IntoView {
    let more = all(&given, "recalls and contexts", Query::default().with("session", id).with("sort", "reversed").href("/recall/log"));
    let row = |recall: Retrieval| {
        // A context also gives what its search did not find.
        let found = recall.given.map_or(i64::from(recall.hits) + i64::from(recall.knowledge_hits), i64::from);
        let found = text::count(found, "result", "results");
        let kind = if recall.for_context { "Context" } else { "Recall" };
        view! {
            <li class="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-4 py-2 text-sm" data-testid="given">
                <Badge text=kind />
                <a class="line-clamp-2 min-w-0 grow basis-48 wrap-anywhere" dir="auto" href=format!("/recall/log/{}", recall.id)>
                    {text::visible(&recall.query)}
                </a>
                <span class="text-soft">{found} " · " <Time at=recall.at /></span>
            </li>
        }
    };
    view! {
        <Titled id="given" title="Given">
            {rows_or("The log has no recall and no context of this session.", given.rows.into_iter().map(row).collect())}
            {more}
            <p class="mt-2 text-xs text-soft">
                "Each leads to what was found and why. Memories that the session already had are not given again. " <LogPeriod />
            </p>
        </Titled>
    }
}

/// The sources that were captured from the session, with what came from each.
#[component]
fn Captured(session: AgentSession, captured: Page<SourceRow>) -> impl IntoView {
    let more = all(&captured, "sources", Query::default().with("session", session.id).with("sort", "reversed").href("/sources"));
    let row = |source: SourceRow| {
        let label = format!("Review {} of {}", text::count(source.waiting, "candidate", "candidates"), text::visible(&source.title));
        let waiting = (source.waiting > 0).then(|| {
            view! { " · " <a href=format!("/inbox?source={}", source.id) aria-label=label>{text::count(source.waiting, "candidate", "candidates")}</a> }
        });
        view! {
            <li class="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-4 py-2 text-sm" data-testid="captured">
                <a class="min-w-0 grow basis-48 wrap-anywhere" dir="auto" href=format!("/sources/{}", source.id)>{text::visible(&source.title)}</a>
                <span class="text-soft">
                    {text::count(source.turns, "message", "messages")} {waiting} " · " {text::count(source.active, "memory", "memories")} " · "
                    <Time at=source.created_at />
                </span>
            </li>
        }
    };
    // Messages that an agent stored itself are memories, and have no source.
    let stored = session.host.is_none().then(|| {
        let list = Query::default().with("agent", session.agent_id).with("session", session.id).with("state", StateFilter::All);
        view! { <p class="mt-2 text-sm"><a href=list.href("/memories")>"Messages that the agent stored"</a></p> }
    });
    view! {
        <Titled id="captured" title="Captured">
            {rows_or("No text of this session was captured.", captured.rows.into_iter().map(row).collect())}
            {more}
            {stored}
        </Titled>
    }
}

#[component]
fn Facts(session: AgentSession) -> impl IntoView {
    let zone = Zone::expect();
    let length = (session.last_at > session.started_at).then(|| text::duration(session.last_at - session.started_at));
    let project = session.project_id.map(|id| {
        let name = session.project.clone().unwrap_or_else(|| id.to_string());
        let href = match session.project.is_some() {
            true => format!("/projects/{id}"),
            false => Query::default().with("project", id).href("/memories"),
        };
        view! { <a class="wrap-anywhere" href=href>{name}</a> }
    });
    view! {
        <section class="card divide-y divide-line" aria-label="Facts">
            <dl class="facts p-4">
                {fact("Host", host_name(session.host.as_deref()).to_owned())}
                {project.map(|project| fact("Project", project))}
                {fact("Agent", session.agent_slug)}
                {session.user_id.map(|id| fact("On behalf of", view! { <PersonOf id /> }))}
                {fact("Started", zone.moment(session.started_at))}
                {fact("Last activity", zone.moment(session.last_at))}
                {length.map(|length| fact("Length", length))}
                {fact_as("font-mono text-xs break-all", "Name", text::visible(&session.name))}
            </dl>
            <dl class="facts p-4" data-testid="numbers">
                {fact("Contexts given", text::number(session.contexts))}
                {fact("Recalls given", text::number(session.recalls))}
                {fact("Tokens given", text::number(session.tokens))}
                {fact("Messages captured", text::number(session.messages))}
                {fact("Candidates", text::number(session.candidates))}
                {fact("Memories", text::number(session.memories))}
            </dl>
        </section>
    }
}
