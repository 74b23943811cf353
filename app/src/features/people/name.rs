use super::api::person_name;
use crate::ui::{awaited, reading, text};
use leptos::prelude::*;
use wire::UserId;

/// A person by name or reference, with the id as title; leads to everything that is known of them. Whom nobody named is shown by id.
#[component]
pub fn Person(
    id: UserId,
    name: Option<String>,
    /// Whether there may be a page of the person: there is none after an erasure.
    #[prop(default = true)]
    known: bool,
) -> impl IntoView {
    let class = if name.is_some() { "wrap-anywhere" } else { "font-mono text-xs break-all" };
    let shown = name.map_or_else(|| id.to_string(), |name| text::visible(&name));
    view! { <a class=class dir="auto" href=known.then(|| page(id)) title=id.to_string()>{shown}</a> }
}

/// The same where a page has the id alone.
#[component]
pub fn PersonOf(id: UserId) -> impl IntoView {
    let name = reading(person_name(id));
    awaited(async move {
        let name = name.await;
        view! { <Person id name /> }
    })
}

/// The URL of the page with everything that is known of a person.
pub fn page(id: UserId) -> String {
    format!("/people/{id}")
}
