use super::words::{kind, state, task};
use crate::{
    features::erasure::RequestName,
    query::Query,
    ui::{Badge, DataTable, OfSelected, PostForm, Selection, Tick, Time, columns, reversing, select_all, text},
};
use leptos::prelude::*;
use wire::{EventRow, EventState};

/// The table of events. With `may_retry`, dead events can be retried, alone or together.
#[component]
pub fn EventTable(
    events: Vec<EventRow>,
    may_retry: bool,
    /// The page that shows it.
    here: String,
    /// The URL of the list of events, which can be reversed.
    #[prop(optional)]
    list: Option<Query>,
) -> impl IntoView {
    let select = may_retry && events.iter().any(|event| event.state == EventState::Dead);
    let (name, class) = ("Requested", "hidden w-30 @2xl:table-cell");
    let requested = match list {
        Some(query) => reversing("/events", &query, true, (name, class)),
        None => columns([(name, class)]),
    };
    let rows = events.into_iter().map(|event| view! { <Row event select here=here.clone() /> }).collect_view();
    view! {
        <PostForm action="/console/api/retry_events" fields=[("done", here)]>
            <DataTable label="Events" rows heads=(select.then(select_all), columns([
                ("Work", ""), ("State", "w-28 @md:w-40"), ("Attempts", "number hidden w-20 @md:table-cell"),
                ("Agent", "hidden w-28 @2xl:table-cell"),
            ]), requested) />
            {select.then(|| view! {
                <Selection one="event" many="events" hint="Select failed events to retry them together.">
                    <button class="button" type="submit"><OfSelected verb="Retry" end="" /></button>
                </Selection>
            })}
        </PostForm>
    }
}

/// A link to what an event concerns, with its name; only the name if no page shows it.
fn subject(event: &EventRow, here: &str) -> Option<AnyView> {
    if let Some(request) = event.erasure_id {
        return Some(view! { <RequestName request /> }.into_any());
    }
    let place = [
        event.memory_id.map(|id| ("Memory", format!("/memories/{id}"))),
        event.source_id.map(|id| ("Source", format!("/sources/{id}"))),
        event.document_id.map(|id| ("Document", format!("/knowledge/documents/{id}"))),
    ];
    let about = event.about.as_deref().map(|about| format!(" “{}”", text::visible(about))).unwrap_or_default();
    match place.into_iter().flatten().next() {
        Some((_, href)) if href == here => None,
        Some((kind, href)) => Some(view! { <a class="min-w-0 wrap-anywhere" href=href>{kind} {about}</a> }.into_any()),
        None => (!about.is_empty()).then(|| view! { <span class="min-w-0 wrap-anywhere text-soft">{about}</span> }.into_any()),
    }
}

#[component]
fn Row(event: EventRow, select: bool, here: String) -> impl IntoView {
    let dead = event.state == EventState::Dead;
    let work = task(&event.task);
    let tick = select.then(|| match dead {
        true => view! { <Tick id=event.id.to_string() name=work.clone() field="ids[]" /> }.into_any(),
        false => view! { <td class="pr-0!"></td> }.into_any(),
    });
    let retry = (select && dead).then(|| {
        let label = format!("Retry “{work}”");
        view! { <button class="button" type="submit" name="one" value=event.id.to_string() aria-label=label>"Retry"</button> }
    });
    let due = event.run_after.filter(|_| matches!(event.state, EventState::Failed)).map(|at| {
        view! { <p class="text-xs text-soft">"Next attempt " <Time at /></p> }
    });
    let subject = subject(&event, &here);
    let error = event.error.map(
        |error| view! { <p class="mt-0.5 text-sm wrap-anywhere whitespace-pre-wrap text-danger" dir="auto">{text::sentence(&error)}</p> },
    );
    view! {
        <tr data-testid="event">
            {tick}
            <td>
                <p class="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
                    <span class="font-medium">{work}</span>
                    <Badge text=kind(event.kind) />
                    {subject}
                </p>
                {event.outcome.map(|outcome| view! { <p class="text-sm break-words text-soft" dir="auto">{text::sentence(&outcome)}</p> })}
                {error}
                <p class="mt-0.5 text-xs text-soft @2xl:hidden">
                    {event.agent_slug.clone()} " · " <Time at=event.created_at />
                    {(event.attempt > 0).then(|| view! { <span class="@md:hidden">" · attempt " {event.attempt.to_string()}</span> })}
                </p>
            </td>
            <td><div class="flex flex-wrap items-center gap-x-2 gap-y-1">{state(event.state)} {due} {retry}</div></td>
            <td class="number hidden @md:table-cell">{event.attempt.to_string()}</td>
            <td class="hidden truncate @2xl:table-cell">{event.agent_slug}</td>
            <td class="hidden @2xl:table-cell"><Time at=event.created_at /></td>
        </tr>
    }
}
