use super::api::term_names;
use crate::ui::{awaited, reading};
use leptos::prelude::*;

/// The names that every [`crate::islands::TermField`] of the page suggests.
#[component]
pub fn TermNames() -> impl IntoView {
    let names = reading(term_names(String::new()));
    awaited(async move {
        let options = names.await.unwrap_or_default().into_iter().map(|name| view! { <option value=name></option> }).collect_view();
        view! { <datalist id="terms">{options}</datalist> }
    })
}
