use crate::{
    layout::NumbersResource,
    ui::{awaited, text},
};
use leptos::prelude::*;
use leptos_router::components::A;

/// The tabs of the inbox pages, with how much waits behind each.
#[component]
pub fn Tabs() -> impl IntoView {
    let tab = |(href, text, count): (&'static str, &'static str, bool)| {
        view! {
            <li>
                <A
                    href=href
                    exact=true
                    attr:class="-mb-px flex items-center gap-1.5 border-b-2 border-transparent px-2 py-1.5 sm:px-3 text-soft hover:text-ink \
                    hover:no-underline aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
                >
                    {text}
                    {count.then(|| view! { <Quarantined /> })}
                </A>
            </li>
        }
    };
    view! {
        <nav class="mb-4 border-b border-line" aria-label="Inbox">
            <ul class="-ml-2 flex flex-wrap sm:-ml-3">
                {[("/inbox", "Candidates", false), ("/inbox/suggestions", "Suggestions", false), ("/inbox/quarantine", "Quarantine", true), ("/inbox/policy", "Policy", false)]
                    .map(tab)
                    .collect_view()}
            </ul>
        </nav>
    }
}

/// How many turns wait in quarantine, as a badge; nothing if none does.
#[component]
fn Quarantined() -> impl IntoView {
    let numbers = NumbersResource::expect();
    awaited(async move {
        let turns = numbers.await.map_or(0, |numbers| numbers.quarantined);
        (turns > 0).then(|| view! { <span class="badge border-transparent bg-warn-wash text-warn">{text::number(turns)}</span> })
    })
}
