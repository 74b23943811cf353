use super::api::term_names;
use leptos::prelude::*;
use remembrancer::api::TOPIC_MAX;
use std::time::Duration;

/// The suggestions of every [`TermField`] on the page. With JavaScript they follow the input, and so reach terms beyond the first
/// page.
#[component]
pub fn TermNames(typed: RwSignal<String>) -> impl IntoView {
    let names = Resource::new(move || typed.get(), term_names);
    view! {
        <Transition>
            {move || Suspend::new(async move {
                let options = names.await.unwrap_or_default().into_iter().map(|name| view! { <option value=name></option> }).collect_view();
                view! { <datalist id="terms">{options}</datalist> }
            })}
        </Transition>
    }
}

/// A text field for the name of a term.
#[component]
pub fn TermField(
    #[prop(into)] id: String,
    label: &'static str,
    /// The text that was typed before the form was refused.
    #[prop(into)]
    value: String,
    error: Option<String>,
    typed: RwSignal<String>,
    #[prop(optional)] keys: Option<&'static str>,
    #[prop(default = "into")] name: &'static str,
) -> impl IntoView {
    let (error_id, described) = (format!("{id}-error"), error.as_ref().map(|_| format!("{id}-error")));
    let mut follow = debounce(Duration::from_millis(200), move |text: String| typed.set(text));
    view! {
        <label class="label" for=id.clone()>
            {label}
            {keys.map(|key| view! { <kbd class="kbd ml-1.5 hidden md:inline" aria-hidden="true">{key}</kbd> })}
        </label>
        <input
            class="input"
            id=id
            name=name
            list="terms"
            autocomplete="off"
            required
            maxlength=TOPIC_MAX.to_string()
            value=value
            data-keys=keys
            aria-invalid=error.as_ref().map(|_| "true")
            aria-describedby=described
            on:input:target=move |event| follow(event.target().value())
        />
        {error.map(|text| view! { <p class="mt-1 text-xs text-danger" id=error_id>{text}</p> })}
    }
}
