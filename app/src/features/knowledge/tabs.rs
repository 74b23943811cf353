use crate::ui::{PageTabs, tab};
use leptos::prelude::*;

#[component]
pub fn Tabs() -> impl IntoView {
    let tabs = [
        tab("/knowledge", "Documents"),
        tab("/knowledge/runs", "Ingestions"),
        tab("/knowledge/topology", "Topology"),
        tab("/knowledge/upload", "Upload"),
    ];
    view! { <PageTabs label="Knowledge" tabs /> }
}
