use leptos::prelude::*;
use leptos_router::components::A;

/// A link to one page of a topic.
pub struct Tab {
    href: &'static str,
    text: &'static str,
    exact: bool,
    badge: Option<AnyView>,
}

pub fn tab(href: &'static str, text: &'static str) -> Tab {
    Tab { href, text, exact: true, badge: None }
}

impl Tab {
    /// The tab is current on the pages below its own, too.
    pub fn with_subpages(self) -> Self {
        Self { exact: false, ..self }
    }

    /// Shows something after the name, such as how much waits on the page.
    pub fn with_badge(self, badge: AnyView) -> Self {
        Self { badge: Some(badge), ..self }
    }
}

/// Links between the pages of one topic.
#[component]
pub fn PageTabs<const N: usize>(label: &'static str, tabs: [Tab; N]) -> impl IntoView {
    let one = |Tab { href, text, exact, badge }: Tab| {
        view! {
            <li class="shrink-0">
                <A
                    href=href
                    exact=exact
                    attr:class="flex items-center gap-1.5 border-b-2 border-transparent px-1 pb-1.5 text-soft hover:text-ink hover:no-underline \
                    aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
                >
                    {text}
                    {badge}
                </A>
            </li>
        }
    };
    view! {
        <nav class="mb-4 border-b border-line" aria-label=label>
            <ul class="flex gap-2 overflow-x-auto sm:gap-4">{tabs.into_iter().map(one).collect_view()}</ul>
        </nav>
    }
}
