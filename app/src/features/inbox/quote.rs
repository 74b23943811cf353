use super::api::Quoted;
use crate::{
    features::erasure::SourceErased,
    ui::{Time, Titled, Zone, text},
};
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use wire::{InboxQuote, MemoryEvidence};

/// The places that say what a memory says, each with the words around it.
#[component]
pub fn Quotes(
    quotes: Vec<InboxQuote>,
    /// Whether they say the same as the memory: then their words are marked.
    #[prop(default = true)]
    support: bool,
) -> impl IntoView {
    let one = |quote: InboxQuote| {
        let evidence = quote.evidence.clone();
        let words = text::visible(&evidence.quote);
        let words = if support { view! { <mark>{words}</mark> }.into_any() } else { view! { <span>{words}</span> }.into_any() };
        view! {
            <li class="space-y-1 border-l-2 border-line-strong pl-3" data-testid="quote">
                <blockquote class="said text-base" dir="auto">
                    <span class="text-soft">{text::visible(&quote.before)}</span>
                    {words}
                    <span class="text-soft">{text::visible(&quote.after)}</span>
                </blockquote>
                <Place evidence />
            </li>
        }
    };
    view! {
        <section aria-label="Quotes">
            <ul class="max-h-96 space-y-3 overflow-y-auto" tabindex="0">{quotes.into_iter().map(one).collect_view()}</ul>
        </section>
    }
}

/// The quote of one side of a suggestion.
#[component]
pub fn ShortQuote(evidence: MemoryEvidence) -> impl IntoView {
    view! {
        <div class="space-y-1 border-l-2 border-line-strong pl-3">
            <blockquote class="said text-sm" dir="auto"><mark>{text::visible(&evidence.quote)}</mark></blockquote>
            <Place evidence />
        </div>
    }
}

/// Who said it, when, and where.
#[component]
fn Place(evidence: MemoryEvidence) -> impl IntoView {
    let speaker = evidence.speaker.map(|speaker| view! { <span class="font-medium" dir="auto">{speaker}</span> });
    view! {
        <p class="flex flex-wrap gap-x-2 text-xs text-soft">
            {speaker}
            {evidence.observed_at.map(|at| view! { <Time at /> })}
            <a class="wrap-anywhere" dir="auto" href=format!("/sources/{}", evidence.source_id)>{evidence.source_title}</a>
        </p>
    }
}

/// The places that say what a memory says, or said before a person corrected it, and what became of others; nothing if it came without a
/// source.
#[component]
pub fn Evidence(
    quoted: Quoted,
    /// Who corrected the memory, and when.
    corrected: Option<(String, DateTime<Utc>)>,
) -> impl IntoView {
    let Quoted { quotes, erased_by } = quoted;
    let support = corrected.is_none();
    let corrected = corrected.filter(|_| !quotes.is_empty()).map(|(by, at)| {
        let day = text::day(Zone::expect().local(at).date_naive());
        view! { <p class="text-sm wrap-anywhere" data-testid="corrected">{format!("Corrected by {} on {day}; the source says:", text::visible(&by))}</p> }
    });
    (!quotes.is_empty() || erased_by.is_some()).then(|| {
        view! {
            <Titled id="evidence" title="Evidence">
                <div class="card space-y-3 p-4">
                    {corrected}
                    {(!quotes.is_empty()).then(|| view! { <Quotes quotes support /> })}
                    {erased_by.map(|request| view! { <SourceErased request what="Evidence erased" /> })}
                </div>
            </Titled>
        }
    })
}
