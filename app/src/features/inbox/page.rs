use super::{
    api::{browse_inbox, read_candidate},
    focus::Focus,
    table::Table,
    url,
};
use crate::{
    features::{
        memories::{AgentField, all},
        projects::project_names,
        views::FilterBar,
    },
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{EmptyCard, Filtered, Icon, NoMatch, NothingLeft, Pager, Shape, awaited, choice, if_any, or_error, reading, text},
};
use leptos::prelude::*;
use wire::{InboxFilter, InboxItem, MemoryId, MemoryKind, OperatorRole, Page, ViewPage};

/// The inbox: candidates that wait for a decision, oldest first, and the panel with the one in focus.
#[component]
pub fn InboxPage() -> impl IntoView {
    let filtered = Filtered::by(url::filter);
    let (query, list) = (filtered.query.clone(), filtered.load(browse_inbox));
    let focus = query.get("focus").and_then(|id| id.parse::<MemoryId>().ok());
    let (item, projects) = (focus.map(|id| reading(read_candidate(id))), reading(project_names()));
    let who = ViewerResource::expect();
    view! {
        <PageHead title="Candidates">"Statements found in captured text. Agents recall them once you confirm them."</PageHead>
        <Filters filtered />
        <div class=if focus.is_some() { "mt-4 items-start gap-5 xl:grid xl:grid-cols-[22rem_minmax(0,1fr)]" } else { "mt-4" }>
            {awaited(async move {
                let (viewer, list) = (who.await.ok(), list.await);
                let may_decide = viewer.as_ref().is_some_and(|viewer| viewer.profile.has(OperatorRole::Reviewer));
                let ids = list.as_ref().map(|page| page.rows.iter().map(|row| row.id).collect()).unwrap_or_default();
                let item = if_any(item).await;
                let projects = projects.await.unwrap_or_default();
                let rows = or_error(list, |page| match page.rows.is_empty() {
                    true => view! { <Nothing query=query.clone() /> }.into_any(),
                    false => view! { <Candidates page query=query.clone() focus may_decide /> }.into_any(),
                });
                view! {
                    <div class="min-w-0">{rows}</div>
                    <Focus focus item ids projects viewer query />
                }
            })}
        </div>
    }
}

#[component]
fn Filters(filtered: Filtered<InboxFilter>) -> impl IntoView {
    let disputed = vec![choice("", "Any"), choice("true", "Only disputed")];
    let source = filtered.value("source");
    let (of_source, page) = (!source.is_empty(), format!("/sources/{source}"));
    let every = filtered.query.without(&["source", "focus", "after", "before"]).href("/inbox");
    view! {
        <FilterBar page=ViewPage::Candidates label="Candidates" query=filtered.query.clone() names=url::NAMES>
            <div class="col-span-2">{filtered.text_field("q", "Statement or topic contains", "")}</div>
            <AgentField value=filtered.value("agent") labelled=true error=filtered.error("agent") />
            {filtered.select_field("kind", "Kind", all("Any kind", MemoryKind::ALL))}
            {filtered.select_field("disputed", "Disputed", disputed)}
            <input type="hidden" name="source" value=source />
        </FilterBar>
        <p class="mt-2 flex flex-wrap items-center gap-2 text-sm" class:hidden=!of_source>
            <a class="chip" href=every data-noscroll="true">
                "From one source" <span class="sr-only">": remove this filter"</span> <Icon shape=Shape::Close />
            </a>
            <a href=page>"Open the source"</a>
        </p>
    }
}

#[component]
fn Candidates(page: Page<InboxItem>, query: Query, focus: Option<MemoryId>, may_decide: bool) -> impl IntoView {
    let total = text::total(page.total, "candidate", "candidates");
    let part = match page.rows.len() {
        shown if i64::try_from(shown) == Ok(page.total) => String::new(),
        shown => format!(", {shown} on this page"),
    };
    let rows = page.rows;
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{total} {part}</p>
        <div class="card"><Table rows query=query.clone() focus select=may_decide /></div>
        <Pager path="/inbox" query previous=page.previous next=page.next names=("Previous", "Next") />
    }
}

#[component]
fn Nothing(query: Query) -> impl IntoView {
    match query.any(url::NAMES) {
        _ if query.is_later_page() => view! { <NothingLeft path="/inbox" query /> }.into_any(),
        true => view! {
            <NoMatch thing="candidate" href="/inbox">"Decided candidates are no longer in the inbox."</NoMatch>
        }
        .into_any(),
        false => view! {
            <EmptyCard shape=Shape::Inbox title="No candidates" href="/capture" link="Capture a text"
                says="When a captured conversation, a note or an observation holds something to remember, it appears here with the sentence that it \
                comes from." />
        }
        .into_any(),
    }
}
