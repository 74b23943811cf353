use leptos::prelude::*;
use leptos_router::components::A;

/// Links between the pages of one topic: addresses and names.
#[component]
pub fn PageTabs(label: &'static str, tabs: &'static [(&'static str, &'static str)]) -> impl IntoView {
    let tab = |(href, text): (&'static str, &'static str)| {
        view! {
            <A
                href=href
                exact=true
                attr:class="-mb-px border-b-2 border-transparent px-1 pb-2 text-soft hover:text-ink hover:no-underline \
                aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
            >
                {text}
            </A>
        }
    };
    view! {
        <nav class="mb-4 flex gap-4 border-b border-line" aria-label=label>
            {tabs.iter().copied().map(tab).collect_view()}
        </nav>
    }
}
