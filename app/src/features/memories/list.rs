use super::{
    api::{browse_memories, memory, search_memories},
    filters::Filters,
    new::NewMemoryLink,
    peek::Peek,
    ranked::{NothingFound, Summary},
    table::Table,
    url,
};
use crate::{
    ConsoleError,
    features::views::ViewBar,
    layout::{PageHead, Section, ViewerResource},
    query::Query,
    ui::{Empty, EmptyCard, Filtered, NothingLeft, Pager, Shape, awaited, if_any, or_error, reading, text},
};
use leptos::prelude::*;
use wire::{MemoryFilter, MemoryId, MemoryRow, OperatorRole, Page, SearchResults, StateFilter, ViewPage};

/// The content of the list: a page of all memories, or the hits of a search.
enum Listing {
    Browsed(Page<MemoryRow>),
    Searched(SearchResults),
}

impl Listing {
    /// Searches if the filter has a query, and browses otherwise.
    ///
    /// # Errors
    /// Those of the search or of the list.
    async fn load(filter: MemoryFilter) -> Result<Self, ConsoleError> {
        match filter.q {
            Some(_) => search_memories(filter).await.map(Self::Searched),
            None => browse_memories(filter).await.map(Self::Browsed),
        }
    }

    /// The memories from top to bottom.
    fn ids(&self) -> Vec<MemoryId> {
        match self {
            Self::Browsed(page) => page.rows.iter().map(|row| row.id).collect(),
            Self::Searched(results) => results.hits.iter().map(|hit| hit.memory.id).collect(),
        }
    }
}

/// The memories page: filters, the list or the hits of a search, and the peek.
#[component]
pub fn MemoriesPage() -> impl IntoView {
    let filtered = Filtered::by(url::filter);
    let (query, list) = (filtered.query.clone(), filtered.load(Listing::load));
    let peek = query.get("peek").and_then(|id| id.parse::<MemoryId>().ok());
    let detail = peek.map(|id| reading(memory(id)));
    let (who, agent) = (ViewerResource::expect(), query.text("agent"));
    let title = Section::of("/memories", &query).and_then(|(_, tab)| tab).map_or("Memories", |tab| tab.name);
    view! {
        <PageHead title>
            "What agents remember, in the original words. A search ranks memories like a recall, but is not logged or counted. "
            <NewMemoryLink agent />
        </PageHead>
        <ViewBar page=ViewPage::Memories names=url::NAMES query=query.clone() />
        <Filters filtered />
        <div class=if peek.is_some() { "mt-4 items-start gap-5 xl:grid xl:grid-cols-[minmax(0,1fr)_25rem]" } else { "mt-4" }>
            {awaited(async move {
                let (viewer, list) = (who.await.ok(), list.await);
                let has = |role| viewer.as_ref().is_some_and(|viewer| viewer.profile.has(role));
                let (may_delete, may_export) = (has(OperatorRole::Operator), has(OperatorRole::Admin));
                let may_resolve = has(OperatorRole::Reviewer);
                let flash = viewer.as_ref().and_then(|viewer| viewer.flash.clone());
                let public_url = viewer.map(|viewer| viewer.public_url).unwrap_or_default();
                let ids = list.as_ref().map(Listing::ids).unwrap_or_default();
                let detail = if_any(detail).await;
                let rows = or_error(list, |list| match list {
                    Listing::Browsed(page) => {
                        view! { <Browsed page query=query.clone() peek may_delete may_resolve may_export public_url /> }.into_any()
                    }
                    Listing::Searched(results) => {
                        view! { <Searched results query=query.clone() peek may_delete may_resolve /> }.into_any()
                    }
                });
                view! {
                    <div class="min-w-0">{rows}</div>
                    <Peek peek detail ids query may_decide=may_delete flash />
                }
            })}
        </div>
    }
}

#[component]
fn Browsed(
    page: Page<MemoryRow>,
    query: Query,
    peek: Option<MemoryId>,
    may_delete: bool,
    may_resolve: bool,
    may_export: bool,
    public_url: String,
) -> impl IntoView {
    if page.rows.is_empty() {
        if query.is_later_page() {
            return view! { <NothingLeft path="/memories" query /> }.into_any();
        }
        let only = |name: &str, value: &str| query.get(name) == Some(value) && !query.without(&[name]).any(url::NAMES);
        return match (query.any(url::NAMES), only("deleted", "true"), only("status", "contradicted")) {
            (_, true, _) => view! {
                <EmptyCard shape=Shape::Memories title="No deleted memories" href="/memories" link="Show memories"
                    says="Deleted memories appear here, with who deleted them and why. You can restore them." />
            }
            .into_any(),
            (_, _, true) => view! {
                <EmptyCard shape=Shape::Done title="No contradictions" href="/inbox/suggestions" link="Show suggestions"
                    says="Memories that contradict each other appear here until a person says which one is right." />
            }
            .into_any(),
            (true, ..) => view! { <div class="card"><NoMatch query /></div> }.into_any(),
            (false, ..) => view! { <div class="card"><First public_url /></div> }.into_any(),
        };
    }
    let (shown, kind) = (page.rows.len(), if query.get("deleted") == Some("true") { "deleted " } else { "" });
    let total = text::total(page.total, &format!("{kind}memory"), &format!("{kind}memories"));
    let part = if i64::try_from(shown) == Ok(page.total) { String::new() } else { format!(", {shown} on this page") };
    let rows: Vec<_> = page.rows.into_iter().map(|row| (row, None)).collect();
    let export = url::export(&query).filter(|_| may_export);
    view! {
        <div class="mb-2 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 text-sm text-soft">
            <p data-testid="total">{total} {part}</p>
            {export.map(|href| view! { <a href=href download="" rel="external">"Export as JSON Lines"</a> })}
        </div>
        <div class="card"><Table rows query=query.clone() peek may_delete may_resolve /></div>
        <Pager path="/memories" query previous=page.previous next=page.next />
    }
    .into_any()
}

#[component]
fn Searched(results: SearchResults, query: Query, peek: Option<MemoryId>, may_delete: bool, may_resolve: bool) -> impl IntoView {
    let summary = view! { <Summary results=results.clone() query=query.clone() /> };
    let body = if results.hits.is_empty() {
        view! { <NothingFound results query /> }.into_any()
    } else {
        let rows: Vec<_> = results.hits.into_iter().map(|hit| (hit.memory.clone(), Some(hit))).collect();
        view! { <Table rows query peek may_delete may_resolve /> }.into_any()
    };
    view! {
        {summary}
        <div class="card">{body}</div>
    }
}

#[component]
fn NoMatch(query: Query) -> impl IntoView {
    // Most messages of a session expire within days.
    let gone = query.get("session").is_some() && !query.any(&["state", "deleted", "status"]);
    let gone = gone.then(|| {
        view! {
            <a class="button" href=query.without(&["peek"]).with("state", StateFilter::All).href("/memories")>
                "Include archived and deleted"
            </a>
        }
    });
    view! {
        <Empty shape=Shape::Filter title="No memory matches these filters">
            <p class="mb-3">
                "Topic: partial match. Other fields: exact match. Archived and deleted memories are hidden unless you filter for them."
            </p>
            <p class="flex flex-wrap justify-center gap-2">
                {gone}
                <a class="button" href="/memories">
                    "Clear all"
                </a>
            </p>
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
