use super::{
    api::browse_events,
    table::EventTable,
    url,
    words::{self, kind},
};
use crate::{
    features::memories::AgentField,
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{Empty, ErrorView, FilterForm, Filtered, Pager, SelectField, Shape, Skeleton, busy, choice, text},
};
use leptos::prelude::*;
use remembrancer::api::{EventKind, EventRow, EventState, OperatorRole, Page};

/// The page of events, newest first: what workers did, do and will do, and what failed.
#[component]
pub fn EventsPage() -> impl IntoView {
    let filtered = Filtered::by(url::events);
    let (query, list) = (filtered.query, filtered.load(browse_events));
    let kinds = std::iter::once(choice("", "Any kind")).chain(EventKind::ALL.iter().map(|each| choice(each.as_str(), kind(*each))));
    let states =
        std::iter::once(choice("", "Any state")).chain(EventState::ALL.iter().map(|each| choice(each.as_str(), words::name(*each))));
    let who = ViewerResource::expect();
    let (busy, set_busy) = busy();
    view! {
        <PageHead title="Events">"Work that runs in the background. An event is tried eight times; then it is dead until somebody retries it."</PageHead>
        <FilterForm action="/events" names=url::EVENTS label="Events">
            <div class="flex flex-wrap items-end gap-2">
                <div class="min-w-40 grow sm:grow-0"><AgentField query labelled=true error=filtered.error("agent") /></div>
                <div class="min-w-40 grow sm:grow-0">
                    <SelectField name="kind" label="Kind" value=filtered.value("kind") error=filtered.error("kind") choices=kinds.collect() />
                </div>
                <div class="min-w-40 grow sm:grow-0">
                    <SelectField name="state" label="State" value=filtered.value("state") error=filtered.error("state") choices=states.collect() />
                </div>
                <button class="button button-primary" type="submit">"Apply filters"</button>
                <a class="button button-quiet" class:hidden=move || !query.get().any(url::EVENTS) href="/events">"Clear"</a>
            </div>
        </FilterForm>
        <div class="mt-4 transition-opacity" class:opacity-60=move || busy.get() aria-busy=move || busy.get().to_string()>
            <Transition set_pending=set_busy fallback=|| view! { <div class="card"><Skeleton /></div> }>
                {move || Suspend::new(async move {
                    let may_retry = who.await.is_ok_and(|viewer| viewer.profile.has(OperatorRole::Operator));
                    match list.await {
                        Ok(page) => view! { <Events page query=query.get_untracked() may_retry /> }.into_any(),
                        Err(error) => view! { <div class="card"><ErrorView error /></div> }.into_any(),
                    }
                })}
            </Transition>
        </div>
    }
}

#[component]
fn Events(page: Page<EventRow>, query: Query, may_retry: bool) -> impl IntoView {
    if page.rows.is_empty() {
        return view! { <div class="card"><Nothing filtered=query.any(url::EVENTS) || query.any(&["after", "before"]) /></div> }.into_any();
    }
    let (rows, here) = (page.rows, query.href("/events"));
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{text::count(page.total, "event", "events")}</p>
        // The closure rebuilds the table with each page, so that no tick stays on a row that now holds another event.
        <div class="card">{move || view! { <EventTable events=rows.clone() may_retry here=here.clone() /> }}</div>
        <Pager path="/events" query previous=page.previous next=page.next />
    }
    .into_any()
}

#[component]
fn Nothing(filtered: bool) -> impl IntoView {
    if filtered {
        return view! {
            <Empty shape=Shape::Filter title="No event matches these filters">
                <p class="mb-3">"Clear the filters to see every event."</p>
                <a class="button" href="/events">"Show every event"</a>
            </Empty>
        }
        .into_any();
    }
    view! {
        <Empty shape=Shape::Events title="No events yet">
            <p class="mb-3">"An event appears here for each write of an agent and for each captured text."</p>
            <a class="button" href="/capture">"Capture a text"</a>
        </Empty>
    }
    .into_any()
}
