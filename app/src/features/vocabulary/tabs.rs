use leptos::prelude::*;
use leptos_router::components::A;

/// The tabs of the vocabulary pages.
#[component]
pub fn Tabs() -> impl IntoView {
    let tab = |(href, text, exact): (&'static str, &'static str, bool)| {
        view! {
            <li>
                <A
                    href=href
                    exact=exact
                    attr:class="-mb-px block border-b-2 border-transparent px-3 py-1.5 text-soft hover:text-ink hover:no-underline \
                    aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
                >
                    {text}
                </A>
            </li>
        }
    };
    view! {
        <nav class="mb-4 border-b border-line" aria-label="Vocabulary">
            <ul class="-ml-3 flex">
                {[("/vocabulary", "Review", true), ("/vocabulary/terms", "Terms", false), ("/vocabulary/decisions", "Decisions", false)]
                    .map(tab)
                    .collect_view()}
            </ul>
        </nav>
    }
}
