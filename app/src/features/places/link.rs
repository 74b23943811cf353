use crate::ui::{Icon, Shape};
use leptos::prelude::*;

/// The link to the search page. With JavaScript the menu of [`crate::islands::GoTo`] opens in its place.
#[component]
pub fn SearchLink(#[prop(optional)] narrow: bool) -> impl IntoView {
    let class =
        if narrow { "button button-quiet ml-auto px-2!" } else { "button w-full shrink-0 justify-start! px-2! font-normal! text-soft!" };
    view! {
        <a
            class=class
            href="/search"
            data-go-to=""
            aria-keyshortcuts="Control+K Meta+K"
            data-keys="Ctrl+K"
            data-keys-label="Go to anything by its name"
        >
            <Icon shape=Shape::Search />
            "Search"
            {(!narrow).then(|| view! { <kbd class="kbd ml-auto" aria-hidden="true">"Ctrl K"</kbd> })}
        </a>
    }
}
