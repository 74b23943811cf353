use leptos::prelude::*;

/// Ticks that belong together under a heading, with the error about all of them.
#[component]
pub fn FieldSet(legend: &'static str, #[prop(optional_no_strip)] error: Option<String>, children: Children) -> impl IntoView {
    view! {
        <fieldset class="space-y-2">
            <legend class="label">{legend}</legend>
            {children()}
            {error.map(|says| view! { <p class="mt-1 text-xs text-danger" role="alert">{says}</p> })}
        </fieldset>
    }
}
