use super::add::{AddCandidate, Adding, form_at};
use crate::ui::{Icon, Shape, Titled, text};
use chrono::{DateTime, FixedOffset, Timelike};
use leptos::prelude::*;
use wire::{MemoryStatus, QuotedMemory, SourceDetail, SourceId, SourcePiece, SourceTurn};

/// A page of the turns of a source. What memories quote is marked and leads to them; what is in quarantine has its reasons.
#[component]
pub fn Turns(
    detail: SourceDetail,
    /// Absent for those who may not add candidates.
    adding: Option<Adding>,
) -> impl IntoView {
    let id = detail.source.id;
    let page = |turn: i64| if turn == 0 { format!("/sources/{id}") } else { format!("/sources/{id}?turn={turn}") };
    let step = |turn: Option<i64>, rel: &'static str, name: &'static str| {
        turn.map(|turn| view! { <a class="button" rel=rel href=page(turn)>{name}</a> })
    };
    let pager = (detail.next_turn.is_some() || detail.previous_turn.is_some()).then(|| {
        view! {
            <nav class="flex justify-end gap-2 border-t border-line px-3 py-2" aria-label="Pages of turns">
                {step(detail.previous_turn, "prev", "Earlier turns")} {step(detail.next_turn, "next", "Later turns")}
            </nav>
        }
    });
    let zones = zones(&detail.turns);
    let may_add = adding.is_some();
    let Adding { from, open, flash } = adding.unwrap_or(Adding { from: 0, open: None, flash: None });
    let takes = |turn: &SourceTurn| may_add && !is_erased(turn) && turn.pieces.iter().all(|piece| piece.quarantined.is_empty());
    let open = open.filter(|open| open.checked_sub(from).and_then(|at| detail.turns.get(at)).is_some_and(takes));
    let form = move |turn: Option<usize>| view! { <AddCandidate source=id turn from flash=flash.clone() /> }.into_any();
    let mut day = None;
    let turns = (from..)
        .zip(detail.turns)
        .map(|(number, turn)| {
            let new_day = turn.at.is_some_and(|at| day.replace(at.date_naive()) != Some(at.date_naive()));
            let add = takes(&turn).then(|| (number, form_at(id, from, number)));
            let form = (open == Some(number)).then(|| form(open));
            view! { <Turn turn source=id new_day add form /> }
        })
        .collect_view();
    // There is one form: it is at its turn, or waits for words to be selected.
    let waiting = (may_add && open.is_none()).then(|| form(None));
    view! {
        <Titled id="turns" title="Text">
            <p class="mb-2 flex flex-wrap gap-x-4 text-xs text-soft">
                <span><mark class="px-1">"Candidate"</mark> " waits in the inbox"</span>
                <span><mark class="memory px-1">"Memory"</mark> " is recalled by agents"</span>
                <span><mark class="past px-1">"Past"</mark> " was rejected, deleted or replaced"</span>
                <span><span class="held px-1">"Quarantine"</span> " waits for a decision"</span>
                <span data-testid="zones">"Times in " {zones}</span>
            </p>
            <div class="card relative">
                <ol class="divide-y divide-line" data-testid="turns">{turns}</ol>
                {waiting}
                // The script shows it below words that are selected.
                {may_add
                    .then(|| {
                        view! {
                            <div class="absolute right-3 z-10 mt-1" data-add-selected hidden>
                                <button class="button button-primary shadow-lg" type="button" data-testid="add-selected">
                                    "Add candidate"
                                </button>
                            </div>
                        }
                    })}
                {pager}
            </div>
        </Titled>
    }
}

#[component]
fn Turn(
    turn: SourceTurn,
    source: SourceId,
    new_day: bool,
    /// Its number, and the URL that opens the form for a candidate of its words; absent if none is made from it.
    add: Option<(usize, String)>,
    form: Option<AnyView>,
) -> impl IntoView {
    let erases = is_erased(&turn);
    let erased = erases.then(|| view! { <p class="text-sm text-soft" data-testid="erased">"This turn was erased."</p> });
    let mut reasons: Vec<String> = Vec::new();
    for reason in turn.pieces.iter().flat_map(|piece| &piece.quarantined) {
        if !reasons.contains(reason) {
            reasons.push(reason.clone());
        }
    }
    let speaker = turn.speaker.map(|speaker| view! { <span class="font-medium text-ink" dir="auto">{speaker}</span> });
    let held = (!reasons.is_empty()).then(|| {
        view! {
            <div class="mt-2 flex items-start gap-1.5 text-sm text-danger" data-testid="held">
                <span class="pt-0.5"><Icon shape=Shape::Alert /></span>
                <p>
                    "In quarantine: " {reasons.join(" ")} " " <a class="underline" href="/inbox/quarantine">"Decide on it"</a>
                </p>
            </div>
        }
    });
    let (number, add) = add.unzip();
    let (id, tabindex) = (number.map(|number| format!("turn-{number}")), number.map(|_| "-1"));
    let add = add.map(|href| view! { <a class="ml-auto" href=href data-noscroll="true">"Add candidate"</a> });
    view! {
        <li class="px-4 py-3" id=id tabindex=tabindex data-testid="turn">
            <p class="mb-0.5 flex flex-wrap gap-x-2 text-xs text-soft empty:hidden">
                {speaker} {turn.at.map(|at| view! { <Clock at with_day=new_day /> })} {add}
            </p>
            {erased}
            <div class="said" class:hidden=erases dir="auto" data-turn=number.map(|number| number.to_string())>{turn.pieces.into_iter().map(|piece| view! { <Piece piece source /> }).collect_view()}</div>
            {held}
            {form}
        </li>
    }
}

/// Whether the words of a turn were erased: blanks are in their place.
fn is_erased(turn: &SourceTurn) -> bool {
    !turn.pieces.is_empty() && turn.pieces.iter().all(|piece| piece.text.trim().is_empty())
}

/// The zones of some turns' times: `UTC+01:00, UTC+02:00`.
fn zones(turns: &[SourceTurn]) -> String {
    let mut zones: Vec<String> = turns.iter().filter_map(|turn| turn.at).map(zone).collect();
    zones.sort();
    zones.dedup();
    if zones.is_empty() { "UTC".to_owned() } else { zones.join(", ") }
}

fn zone(at: DateTime<FixedOffset>) -> String {
    if at.offset().local_minus_utc() == 0 { "UTC".to_owned() } else { format!("UTC{}", at.offset()) }
}

/// The time of a turn on the clock of its speaker, with the day where that changes.
#[component]
fn Clock(at: DateTime<FixedOffset>, with_day: bool) -> impl IntoView {
    let day = with_day.then(|| format!("{}, ", text::day(at.date_naive())));
    view! { <time datetime=at.to_rfc3339() title=text::moment(&at, &zone(at))>{day} {format!("{:02}:{:02}", at.hour(), at.minute())}</time> }
}

#[component]
fn Piece(piece: SourcePiece, source: SourceId) -> impl IntoView {
    match piece.memory {
        Some(memory) => {
            let title = format!("{}: {}", fate(&memory), memory.content);
            let href = match memory.status {
                MemoryStatus::Inbox if !memory.deleted => format!("/inbox?source={source}&focus={}", memory.id),
                _ => format!("/memories/{}", memory.id),
            };
            view! { <a class="text-ink underline decoration-dotted" href=href title=title data-testid="quoted"><mark class=mark(&memory)>{piece.text}</mark></a> }
                .into_any()
        }
        None if piece.quarantined.is_empty() => view! { <span>{piece.text}</span> }.into_any(),
        None => view! { <span class="held" title=piece.quarantined.join(" ") data-testid="held-piece">{piece.text}</span> }.into_any(),
    }
}

/// The class of the mark on what a memory quotes.
fn mark(memory: &QuotedMemory) -> &'static str {
    match memory.status {
        _ if memory.deleted => "past",
        MemoryStatus::Inbox => "",
        MemoryStatus::Active | MemoryStatus::Contradicted => "memory",
        MemoryStatus::Superseded | MemoryStatus::Archived => "past",
    }
}

/// What became of a memory.
fn fate(memory: &QuotedMemory) -> &'static str {
    match memory.status {
        _ if memory.deleted => "Rejected or deleted",
        MemoryStatus::Inbox => "Candidate",
        MemoryStatus::Active => "Memory",
        MemoryStatus::Contradicted => "Contradicted memory",
        MemoryStatus::Superseded => "Superseded memory",
        MemoryStatus::Archived => "Archived memory",
    }
}
