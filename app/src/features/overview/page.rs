use super::{api::front_page, attention::NeedsAttention, last_day::Last24Hours};
use crate::{
    layout::{NumbersResource, PageHead},
    ui::{ErrorView, Titled, awaited, reading, text},
};
use leptos::prelude::*;
use wire::Inventory;

/// The front page: what needs attention, what happened in the last 24 hours, and how much there is.
#[component]
pub fn OverviewPage() -> impl IntoView {
    let numbers = reading(front_page());
    let review = NumbersResource::expect();
    view! {
        <PageHead title="Overview">"What needs attention, what agents learned and asked, and how much they know."</PageHead>
        {awaited(async move {
            match (numbers.await, review.await) {
                (Ok(overview), Ok(review)) => {
                    let inventory = overview.inventory;
                    view! {
                        // With JavaScript the page refreshes when something happens.
                        <div class="space-y-8" data-live="">
                            {(inventory.agents == 0).then(|| view! { <Start /> })}
                            <NeedsAttention attention=overview.attention review />
                            <Last24Hours day=overview.last_day />
                            <Totals inventory />
                        </div>
                    }
                    .into_any()
                }
                (Err(error), _) | (_, Err(error)) => view! { <div class="card"><ErrorView error /></div> }.into_any(),
            }
        })}
    }
}

/// What to do first in an organisation without agents.
#[component]
fn Start() -> impl IntoView {
    view! {
        <section aria-labelledby="start" class="card px-4 py-4" data-testid="start">
            <h2 class="mb-2" id="start">"Connect your first agent"</h2>
            <ol class="list-decimal space-y-2 pl-5 text-sm">
                <li>
                    "Make an agent. "
                    <a class="underline" href="/agents">"Agents"</a>
                </li>
                <li>
                    "Make a key and copy the lines for the program in which the agent runs. "
                    <a class="underline" href="/agents/connect">"Connect an agent"</a>
                    " "
                    <a class="underline" href="/api/docs" rel="external">"API reference"</a>
                </li>
                <li>
                    "Put a prompt into its instructions, so that it remembers and recalls at the right moments. "
                    <a class="underline" href="/prompts">"Prompts"</a>
                </li>
                <li>
                    "Try out what it recalls. "
                    <a class="underline" href="/recall/playground">"Playground"</a>
                </li>
            </ol>
        </section>
    }
}

/// How much there is, as small numbers that lead to their lists.
#[component]
fn Totals(inventory: Inventory) -> impl IntoView {
    let totals = [
        ("Agents", inventory.agents, "/agents"),
        ("Memories", inventory.memories, "/memories"),
        ("Terms", inventory.terms, "/vocabulary/terms"),
        ("Documents", inventory.documents, "/knowledge"),
        ("Profiles of people", inventory.profiles, "/people"),
    ];
    let total = |(name, count, href): (&'static str, i64, &'static str)| {
        view! {
            <li>
                <a class="block px-4 py-3 text-ink hover:bg-sunken hover:no-underline" href=href data-testid="inventory">
                    <span class="block text-sm text-soft">{name}</span>
                    " "
                    <span class="text-lg font-semibold" data-testid="value">{text::number(count)}</span>
                </a>
            </li>
        }
    };
    let refiling = (inventory.recanonicalising > 0).then(|| {
        let memories = text::count(inventory.recanonicalising, "memory is", "memories are");
        view! { <p class="mt-2 text-sm text-soft">{format!("{memories} being refiled after decisions on the vocabulary.")}</p> }
    });
    view! {
        <Titled id="totals" title="Totals">
            <ul class="card grid grid-cols-2 sm:grid-cols-5">{totals.map(total).collect_view()}</ul>
            {refiling}
            <p class="mt-2 text-xs text-soft">{concat!("Remembrancer ", env!("CARGO_PKG_VERSION"))}</p>
        </Titled>
    }
}
