use crate::ui::{Titled, text};
use leptos::prelude::*;
use wire::Inventory;

/// How much there is, as small numbers that lead to their lists.
#[component]
pub fn Totals(inventory: Inventory) -> impl IntoView {
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
        </Titled>
    }
}
