use super::nav::Tabs;
use leptos::prelude::*;
use leptos_meta::Title;

/// The title of a page with a sentence about it, and the tabs of its section.
#[component]
pub fn PageHead(#[prop(into)] title: String, children: Children) -> impl IntoView {
    view! {
        <Title text=title.clone() />
        <header class="mb-5">
            <h1>{title}</h1>
            <div class="mt-0.5 text-sm text-soft">{children()}</div>
        </header>
        <Tabs />
    }
}

/// The link from a page to the list that it belongs to.
#[component]
pub fn Crumb(#[prop(into)] href: String, text: &'static str) -> impl IntoView {
    view! { <p class="mb-2 text-sm"><a href=href>{text}</a><span class="text-soft">" / "</span></p> }
}
