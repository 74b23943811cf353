use super::{
    api::front_page,
    capture::CaptureTiles,
    silence::{Days, Legend},
    tile::{Alarm, Tile},
};
use crate::{
    layout::{NumbersResource, PageHead},
    ui::{ErrorView, Shape, Skeleton, chart::percent, text},
};
use leptos::prelude::*;
use remembrancer::api::{CaptureNumbers, Overview};

/// Seconds that an outbox row may wait for delivery before the front page warns.
const LATE: i64 = 60;

/// The front page: tiles with the health of the memory and with items that need attention, each a link.
#[component]
pub fn OverviewPage() -> impl IntoView {
    let numbers = Resource::new(|| (), |()| front_page());
    let capture = NumbersResource::expect();
    view! {
        <PageHead title="Overview">"Memory health, and items that need your attention."</PageHead>
        <Transition fallback=|| view! { <div class="card"><Skeleton rows=4 /></div> }>
            {move || Suspend::new(async move {
                match numbers.await {
                    Ok(overview) => view! { <Tiles overview capture=capture.await.unwrap_or_default() /> }.into_any(),
                    Err(error) => view! { <div class="card"><ErrorView error /></div> }.into_any(),
                }
            })}
        </Transition>
    }
}

#[component]
fn Tiles(overview: Overview, capture: CaptureNumbers) -> impl IntoView {
    let added = format!("{} new this week", text::number(overview.added));
    let waiting = if overview.proposals == 0 { "Nothing to decide" } else { "Phrases that wait for a decision" };
    let refiling = (overview.recanonicalising > 0)
        .then(|| format!("{} waiting to be re-indexed", text::count(overview.recanonicalising, "memory", "memories")));
    let failures =
        (overview.ingest_failures > 0).then(|| format!("{} failed to import", text::count(overview.ingest_failures, "file", "files")));
    let knowledge_dead = overview.knowledge_dead;
    view! {
        <ul class="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
            <Tile href="/agents" shape=Shape::Agents title="Agents" value=text::number(overview.agents)>
                "Each with a memory of its own"
            </Tile>
            <Tile href="/memories" shape=Shape::Memories title="Memories" value=text::number(overview.memories)>
                {added}
            </Tile>
            <Tile href="/vocabulary" shape=Shape::Done title="Proposals" value=text::number(overview.proposals)>
                <span class="block">{waiting}</span>
                {refiling.map(|text| view! { <span class="block">{text}</span> })}
            </Tile>
            <Tile href="/vocabulary/terms" shape=Shape::Vocabulary title="Terms" value=text::number(overview.terms)>
                "In the shared vocabulary"
            </Tile>
            <Health overview=overview.clone() />
            <Tile href="/knowledge" shape=Shape::Knowledge title="Documents" value=text::number(overview.documents)>
                {failures.is_none().then_some("Decided knowledge, in force")}
                {failures.map(|text| view! { <Alarm text /> })}
            </Tile>
            <Outbox overview />
            <CaptureTiles numbers=capture knowledge_dead />
        </ul>
    }
}

/// The tile with the share of recalls that found nothing.
#[component]
fn Health(overview: Overview) -> impl IntoView {
    let silence = overview.silence;
    let value = if silence.recalls == 0 { "No recalls".to_owned() } else { percent(silence.rate()) };
    let says = match silence.recalls {
        0 => "Nobody has asked in 7 days".to_owned(),
        n => format!("{} of {} in 7 days found nothing", text::number(silence.zero_hits), text::count(n, "recall", "recalls")),
    };
    let missed = (silence.expected_zero_hits > 0).then(|| {
        format!("{} of {} that should have known found nothing", text::number(silence.expected_zero_hits), text::number(silence.expected))
    });
    view! {
        <Tile href="/recall" shape=Shape::Health title="Recalls that found nothing" value wide=true>
            <span class="block">{says}</span>
            {missed.map(|text| view! { <Alarm text danger=true /> })}
            <Days days=overview.days />
            <Legend />
        </Tile>
    }
}

/// The tile with the changes that have not reached the audit log or another database.
#[component]
fn Outbox(overview: Overview) -> impl IntoView {
    let lag = match overview.outbox_seconds {
        _ if overview.outbox == 0 => "Everything is delivered".to_owned(),
        seconds if seconds < 60 => format!("The oldest has waited {} s", text::number(seconds)),
        seconds => format!("The oldest has waited {} min", text::number(seconds / 60)),
    };
    let late = overview.outbox > 0 && overview.outbox_seconds >= LATE;
    view! {
        <Tile href="/audit" shape=Shape::Outbox title="Outbox" value=text::number(overview.outbox)>
            {if late { view! { <Alarm text=lag /> }.into_any() } else { view! { <span class="block">{lag}</span> }.into_any() }}
        </Tile>
    }
}
