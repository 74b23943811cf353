use super::{api::browse_inbox, focus::Focus, table::Table, tabs::Tabs, url};
use crate::{
    features::memories::{AgentField, all},
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{Empty, ErrorView, FilterForm, Filtered, Icon, Pager, SelectField, Shape, TextField, choice, text},
};
use leptos::prelude::*;
use remembrancer::api::{InboxFilter, InboxItem, MemoryId, MemoryKind, OperatorRole, Page};

/// The inbox: candidates that wait for a decision, oldest first, and the panel with the one in focus.
#[component]
pub fn InboxPage() -> impl IntoView {
    let filtered = Filtered::by(url::filter);
    let (query, list) = (filtered.query, filtered.load(browse_inbox));
    let focus = Memo::new(move |_| query.with(|query| query.get("focus").and_then(|id| id.parse::<MemoryId>().ok())));
    let who = ViewerResource::expect();
    view! {
        <PageHead title="Inbox">"Statements found in captured text. Agents recall them once you confirm them."</PageHead>
        <Tabs />
        <Filters filtered />
        <div class=move || if focus.get().is_some() { "mt-4 items-start gap-5 xl:grid xl:grid-cols-[22rem_minmax(0,1fr)]" } else { "mt-4" }>
            <div class="min-w-0">
                <Suspense>
                    {move || Suspend::new(async move {
                        let may_decide = who.await.is_ok_and(|viewer| viewer.profile.has(OperatorRole::Reviewer));
                        match list.await {
                            Ok(page) if page.rows.is_empty() => view! { <div class="card"><Nothing query=query.get_untracked() /></div> }.into_any(),
                            Ok(page) => view! { <Candidates page query focus may_decide /> }.into_any(),
                            Err(error) => view! { <div class="card"><ErrorView error /></div> }.into_any(),
                        }
                    })}
                </Suspense>
            </div>
            <Focus focus queue=list query />
        </div>
    }
}

#[component]
fn Filters(filtered: Filtered<InboxFilter>) -> impl IntoView {
    let query = filtered.query;
    let disputed = vec![choice("", "Any"), choice("true", "Only disputed")];
    let source = filtered.value("source");
    let every = move || query.with(|query| query.without(&["source", "focus", "after", "before"]).href("/inbox"));
    view! {
        <FilterForm action="/inbox" label="Candidates">
            <div class="flex flex-wrap items-end gap-2">
                <div class="grow basis-full sm:basis-48">
                    <TextField name="q" label="Statement or topic contains" value=filtered.value("q") />
                </div>
                <div class="grow sm:w-40 sm:grow-0"><AgentField query labelled=true error=filtered.error("agent") /></div>
                <div class="grow sm:w-36 sm:grow-0">
                    <SelectField name="kind" label="Kind" value=filtered.value("kind") error=filtered.error("kind") choices=all("Any kind", MemoryKind::ALL) />
                </div>
                <div class="grow sm:w-40 sm:grow-0">
                    <SelectField name="disputed" label="Disputed" value=filtered.value("disputed") error=filtered.error("disputed") choices=disputed />
                </div>
                <input type="hidden" name="source" value=source.get_untracked() />
                <button class="button button-primary" type="submit">"Apply filters"</button>
                <a class="button button-quiet" class:hidden=move || !query.get().any(url::NAMES) href="/inbox">"Clear"</a>
            </div>
        </FilterForm>
        <p class="mt-2 flex flex-wrap items-center gap-2 text-sm" class:hidden=move || source.get().is_empty()>
            <a class="chip" href=every data-noscroll="true">
                "From one source" <span class="sr-only">": remove this filter"</span> <Icon shape=Shape::Close />
            </a>
            <a href=move || format!("/sources/{}", source.get())>"Open the source"</a>
        </p>
    }
}

#[component]
fn Candidates(page: Page<InboxItem>, query: Memo<Query>, focus: Memo<Option<MemoryId>>, may_decide: bool) -> impl IntoView {
    let now = query.get_untracked();
    let total = text::total(page.total, "candidate", "candidates");
    let part = match page.rows.len() {
        shown if i64::try_from(shown) == Ok(page.total) => String::new(),
        shown => format!(", {shown} on this page"),
    };
    let rows = page.rows;
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{total} {part}</p>
        <div class="card"><Table rows query focus select=may_decide /></div>
        <Pager path="/inbox" query=now previous=page.previous next=page.next names=("Previous", "Next") />
    }
}

#[component]
fn Nothing(query: Query) -> impl IntoView {
    if query.any(url::NAMES) || query.any(&["after", "before"]) {
        return view! {
            <Empty shape=Shape::Filter title="No candidate matches">
                <p class="mb-3">"Decided candidates are no longer in the inbox."</p>
                <a class="button" href="/inbox">"Show every candidate"</a>
            </Empty>
        }
        .into_any();
    }
    view! {
        <Empty shape=Shape::Inbox title="No candidates">
            <p class="mb-3">
                "When a captured conversation, a note or an observation holds something to remember, it appears here with the sentence that it "
                "comes from."
            </p>
            <a class="button" href="/capture">"Capture a text"</a>
        </Empty>
    }
    .into_any()
}
