use super::words::{reading, state, unfinished};
use crate::ui::{
    chart::{percent, share_of},
    text,
};
use leptos::prelude::*;
use wire::{EventState, SourceRow};

/// The state of a source in a list: a badge, and how much was read while it is being read.
#[component]
pub fn StateCell(source: SourceRow) -> impl IntoView {
    let share = (source.state == Some(EventState::Running)).then(|| percent(source.progress));
    match source.state {
        Some(now) => view! { {state(now)} {share.map(|share| view! { <span class="ml-1.5 text-xs text-soft">{share}</span> })} }.into_any(),
        None => view! { <span class="text-soft">"Not captured"</span> }.into_any(),
    }
}

/// What is happening to a source, how much of it was read, and the way to its candidates.
#[component]
pub fn Progress(source: SourceRow) -> impl IntoView {
    let (going, waits) = (unfinished(&source), text::count(source.waiting, "candidate", "candidates"));
    let width = format!("{:.1}", share_of(source.progress, 1.0) * 100.0);
    let bar = going.then(|| {
        view! {
            <div class="flex items-center gap-3 text-sm text-soft">
                <svg class="h-2 w-full max-w-md" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                    <rect class="fill-line" width="100" height="4" />
                    <rect class="fill-accent" width=width height="4" />
                </svg>
                <span data-testid="progress">{percent(source.progress)} " read"</span>
            </div>
        }
    });
    let quarantined = (source.quarantined > 0).then(|| {
        let turns = text::count(source.quarantined, "turn waits", "turns wait");
        view! { <a href="/inbox/quarantine">{turns} " in quarantine"</a> }
    });
    let review = (source.waiting > 0).then(|| {
        let href = format!("/inbox?source={}", source.id);
        view! { <a class="button button-primary" href=href>"Review " {waits.clone()}</a> }
    });
    let counts = format!("{waits} waiting, {} active, {} rejected", text::number(source.active), text::number(source.rejected));
    // Without JavaScript the page loads itself again. With it the noscript element stays text.
    let reload = going.then(|| view! { <noscript inner_html=r#"<meta http-equiv="refresh" content="3">"#></noscript> });
    view! {
        {reload}
        <section class="card space-y-2 p-4" aria-label="Progress" data-testid="reading" data-again=going.then_some("")>
            <p class="font-medium" aria-live="polite">{reading(&source)}</p>
            {bar}
            <p class="flex flex-wrap gap-x-3 text-sm text-soft">
                <span>{counts}</span>
                {quarantined}
            </p>
            {review}
        </section>
    }
}
