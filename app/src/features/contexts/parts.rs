use super::{
    bar::{Legend, TokenBar},
    words::cut_sentence,
};
use crate::ui::{
    chart::{percent, share_of},
    text,
};
use leptos::prelude::*;
use wire::{ContextBlock, ContextCut};

/// How many of the budget's tokens a context has: `2,310 of 8,000 tokens (29 %)`.
pub fn used(tokens: u32, budget: u32) -> String {
    let share = percent(share_of(f64::from(tokens), f64::from(budget)));
    format!("{} of {} ({share})", text::number(i64::from(tokens)), text::count(i64::from(budget), "token", "tokens"))
}

/// What a context consists of: the bar with its legend, what was cut, and what is missing.
#[component]
pub fn Parts(tokens: u32, budget: u32, blocks: Vec<ContextBlock>, cut: Vec<ContextCut>, degraded: Vec<String>) -> impl IntoView {
    view! {
        <section aria-labelledby="tokens">
            <div class="mb-2 flex flex-wrap items-baseline justify-between gap-2">
                <h2 id="tokens">"Tokens"</h2>
                <span class="text-sm text-soft" data-testid="used">{used(tokens, budget)}</span>
            </div>
            <div class="card">
                <div class="px-3 pt-3 pb-1"><TokenBar blocks=blocks.clone() scale=tokens /></div>
                <Legend blocks />
            </div>
            <Losses cut degraded />
        </section>
    }
}

/// What was cut from which block, and what could not be provided.
#[component]
pub fn Losses(cut: Vec<ContextCut>, degraded: Vec<String>) -> impl IntoView {
    let cut = (!cut.is_empty()).then(|| {
        let lines = cut.iter().map(|cut| view! { <li>{cut_sentence(cut)}</li> }).collect_view();
        view! {
            <div class="mt-3 rounded-md border border-warn bg-warn-wash px-3 py-2 text-sm text-warn" data-testid="cut">
                <p class="font-medium">"Cut to fit the budget"</p>
                <ul class="list-disc space-y-0.5 pl-5">{lines}</ul>
            </div>
        }
    });
    let degraded = (!degraded.is_empty()).then(|| {
        view! {
            <div class="mt-3 rounded-md border border-danger bg-danger-wash px-3 py-2 text-sm text-danger" data-testid="degraded">
                <p class="font-medium">"Could not be provided"</p>
                <p>{degraded.join(", ")}</p>
            </div>
        }
    });
    (cut, degraded)
}
