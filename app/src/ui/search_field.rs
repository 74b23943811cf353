use super::{Icon, Shape};
use leptos::prelude::*;

/// The search field of a page: `/` focuses it, and its value is `q` of the URL.
#[component]
pub fn SearchField(#[prop(into)] value: String, label: &'static str, hint: &'static str) -> impl IntoView {
    view! {
        <div class="relative grow basis-full sm:basis-56">
            <label class="sr-only" for="field-q">
                {label}
            </label>
            <span class="pointer-events-none absolute top-2 left-2.5 text-soft">
                <Icon shape=Shape::Search />
            </span>
            <input
                class="input peer px-8!"
                id="field-q"
                name="q"
                type="search"
                placeholder=hint
                autocomplete="off"
                data-keys="/"
                value=value
            />
            <kbd class="kbd pointer-events-none absolute top-2 right-2.5 hidden md:peer-placeholder-shown:block" aria-hidden="true">
                "/"
            </kbd>
        </div>
    }
}
