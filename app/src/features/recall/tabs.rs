use crate::ui::{PageTabs, tab};
use leptos::prelude::*;

#[component]
pub fn PlaygroundTabs() -> impl IntoView {
    view! { <PageTabs label="Playground" tabs=[tab("/recall/playground", "Recall"), tab("/recall/playground/context", "Assemble a context")] /> }
}
