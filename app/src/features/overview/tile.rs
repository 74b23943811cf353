use crate::ui::{Icon, Shape};
use leptos::prelude::*;

/// A number with its explanation, as a link to the page with the details.
#[component]
pub fn Tile(
    href: &'static str,
    shape: Shape,
    title: &'static str,
    #[prop(into)] value: String,
    /// Spans two columns.
    #[prop(optional)]
    wide: bool,
    children: Children,
) -> impl IntoView {
    view! {
        <li class=wide.then_some("sm:col-span-2")>
            <a class="card block h-full p-4 text-ink hover:border-line-strong hover:no-underline" href=href data-testid="tile">
                <span class="flex items-center gap-2 text-sm text-soft">
                    <Icon shape />
                    {title}
                </span>
                <span class="mt-1 block text-2xl font-semibold tracking-tight" data-testid="value">
                    {value}
                </span>
                <span class="mt-1 block space-y-1 text-sm text-soft">{children()}</span>
            </a>
        </li>
    }
}

/// A warning inside a tile.
#[component]
pub fn Alarm(#[prop(into)] text: String, #[prop(optional)] danger: bool) -> impl IntoView {
    let class = if danger { "text-danger" } else { "text-warn" };
    view! {
        <span class=format!("flex items-start gap-1.5 font-medium {class}")>
            <span class="pt-0.5">
                <Icon shape=Shape::Alert />
            </span>
            {text}
        </span>
    }
}
