use super::{Now, text};
use leptos::{prelude::*, wasm_bindgen::JsCast, web_sys};

/// A checkbox that ticks every `ids` box of a form; invisible without JavaScript.
#[component]
pub fn SelectAll(form: NodeRef<leptos::html::Form>) -> impl IntoView {
    let hydrated = Now::hydrated();
    let all = move |event: leptos::ev::Event| {
        let Some(form) = form.get() else { return };
        let on = event.target().and_then(|t| t.dyn_into::<web_sys::HtmlInputElement>().ok()).is_some_and(|this| this.checked());
        // The event bubbles up to the form, which counts the ticked boxes.
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

/// Counts the ticked `ids` boxes of a form.
pub fn ticked(form: NodeRef<leptos::html::Form>) -> u32 {
    form.get().map_or(0, |form| boxes(&form, ":checked").len().try_into().unwrap_or(0))
}

fn boxes(form: &web_sys::HtmlFormElement, which: &str) -> Vec<web_sys::HtmlInputElement> {
    let Ok(nodes) = form.query_selector_all(&format!("input[name^=ids]{which}")) else { return Vec::new() };
    (0..nodes.length()).filter_map(|i| nodes.item(i)?.dyn_into().ok()).collect()
}

/// The checkbox that selects a row.
#[component]
pub fn Tick(
    #[prop(into)] id: String,
    name: String,
    /// The name of the field; `ids[]` in a form that posts.
    #[prop(default = "ids")]
    field: &'static str,
) -> impl IntoView {
    view! { <td class="pr-0!"><input class="mt-1 block" type="checkbox" name=field value=id aria-label=format!("Select “{name}”") /></td> }
}

/// The footer of a table with checkboxes: how many rows are selected, and the buttons that act on them.
#[component]
pub fn Selection(
    selected: RwSignal<u32>,
    one: &'static str,
    many: &'static str,
    /// The text while nothing is selected.
    hint: &'static str,
    children: Children,
) -> impl IntoView {
    let says = move || match selected.get() {
        0 => hint.to_owned(),
        n => format!("{} selected", text::count(i64::from(n), one, many)),
    };
    view! {
        <div class="selection flex flex-wrap items-center justify-between gap-3 border-t border-line px-3 py-2 text-sm">
            <span class="text-soft" aria-live="polite">
                {says}
            </span>
            <span class="flex flex-wrap gap-2">{children()}</span>
        </div>
    }
}
