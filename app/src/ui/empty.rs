use super::{Icon, Shape};
use leptos::prelude::*;

/// An empty state in place of rows: what is missing, and how to make it appear.
#[component]
pub fn Empty(shape: Shape, #[prop(into)] title: String, children: Children) -> impl IntoView {
    view! {
        <div class="flex flex-col items-center px-6 py-14 text-center" data-testid="empty">
            <span class="mb-3 rounded-full bg-sunken p-2.5 text-soft">
                <Icon shape />
            </span>
            <h2 class="mb-1">{title}</h2>
            <div class="w-full max-w-xl text-sm text-soft">{children()}</div>
        </div>
    }
}

/// Where to go while no agent has called: to the agents and their keys, or to a playground that needs none.
#[component]
pub fn FirstCalls(playground: &'static str) -> impl IntoView {
    view! {
        <p class="flex flex-wrap justify-center gap-2">
            <a class="button" href="/agents">"Connect an agent"</a>
            <a class="button button-quiet" href=playground>
                <Icon shape=Shape::Playground />
                "Open the playground"
            </a>
        </p>
    }
}
