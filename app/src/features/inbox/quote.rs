use super::api::Quoted;
use crate::{
    features::erasure::SourceErased,
    ui::{Time, Titled, text},
};
use leptos::prelude::*;
use wire::{InboxQuote, MemoryEvidence};

/// The places that say what a memory says, each with the words around it.
#[component]
pub fn Quotes(quotes: Vec<InboxQuote>) -> impl IntoView {
    let one = |quote: InboxQuote| {
        let evidence = quote.evidence.clone();
        view! {
            <li class="space-y-1 border-l-2 border-line-strong pl-3" data-testid="quote">
                <blockquote class="said text-base" dir="auto">
                    <span class="text-soft">{text::visible(&quote.before)}</span>
                    <mark>{text::visible(&quote.evidence.quote)}</mark>
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

/// The places that say what a memory says, and what became of others; nothing if it came without a source.
#[component]
pub fn Evidence(quoted: Quoted) -> impl IntoView {
    let Quoted { quotes, erased_by } = quoted;
    (!quotes.is_empty() || erased_by.is_some()).then(|| {
        view! {
            <Titled id="evidence" title="Evidence">
                <div class="card space-y-3 p-4">
                    {(!quotes.is_empty()).then(|| view! { <Quotes quotes /> })}
                    {erased_by.map(|request| view! { <SourceErased request what="Evidence erased" /> })}
                </div>
            </Titled>
        }
    })
}
