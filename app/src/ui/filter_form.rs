use crate::query::Query;
use leptos::{prelude::*, wasm_bindgen::JsCast, web_sys};
use leptos_router::{NavigateOptions, hooks::use_navigate};

/// A form whose fields become the query of `action`. Without JavaScript the browser reloads the page; with JavaScript the router
/// navigates, and leaves empty fields out of the URL.
#[component]
pub fn FilterForm(#[prop(into)] action: String, names: &'static [&'static str], label: &'static str, children: Children) -> impl IntoView {
    let navigate = use_navigate();
    let page = action.clone();
    let submit = move |event: leptos::ev::SubmitEvent| {
        let form = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlFormElement>().ok());
        let Some(fields) = form.and_then(|form| web_sys::FormData::new_with_form(&form).ok()) else { return };
        event.prevent_default();
        let entered = names.iter().filter_map(|name| Some((name, fields.get(name).as_string()?)));
        let query = entered.fold(Query::default(), |query, (name, value)| query.with(name, value.trim()));
        navigate(&query.href(&page), NavigateOptions { scroll: false, ..NavigateOptions::default() });
    };
    view! {
        // The values come from the URL; after "back" the browser must not restore later input.
        <form method="get" action=action role="search" aria-label=label autocomplete="off" on:submit=submit>
            {children()}
        </form>
    }
}
