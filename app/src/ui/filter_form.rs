use leptos::prelude::*;

/// A form whose fields become the query of `action`. With JavaScript the page is exchanged in place, and empty fields stay out of the URL.
#[component]
pub fn FilterForm(#[prop(into)] action: String, label: &'static str, children: Children) -> impl IntoView {
    view! {
        // The values come from the URL; after "back" the browser must not restore later input.
        <form method="get" action=action role="search" aria-label=label autocomplete="off">
            {children()}
        </form>
    }
}
