use super::api::find_places;
use crate::{
    islands::Target,
    layout::PageHead,
    query::Query,
    ui::{Answered, Empty, FilterForm, Filtered, Parsed, SearchField, Shape, text},
};
use leptos::prelude::*;

fn filter(query: &Query) -> Parsed<String> {
    Ok(query.text("q"))
}

/// The page that finds anything by its name, and memories and documents by their words.
#[component]
pub fn SearchPage() -> impl IntoView {
    let filtered = Filtered::by(filter);
    let (query, list) = (filtered.query.clone(), filtered.load(find_places));
    view! {
        <PageHead title="Search">"Pages, actions, agents, projects, memories, terms, documents and people by their name; memories and documents by their words, too."</PageHead>
        <FilterForm action="/search" label="Everything">
            <div class="flex gap-2">
                <SearchField value=filtered.value("q") label="Search everything" hint="A name, a topic, a short id or words…" />
                <button class="button button-primary" type="submit">"Search"</button>
            </div>
        </FilterForm>
        <Answered answer=list show=|targets, query| view! { <Targets targets query /> }.into_any() query />
    }
}

#[component]
fn Targets(targets: Vec<Target>, query: Query) -> impl IntoView {
    if targets.is_empty() {
        return view! {
            <div class="card">
                <Empty shape=Shape::Search title="No results">
                    <p class="mb-3">"No name contains this text, and no memory or document has its words. The page Memories also searches by meaning."</p>
                    <a class="button" href=Query::default().with("q", query.text("q")).href("/memories")>"Search memories"</a>
                </Empty>
            </div>
        }
        .into_any();
    }
    let row = |target: Target| {
        view! {
            <li class="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-4 py-2" data-testid="place">
                <a class="min-w-0 font-medium wrap-anywhere" href=target.href>{text::visible(&target.label)}</a>
                <span class="min-w-0 text-sm wrap-anywhere text-soft">{text::visible(&target.detail)}</span>
                <span class="ml-auto text-xs text-soft">{target.kind}</span>
            </li>
        }
    };
    view! { <ul class="card max-w-3xl divide-y divide-line" aria-label="Results">{targets.into_iter().map(row).collect_view()}</ul> }
        .into_any()
}
