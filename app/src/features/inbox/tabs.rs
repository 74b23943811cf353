use crate::{
    layout::NumbersResource,
    ui::{PageTabs, awaited, tab, text},
};
use leptos::prelude::*;

#[component]
pub fn Tabs() -> impl IntoView {
    let tabs = [
        tab("/inbox", "Candidates"),
        tab("/inbox/suggestions", "Suggestions"),
        tab("/inbox/quarantine", "Quarantine").with_badge(view! { <Quarantined /> }.into_any()),
        tab("/inbox/policy", "Policy"),
    ];
    view! { <PageTabs label="Inbox" tabs /> }
}

/// How many turns wait in quarantine, as a badge; nothing if none does.
#[component]
fn Quarantined() -> impl IntoView {
    let numbers = NumbersResource::expect();
    awaited(async move {
        let turns = numbers.await.map_or(0, |numbers| numbers.quarantined);
        (turns > 0).then(|| view! { <span class="badge border-transparent bg-warn-wash text-warn">{text::number(turns)}</span> })
    })
}
