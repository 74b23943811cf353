use crate::{
    Flash,
    ui::{PostForm, TextField, Titled, text},
};
use leptos::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};
use wire::{SourceId, SourceReading, SourceSpeaker};

/// Speakers on a page; those with the most turns come first.
const LISTED: usize = 200;
/// Longest name of a speaker, in characters.
const NAME_MAX: usize = 200;

/// Who speaks in a source, with a form to rename each; nothing where nobody is named and nobody should be. Works without JavaScript.
#[component]
pub fn Speakers(
    source: SourceId,
    reading: SourceReading,
    may_change: bool,
    /// A form that was refused.
    flash: Option<Flash>,
) -> impl IntoView {
    let SourceReading { speakers, unnamed_turns, warnings, .. } = reading;
    if speakers.is_empty() && warnings.is_empty() {
        return ().into_any();
    }
    let names = may_change.then(|| {
        let options = speakers.iter().take(LISTED).map(|one| view! { <option value=one.name.clone()></option> }).collect_view();
        view! { <datalist id="speaker-names">{options}</datalist> }
    });
    let more = speakers.len().saturating_sub(LISTED);
    let more = (more > 0).then(|| {
        let more = text::count(i64::try_from(more).unwrap_or(i64::MAX), "speaker", "speakers");
        view! { <li class="px-4 py-2 text-sm text-soft">{more} " with fewer turns"</li> }
    });
    let unnamed = (unnamed_turns > 0).then(|| {
        let turns = text::count(unnamed_turns, "turn", "turns");
        view! { <li class="px-4 py-2 text-sm text-soft" data-testid="unnamed">"Nobody named: " {turns}</li> }
    });
    let rows = speakers
        .into_iter()
        .take(LISTED)
        .map(|speaker| {
            let id = format!("speaker-{}", key(&speaker.name));
            let form = may_change.then(|| view! { <Rename source speaker=speaker.clone() flash=flash.clone() /> });
            view! {
                <li class="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2 text-sm" id=id data-testid="speaker">
                    <span class="min-w-0 font-medium break-words" dir="auto">{text::visible(&speaker.name)}</span>
                    <span class="text-soft">{text::count(speaker.turns, "turn", "turns")}</span>
                    {form}
                </li>
            }
        })
        .collect_view();
    let warnings =
        warnings.into_iter().map(|warning| view! { <li class="px-4 py-2 text-sm" data-testid="warning">{warning}</li> }).collect_view();
    view! {
        <Titled id="speakers" title="Speakers">
            <ul class="card divide-y divide-line">{warnings} {rows} {more} {unnamed}</ul>
            {names}
        </Titled>
    }
    .into_any()
}

/// An id for the elements of a speaker. It depends on the name alone, so a refresh of the page finds them where the list has changed, too.
fn key(name: &str) -> String {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    format!("{:x}", hasher.finish())
}

/// The folded form that gives a speaker another name.
#[component]
fn Rename(source: SourceId, speaker: SourceSpeaker, flash: Option<Flash>) -> impl IntoView {
    let (typed, error) = flash.and_then(|flash| flash.refused_at(("speaker", &speaker.name), "name")).unzip();
    let (open, typed) = (typed.is_some(), typed.map(|typed| typed.text("name")).unwrap_or_default());
    let named = text::visible(&speaker.name);
    view! {
        <details class="ml-auto max-w-full open:basis-full" open=open>
            <summary class="button button-quiet h-6! px-2! text-xs!">
                "Rename…" <span class="sr-only">" " {named}</span>
            </summary>
            <PostForm class="mt-1.5 max-w-md space-y-2 pb-1" action="/console/api/rename_speaker" fields=[
                ("source", source.to_string()), ("speaker", speaker.name.clone()), ("shown", speaker.turns.to_string()),
            ]>
                <TextField
                    id=format!("speaker-name-{}", key(&speaker.name))
                    name="name"
                    label="New name"
                    value=typed
                    list="speaker-names"
                    required=true
                    most=NAME_MAX
                    dir="auto"
                    note="The name of another speaker makes the two one. That cannot be undone."
                    error=error.flatten()
                />
                <button class="button" type="submit">
                    "Rename speaker"
                </button>
            </PostForm>
        </details>
    }
}
