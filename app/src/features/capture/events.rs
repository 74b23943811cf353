use super::{
    api::{browse_events, event_counts},
    table::EventTable,
    url,
    words::{self, TASKS, kind},
};
use crate::{
    features::{memories::AgentField, views::FilterBar},
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{EmptyCard, Filtered, NoMatch, NothingLeft, Pager, Shape, awaited, choice, or_error, reading, text},
};
use leptos::prelude::*;
use wire::{EventBus, EventCount, EventKind, EventRow, EventState, OperatorRole, Page, ViewPage};

/// The states of events that are not done, in the order in which they are counted.
const OPEN: [EventState; 4] = [EventState::Pending, EventState::Running, EventState::Failed, EventState::Dead];

/// The page of events, newest first: what workers did, do and will do, and what failed.
#[component]
pub fn EventsPage() -> impl IntoView {
    let filtered = Filtered::by(url::events);
    let (query, list) = (filtered.query.clone(), filtered.load(browse_events));
    let counts = reading(event_counts());
    let buses = EventBus::ALL.iter().map(|each| choice(if *each == EventBus::default() { "" } else { each.as_str() }, words::bus(*each)));
    let tasks = std::iter::once(choice("", "Any work")).chain(TASKS.iter().map(|(name, words)| choice(name, words)));
    let kinds = std::iter::once(choice("", "Any kind")).chain(EventKind::ALL.iter().map(|each| choice(each.as_str(), kind(*each))));
    let states =
        std::iter::once(choice("", "Any state")).chain(EventState::ALL.iter().map(|each| choice(each.as_str(), words::name(*each))));
    let who = ViewerResource::expect();
    view! {
        <PageHead title="Events">"Work that runs in the background. An event that fails eight times does not run again until you retry it."</PageHead>
        {awaited(async move { counts.await.ok().map(|counts| view! { <Open counts /> }) })}
        <FilterBar page=ViewPage::Events label="Events" query=filtered.query.clone() names=url::EVENTS>
            {filtered.select_field("bus", "Queue", buses.collect())}
            <AgentField value=filtered.value("agent") labelled=true error=filtered.error("agent") />
            {filtered.select_field("kind", "Kind", kinds.collect())}
            {filtered.select_field("state", "State", states.collect())}
            {filtered.select_field("task", "Work", tasks.collect())}
        </FilterBar>
        <div class="mt-4">
            {awaited(async move {
                let may_retry = who.await.is_ok_and(|viewer| viewer.profile.has(OperatorRole::Operator));
                or_error(list.await, |page| view! { <Events page query may_retry /> })
            })}
        </div>
    }
}

/// How many events of each queue wait, run, will be retried or are dead. Each number leads to its events.
#[component]
fn Open(counts: Vec<EventCount>) -> impl IntoView {
    let number = move |bus: EventBus, state: EventState| {
        counts.iter().find(|count| (count.bus, count.state) == (bus, state)).map_or(0, |count| count.events)
    };
    let queue = move |bus: EventBus| {
        let numbers = OPEN.map(|state| {
            let events = number(bus, state);
            let href = Query::default().with("bus", if bus == EventBus::default() { "" } else { bus.as_str() }).with("state", state);
            let alarm = state == EventState::Dead && events > 0;
            view! {
                <li>
                    <a href=href.href("/events") class:text-danger=alarm class:font-medium=alarm>
                        {words::name(state)} " " <span class="tabular-nums">{text::number(events)}</span>
                    </a>
                </li>
            }
        });
        view! {
            <li class="flex flex-wrap gap-x-4 gap-y-1" data-testid="queue">
                <span class="w-20 text-soft">{words::bus(bus)}</span>
                <ul class="flex flex-wrap gap-x-4 gap-y-1">{numbers.collect_view()}</ul>
            </li>
        }
    };
    view! {
        <ul class="card mb-4 space-y-1 px-4 py-2.5 text-sm" aria-label="Open events">
            {EventBus::ALL.iter().map(|bus| queue(*bus)).collect_view()}
        </ul>
    }
}

#[component]
fn Events(page: Page<EventRow>, query: Query, may_retry: bool) -> impl IntoView {
    if page.rows.is_empty() {
        if query.is_later_page() {
            return view! { <NothingLeft path="/events" query /> }.into_any();
        }
        return view! { <Nothing filtered=query.any(url::EVENTS) /> }.into_any();
    }
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{text::count(page.total, "event", "events")}</p>
        <div class="card"><EventTable events=page.rows may_retry here=query.href("/events") list=query.clone() /></div>
        <Pager path="/events" query previous=page.previous next=page.next />
    }
    .into_any()
}

#[component]
fn Nothing(filtered: bool) -> impl IntoView {
    match filtered {
        true => view! { <NoMatch thing="event" href="/events">"Each filter matches exactly."</NoMatch> }.into_any(),
        false => view! {
            <EmptyCard shape=Shape::Events title="No events yet" href="/capture" link="Capture a text"
                says="An event appears here for each write of an agent and for each captured text." />
        }
        .into_any(),
    }
}
