use super::{
    filters::Filters,
    listing::{Listing, ListingResource},
    peek::Peek,
    ranked::{NothingFound, Summary},
    table::Table,
    url,
};
use crate::{
    features::views::ViewBar,
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{Empty, ErrorView, Filtered, Pager, Shape, text},
};
use leptos::prelude::*;
use remembrancer::api::{MemoryId, MemoryRow, OperatorRole, Page, SearchResults, ViewPage};

/// The memories page: filters, the list or the hits of a search, and the peek.
#[component]
pub fn MemoriesPage() -> impl IntoView {
    let filtered = Filtered::by(url::filter);
    let (query, list): (_, ListingResource) = (filtered.query, filtered.load(Listing::load));
    let peek = Memo::new(move |_| query.with(|query| query.get("peek").and_then(|id| id.parse::<MemoryId>().ok())));
    let who = ViewerResource::expect();
    view! {
        <PageHead title="Memories">
            "What agents remember, in the original words. A search ranks memories like a recall, but is not logged or counted."
        </PageHead>
        <ViewBar page=ViewPage::Memories path="/memories" names=url::NAMES query />
        <Filters filtered />
        <div class=move || if peek.get().is_some() { "mt-4 items-start gap-5 xl:grid xl:grid-cols-[minmax(0,1fr)_25rem]" } else { "mt-4" }>
            <div class="min-w-0">
                <Suspense>
                    {move || Suspend::new(async move {
                        let may_delete = who.await.is_ok_and(|viewer| viewer.profile.has(OperatorRole::Operator));
                        let may_export = who.await.is_ok_and(|viewer| viewer.profile.has(OperatorRole::Admin));
                        let public_url = who.await.map(|viewer| viewer.public_url).unwrap_or_default();
                        match list.await {
                            Ok(Listing::Browsed(page)) => view! { <Browsed page query peek may_delete may_export public_url /> }.into_any(),
                            Ok(Listing::Searched(results)) => view! { <Searched results query peek may_delete /> }.into_any(),
                            Err(error) => view! { <div class="card"><ErrorView error /></div> }.into_any(),
                        }
                    })}
                </Suspense>
            </div>
            <Peek peek list query />
        </div>
    }
}

#[component]
fn Browsed(
    page: Page<MemoryRow>,
    query: Memo<Query>,
    peek: Memo<Option<MemoryId>>,
    may_delete: bool,
    may_export: bool,
    public_url: String,
) -> impl IntoView {
    let now = query.get_untracked();
    if page.rows.is_empty() {
        let filtered = now.any(url::NAMES) || now.any(&["after", "before"]);
        let why = if filtered { view! { <NoMatch /> }.into_any() } else { view! { <First public_url /> }.into_any() };
        return view! { <div class="card">{why}</div> }.into_any();
    }
    let (shown, kind) = (page.rows.len(), if now.get("deleted") == Some("true") { "deleted " } else { "" });
    let total = text::total(page.total, &format!("{kind}memory"), &format!("{kind}memories"));
    let part = if i64::try_from(shown) == Ok(page.total) { String::new() } else { format!(", {shown} on this page") };
    let rows: Vec<_> = page.rows.into_iter().map(|row| (row, None)).collect();
    let export = url::export(&now).filter(|_| may_export);
    view! {
        <div class="mb-2 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 text-sm text-soft">
            <p data-testid="total">{total} {part}</p>
            {export.map(|href| view! { <a href=href download="" rel="external">"Export as JSON Lines"</a> })}
        </div>
        <div class="card"><Table rows query peek may_delete /></div>
        <Pager path="/memories" query=now previous=page.previous next=page.next />
    }
    .into_any()
}

#[component]
fn Searched(results: SearchResults, query: Memo<Query>, peek: Memo<Option<MemoryId>>, may_delete: bool) -> impl IntoView {
    let summary = view! { <Summary results=results.clone() query=query.get_untracked() /> };
    let body = if results.hits.is_empty() {
        view! { <NothingFound results query=query.get_untracked() /> }.into_any()
    } else {
        let rows: Vec<_> = results.hits.into_iter().map(|hit| (hit.memory.clone(), Some(hit))).collect();
        view! { <Table rows query peek may_delete /> }.into_any()
    };
    view! {
        {summary}
        <div class="card">{body}</div>
    }
}

#[component]
fn NoMatch() -> impl IntoView {
    view! {
        <Empty shape=Shape::Filter title="No memory matches these filters">
            <p class="mb-3">
                "Topic: partial match. Other fields: exact match. Deleted memories are hidden unless you filter for them."
            </p>
            <a class="button" href="/memories">
                "Clear all"
            </a>
        </Empty>
    }
}

#[component]
fn First(public_url: String) -> impl IntoView {
    let example = format!(
        "curl {public_url}/api/tools/agent_memory_remember \\\n  -H \"Authorization: Bearer $KEY\" \\\n  \
         -H 'Content-Type: application/json' \\\n  \
         -d '{{\"topic_raw\": \"tea\", \"content\": \"Vera takes her tea without milk.\",\n       \"source\": {{\"platform\": \"chat\"}}}}'"
    );
    view! {
        <Empty shape=Shape::Memories title="No memories yet">
            <p class="mb-3">
                "Memories appear here when an agent calls "
                <code class="font-mono">"remember"</code> ". To store the first one with an agent's key:"
            </p>
            <pre class="overflow-x-auto rounded-md bg-sunken px-3 py-2 text-left font-mono text-xs text-ink" tabindex="0">{example}</pre>
        </Empty>
    }
}
