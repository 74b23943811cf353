use crate::ui::PageTabs;
use leptos::prelude::*;

const TABS: &[(&str, &str)] = &[("/recall/playground", "Recall"), ("/recall/playground/context", "Assemble a context")];

/// The tabs of the playground.
#[component]
pub fn PlaygroundTabs() -> impl IntoView {
    view! { <PageTabs label="Playground" tabs=TABS /> }
}
