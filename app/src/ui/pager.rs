use super::{Icon, Shape, is_reversed};
use crate::query::Query;
use leptos::prelude::*;

/// Links to the previous and next page of a list: `Newer` and `Older` in the order of its times, unless `names` says otherwise.
#[component]
pub fn Pager(
    path: &'static str,
    query: Query,
    previous: Option<String>,
    next: Option<String>,
    #[prop(optional)] names: Option<(&'static str, &'static str)>,
) -> impl IntoView {
    if previous.is_none() && next.is_none() {
        return ().into_any();
    }
    let names = names.unwrap_or(if is_reversed(&query) { ("Older", "Newer") } else { ("Newer", "Older") });
    let plain = query.without(&["after", "before", "peek", "focus"]);
    let back = previous.map(|cursor| plain.with("before", cursor).href(path));
    let on = next.map(|cursor| plain.with("after", cursor).href(path));
    view! {
        <nav class="flex items-center justify-end gap-2 px-3 py-2" aria-label="Pages">
            {step(back, "prev", names.0, Shape::Previous)} {step(on, "next", names.1, Shape::Next)}
        </nav>
    }
    .into_any()
}

fn step(href: Option<String>, rel: &'static str, text: &'static str, shape: Shape) -> impl IntoView {
    let first = (rel == "prev").then(|| view! { <Icon shape /> });
    let last = (rel == "next").then(|| view! { <Icon shape /> });
    match href {
        Some(href) => view! { <a class="button" rel=rel href=href>{first} {text} {last}</a> }.into_any(),
        None => view! { <span class="button button-off" aria-disabled="true">{first} {text} {last}</span> }.into_any(),
    }
}
