use leptos::prelude::*;
use leptos_meta::Title;

/// The page for an unknown URL.
#[component]
pub fn NotFound() -> impl IntoView {
    crate::guard::set_status(wire::ErrorCode::NotFound);
    view! {
        <Title text="Not found" />
        <main id="main" class="mx-auto flex min-h-dvh max-w-md flex-col justify-center px-6">
            <p class="mb-2 font-mono text-sm text-soft">"404"</p>
            <h1>"Page not found"</h1>
            <p class="mt-2 mb-5 text-soft">
                "The link may be old or mistyped. Memories keep their address: "
                "a deleted memory still has its page."
            </p>
            <p class="flex gap-2">
                <a class="button button-primary" href="/">
                    "Overview"
                </a>
                <a class="button" href="/memories">
                    "Memories"
                </a>
            </p>
        </main>
    }
}
