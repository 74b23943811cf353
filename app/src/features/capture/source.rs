use super::{add::Adding, api::read_source, progress::Progress, speakers::Speakers, table::EventTable, turns::Turns, words::form};
use crate::{
    Flash,
    features::{
        erasure::{SourceErased, erased_by},
        session::Viewer,
    },
    guard::by_id,
    layout::{Crumb, ViewerResource},
    query::{use_param, use_query},
    ui::{Time, Titled, awaited, or_missing, reading, text},
};
use leptos::prelude::*;
use leptos_meta::Title;
use wire::{ErasureId, ErrorCode, OperatorRole, SourceDetail, SourceId, SourceRow};

const UNKNOWN: &str = "No source has this id.";

/// The page of one source: whether it was read, its turns with what memories quote, and the events that worked on it.
#[component]
pub fn SourcePage() -> impl IntoView {
    let id = use_param::<SourceId>("id");
    let query = use_query();
    let turn = query.get("turn").and_then(|turn| turn.parse::<i64>().ok()).unwrap_or(0).max(0);
    let (from, open) = (usize::try_from(turn).unwrap_or(0), query.get("add").and_then(|turn| turn.parse().ok()));
    let detail = reading(by_id(id, move |id| read_source(id, turn), UNKNOWN));
    let erased = reading(by_id(id, |id: SourceId| erased_by(id.0), UNKNOWN));
    let who = ViewerResource::expect();
    view! {
        <Crumb href="/sources" text="Sources" />
        {awaited(async move {
            let viewer = who.await.ok();
            let has = |role| viewer.as_ref().is_some_and(|viewer| viewer.profile.has(role));
            let (may_change, may_add) = (has(OperatorRole::Operator), has(OperatorRole::Reviewer));
            let flash = viewer.and_then(Viewer::refused);
            let adding = may_add.then(|| Adding { from, open, flash: flash.clone() });
            let erased = erased.await.ok().flatten();
            match (detail.await, erased) {
                (Err(error), Some(request)) if error.code == ErrorCode::NotFound => view! { <Erased request /> }.into_any(),
                (detail, erased) => or_missing("Source", detail, |detail| view! { <Whole detail erased may_change flash adding /> }),
            }
        })}
    }
}

/// The page of a source that is no more.
#[component]
fn Erased(request: ErasureId) -> impl IntoView {
    view! {
        <Title text="Source erased" />
        <header class="mb-5"><h1>"Source erased"</h1></header>
        <div class="card space-y-2 p-4">
            <p>"This source was erased, because it belonged to a person or mentioned one. Its text cannot be restored."</p>
            <SourceErased request />
        </div>
    }
}

#[component]
fn Whole(detail: SourceDetail, erased: Option<ErasureId>, may_change: bool, flash: Option<Flash>, adding: Option<Adding>) -> impl IntoView {
    let source = detail.source.clone();
    let here = format!("/sources/{}", source.id);
    let (events, reading) = (detail.events.clone(), detail.reading.clone());
    view! {
        <Title text=source.title.clone() />
        <header class="mb-5">
            <h1 class="wrap-anywhere" dir="auto">{source.title.clone()}</h1>
            <Facts source=source.clone() timed=reading.timed_turns />
            {erased.map(|request| view! { <SourceErased request what="Turns of this source were erased" /> })}
        </header>
        <div class="max-w-4xl space-y-6">
            {match source.media_type.clone() {
                Some(media_type) => view! { <Attachment media_type bytes=source.bytes /> }.into_any(),
                None => {
                    let speakers = view! { <Speakers source=source.id reading may_change flash /> };
                    view! { <Progress source /> {speakers} <Turns detail adding /> }.into_any()
                }
            }}
            <Titled id="events" title="Events">
                {match events.is_empty() {
                    true => view! { <p class="text-sm text-soft">"No events for this source yet."</p> }.into_any(),
                    false => view! { <div class="card"><EventTable events may_retry=may_change here /></div> }.into_any(),
                }}
            </Titled>
        </div>
    }
}

/// What is known of an attachment that is not text.
#[component]
fn Attachment(media_type: String, bytes: i64) -> impl IntoView {
    view! {
        <p class="card p-4 text-sm" data-testid="attachment">
            "This attachment is not text (" <span class="font-mono text-xs">{media_type}</span> ", " {text::bytes(bytes)}
            "). It is stored, but no memories are extracted from it."
        </p>
    }
}

#[component]
fn Facts(source: SourceRow, timed: i64) -> impl IntoView {
    let turns = match source.turns {
        0 => "0 turns".to_owned(),
        turns => format!("{} of {} a time", text::number(timed), text::count(turns, "turn has", "turns have")),
    };
    let size = format!("{} · {} · {turns}", form(source.form), text::bytes(source.bytes));
    let parts = (source.parts > 1).then(|| format!(" · {} parts", source.parts));
    view! {
        <p class="mt-1 text-sm text-soft">
            <a class="underline" href=format!("/sources?agent={}", source.agent_id)>{source.agent_slug}</a>
            " · " {size} {parts} " · captured " <Time at=source.created_at />
        </p>
    }
}
