use super::{account::Account, numbers::NumbersResource};
use crate::{
    features::places::SearchLink,
    ui::{Icon, Logo, Shape, awaited, text},
};
use leptos::prelude::*;
use leptos_router::components::A;

/// Path, label and icon.
pub type Page = (&'static str, &'static str, Shape);

/// The pages of the sidebar, in groups.
pub const PAGES: [(&str, &[Page]); 5] = [
    (
        "Memory",
        &[
            ("/", "Overview", Shape::Overview),
            ("/agents", "Agents", Shape::Agents),
            ("/memories", "Memories", Shape::Memories),
            ("/people", "People", Shape::People),
            ("/projects", "Projects", Shape::Projects),
            ("/lifecycle", "Lifecycle", Shape::Restore),
        ],
    ),
    (
        "Capture",
        &[
            ("/inbox", "Inbox", Shape::Inbox),
            ("/capture", "Capture", Shape::Add),
            ("/sources", "Sources", Shape::Sources),
            ("/events", "Events", Shape::Events),
        ],
    ),
    (
        "Knowledge",
        &[
            ("/vocabulary", "Vocabulary", Shape::Vocabulary),
            ("/knowledge", "Documents", Shape::Knowledge),
            ("/prompts", "Prompts", Shape::Prompts),
        ],
    ),
    (
        "Recall",
        &[
            ("/recall", "Health", Shape::Health),
            ("/quality", "Quality", Shape::Done),
            ("/recall/log", "Log", Shape::Log),
            ("/recall/contexts", "Context log", Shape::Context),
            ("/recall/playground", "Playground", Shape::Playground),
            ("/recall/diagnose", "Diagnose", Shape::Diagnose),
            ("/recall/policy", "Search policy", Shape::Filter),
            ("/recall/model", "Embedding model", Shape::Model),
        ],
    ),
    ("Trust", &[("/audit", "Audit log", Shape::Audit), ("/usage", "Usage", Shape::Usage), ("/erasure", "Erasure", Shape::Delete)]),
];

/// The name of the product, as a link to the front page.
#[component]
pub fn Brand() -> impl IntoView {
    view! {
        <a class="flex h-8 items-center gap-2 px-2 font-semibold tracking-tight text-ink hover:no-underline" href="/">
            <Logo class="size-5" stroke="2.8" />
            "Remembrancer"
        </a>
    }
}

/// The links of the sidebar.
#[component]
pub fn Nav() -> impl IntoView {
    let link = |(href, text, shape): &Page| {
        let (href, text, shape) = (*href, *text, *shape);
        // With another page below its path, a link matches its own path only.
        let exact = PAGES
            .iter()
            .flat_map(|(_, pages)| *pages)
            .any(|(other, ..)| href == "/" || other.strip_prefix(href).is_some_and(|rest| rest.starts_with('/')));
        view! {
            <li>
                <A
                    href=href
                    exact=exact
                    attr:class="flex h-8 items-center gap-2.5 rounded-md px-2 text-ink hover:bg-sunken hover:no-underline \
                    aria-[current=page]:bg-accent-wash aria-[current=page]:font-medium aria-[current=page]:text-accent"
                >
                    <Icon shape />
                    {text}
                    {(href == "/inbox").then(|| view! { <Waiting /> })}
                </A>
            </li>
        }
    };
    let group = |(name, pages): &(&'static str, &'static [Page])| {
        view! {
            <div>
                <p class="mb-1 px-2 text-xs text-soft">{*name}</p>
                <ul class="space-y-0.5">{pages.iter().map(link).collect_view()}</ul>
            </div>
        }
    };
    view! {
        <nav class="space-y-4" aria-label="Main" data-frame="">
            {PAGES.iter().map(group).collect_view()}
        </nav>
    }
}

/// How many candidates wait, as a badge; nothing if none does.
#[component]
fn Waiting() -> impl IntoView {
    let numbers = NumbersResource::expect();
    awaited(async move {
        let inbox = numbers.await.map_or(0, |numbers| numbers.inbox);
        (inbox > 0).then(|| {
            view! {
                <span class="badge ml-auto border-transparent bg-accent-wash text-accent">
                    {text::total_number(inbox)} <span class="sr-only">{if inbox == 1 { " candidate waits" } else { " candidates wait" }}</span>
                </span>
            }
        })
    })
}

/// The navigation for narrow screens: a bar with a menu that opens without JavaScript.
#[component]
pub fn MobileNav() -> impl IntoView {
    view! {
        <header class="sticky top-0 z-20 flex h-12 items-center justify-between border-b border-line bg-canvas px-2 md:hidden">
            <Brand />
            <SearchLink narrow=true />
            <details>
                <summary class="button button-quiet px-2!">
                    <Icon shape=Shape::Menu />
                    "Menu"
                </summary>
                <div class="absolute inset-x-0 top-full max-h-[calc(100dvh-3rem)] space-y-5 overflow-y-auto border-y border-line bg-canvas \
                px-3 py-4 shadow-lg">
                    <Nav />
                    <Account />
                </div>
            </details>
        </header>
    }
}
