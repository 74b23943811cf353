use super::{Icon, Shape};
use crate::query::Query;
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

/// A card with an empty state: a sentence and one way on.
#[component]
pub fn EmptyCard(
    shape: Shape,
    #[prop(into)] title: String,
    #[prop(into)] says: String,
    #[prop(into)] href: String,
    link: &'static str,
) -> impl IntoView {
    view! {
        <div class="card">
            <Empty shape title><p class="mb-3">{says}</p> <a class="button" href=href>{link}</a></Empty>
        </div>
    }
}

/// The empty state of a list of which the filters leave nothing.
#[component]
pub fn NoMatch(
    /// What the list has, in the singular.
    thing: &'static str,
    /// The URL of the list without filters.
    href: &'static str,
    /// What may be the reason.
    children: Children,
) -> impl IntoView {
    view! {
        <div class="card">
            <Empty shape=Shape::Filter title=format!("No {thing} matches these filters")>
                <p class="mb-3">{children()}</p>
                <a class="button" href=href>"Clear filters"</a>
            </Empty>
        </div>
    }
}

/// The empty state of a later page of a list, whose rows have gone since the link to it was made.
#[component]
pub fn NothingLeft(
    /// The path of the list.
    path: &'static str,
    query: Query,
) -> impl IntoView {
    let href = query.without(&["after", "before", "peek", "focus"]).href(path);
    view! {
        <EmptyCard shape=Shape::Done title="Nothing is left on this page" href link="First page"
            says="Its rows were decided, moved or removed. Other pages may have more." />
    }
}

/// The ways on from a page without calls of agents: to the agents and their keys, or where `first` says; and to a playground.
#[component]
pub fn OrPlayground(
    playground: &'static str,
    #[prop(default = ("/agents", "Connect an agent"))] first: (&'static str, &'static str),
) -> impl IntoView {
    let (href, name) = first;
    view! {
        <p class="flex flex-wrap justify-center gap-2">
            <a class="button" href=href>{name}</a>
            <IconLink class="button button-quiet" href=playground shape=Shape::Playground text="Open the playground" />
        </p>
    }
}

/// A link with an icon before its text.
#[component]
pub fn IconLink(
    #[prop(default = "button")] class: &'static str,
    #[prop(into)] href: String,
    shape: Shape,
    text: &'static str,
) -> impl IntoView {
    view! { <a class=class href=href><Icon shape /> {text}</a> }
}
