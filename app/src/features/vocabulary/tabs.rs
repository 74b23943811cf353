use crate::ui::{PageTabs, tab};
use leptos::prelude::*;

#[component]
pub fn Tabs() -> impl IntoView {
    let tabs = [
        tab("/vocabulary", "Review"),
        tab("/vocabulary/terms", "Terms").with_subpages(),
        tab("/vocabulary/decisions", "Decisions").with_subpages(),
    ];
    view! { <PageTabs label="Vocabulary" tabs /> }
}
