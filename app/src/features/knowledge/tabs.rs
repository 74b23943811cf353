use crate::ui::PageTabs;
use leptos::prelude::*;

const TABS: &[(&str, &str)] =
    &[("/knowledge", "Documents"), ("/knowledge/runs", "Ingestions"), ("/knowledge/topology", "Topology"), ("/knowledge/upload", "Upload")];

/// The tabs of the knowledge pages.
#[component]
pub fn Tabs() -> impl IntoView {
    view! { <PageTabs label="Knowledge" tabs=TABS /> }
}
