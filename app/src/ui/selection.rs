use super::Now;
use leptos::{prelude::*, wasm_bindgen::JsCast, web_sys};

/// Ticks every `ids` box of a form; there is nothing it could do without JavaScript, so it is not there without.
#[component]
pub fn SelectAll(form: NodeRef<leptos::html::Form>) -> impl IntoView {
    let hydrated = Now::hydrated();
    let all = move |event: leptos::ev::Event| {
        let Some(form) = form.get() else { return };
        let on = event.target().and_then(|t| t.dyn_into::<web_sys::HtmlInputElement>().ok()).is_some_and(|this| this.checked());
        // The change goes on to the form, which counts.
        boxes(&form, "").iter().for_each(|each| each.set_checked(on));
    };
    view! {
        <input
            class="block"
            class:invisible=move || !hydrated.get()
            type="checkbox"
            aria-label="Select all on this page"
            on:change=all
        />
    }
}

/// How many `ids` boxes of a form are ticked.
pub fn ticked(form: NodeRef<leptos::html::Form>) -> u32 {
    form.get().map_or(0, |form| boxes(&form, ":checked").len().try_into().unwrap_or(0))
}

fn boxes(form: &web_sys::HtmlFormElement, which: &str) -> Vec<web_sys::HtmlInputElement> {
    let Ok(found) = form.query_selector_all(&format!("input[name=ids]{which}")) else { return Vec::new() };
    (0..found.length()).filter_map(|i| found.item(i)?.dyn_into().ok()).collect()
}
