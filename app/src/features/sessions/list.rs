use super::{
    api::{Sessions, list_sessions},
    url::{self, PATH},
    words::title,
};
use crate::{
    features::{memories::AgentField, people::Person, projects::ProjectSelect, views::FilterBar},
    layout::PageHead,
    query::Query,
    ui::{Answered, Empty, Filtered, NoMatch, NothingLeft, Pager, Shape, TableCard, Time, choice, columns, reversing, text},
};
use leptos::prelude::*;
use wire::{AgentSession, HostName, ViewPage};

/// The page of sessions, the last active first.
#[component]
pub fn SessionsPage() -> impl IntoView {
    let filtered = Filtered::by(url::sessions);
    let (query, list) = (filtered.query.clone(), filtered.load(list_sessions));
    let mut hosts = vec![choice("", "Any host")];
    hosts.extend(HostName::HOOKED.map(|host| choice(host.id, host.label)));
    // Other programs may name their sessions, too.
    if let Some(other) = filtered.query.get("host").filter(|host| !HostName::HOOKED.iter().any(|known| known.id == *host)) {
        hosts.push(choice(other, other));
    }
    view! {
        <PageHead title="Sessions">
            "Sessions of coding agents: what each was given from memory, the tokens that this took, and what was captured from it."
        </PageHead>
        <FilterBar page=ViewPage::Sessions label="Sessions" query=filtered.query.clone() names=url::NAMES>
            {filtered.select_field("host", "Host", hosts)}
            <ProjectSelect name="project" label="Project" value=filtered.value("project") error=filtered.error("project") />
            <AgentField value=filtered.value("agent") labelled=true error=filtered.error("agent") />
            {filtered.text_field("user", "On behalf of", "Name, reference or id")}
        </FilterBar>
        <Answered answer=list show=|sessions, query| view! { <List sessions query /> }.into_any() query />
    }
}

#[component]
fn List(sessions: Sessions, query: Query) -> impl IntoView {
    let (page, names) = sessions;
    if page.rows.is_empty() {
        if query.is_later_page() {
            return view! { <NothingLeft path=PATH query /> }.into_any();
        }
        return view! { <Nothing filtered=query.any(url::NAMES) /> }.into_any();
    }
    let row = |session: AgentSession| {
        let person = session.user_id.and_then(|id| names.get(&id).cloned());
        view! { <Row session person /> }
    };
    let rows = page.rows.into_iter().map(row).collect_view();
    let last = reversing(PATH, &query, true, ("Last activity", "hidden w-30 @3xl:table-cell"));
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{text::total(page.total, "session", "sessions")}</p>
        <TableCard label="Sessions" rows heads=(columns([
            ("Session", ""), ("Agent", "hidden w-28 @2xl:table-cell"), ("On behalf of", "hidden w-28 @5xl:table-cell"),
            ("Messages", "number hidden w-24 @md:table-cell"), ("Candidates", "number hidden w-26 @5xl:table-cell"),
            ("Memories", "number hidden w-24 @xl:table-cell"), ("Recalls", "number hidden w-20 @4xl:table-cell"),
            ("Contexts", "number hidden w-22 @4xl:table-cell"), ("Tokens", "number hidden w-20 @lg:table-cell"),
            ("Started", "hidden w-30 @6xl:table-cell"),
        ]), last) />
        <Pager path=PATH query previous=page.previous next=page.next />
    }
    .into_any()
}

#[component]
fn Row(session: AgentSession, person: Option<String>) -> impl IntoView {
    let number = |class: &'static str, n: i64| {
        view! { <td class=format!("number hidden {class}") class:text-soft=n == 0>{text::number(n)}</td> }
    };
    let captured = format!("{} · ", text::count(session.messages, "message", "messages"));
    view! {
        <tr data-testid="session">
            <th scope="row" class="font-normal! whitespace-normal! text-ink!">
                <a class="line-clamp-2 text-base font-medium wrap-anywhere" dir="auto" href=format!("{PATH}/{}", session.id)>{title(&session)}</a>
                <span class="mt-0.5 block text-xs text-soft @3xl:hidden">
                    <span class="@2xl:hidden">{session.agent_slug.clone()} " · "</span>
                    <span class="@md:hidden">{captured}</span>
                    <Time at=session.last_at />
                </span>
            </th>
            <td class="hidden truncate @2xl:table-cell">{session.agent_slug}</td>
            <td class="hidden truncate @5xl:table-cell">{session.user_id.map(|id| view! { <Person id name=person /> })}</td>
            {number("@md:table-cell", session.messages)}
            {number("@5xl:table-cell", session.candidates)}
            {number("@xl:table-cell", session.memories)}
            {number("@4xl:table-cell", session.recalls)}
            {number("@4xl:table-cell", session.contexts)}
            {number("@lg:table-cell", session.tokens)}
            <td class="hidden @6xl:table-cell"><Time at=session.started_at /></td>
            <td class="hidden @3xl:table-cell"><Time at=session.last_at /></td>
        </tr>
    }
}

#[component]
fn Nothing(filtered: bool) -> impl IntoView {
    if filtered {
        return view! {
            <NoMatch thing="session" href=PATH>
                "Host, project and agent: exact match. On behalf of: a whole name, a reference or an id."
            </NoMatch>
        }
        .into_any();
    }
    view! {
        <div class="card">
            <Empty shape=Shape::Log title="No sessions yet">
                <p class="mb-3">
                    "A session appears here when a coding agent with hooks starts or ends one. To connect Claude Code on your machine, run "
                    <code class="font-mono">"remembrancer connect claude-code"</code>
                    ". The command also connects Codex, Copilot CLI, Cursor, Gemini CLI and OpenCode."
                </p>
                <a class="button" href="/agents">"Connect an agent"</a>
            </Empty>
        </div>
    }
    .into_any()
}
