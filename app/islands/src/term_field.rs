use super::{
    api::{TERM_NAMES, read},
    dom,
};
use crate::TOPIC_MAX;
use leptos::{prelude::*, task::spawn_local, web_sys};
use std::time::Duration;

/// A text field for the name of a term. It suggests the names of the page's list `terms`, and changes that list as somebody types, so that
/// terms beyond the first page are reached.
#[island]
pub fn TermField(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    /// The text that was typed before the form was refused.
    #[prop(into)]
    value: String,
    error: Option<String>,
    /// The key that leads to the field.
    #[prop(optional, into)]
    keys: Option<String>,
    #[prop(into)] name: String,
) -> impl IntoView {
    let (error_id, described) = (format!("{id}-error"), error.as_ref().map(|_| format!("{id}-error")));
    let mut follow = debounce(Duration::from_millis(200), suggest);
    view! {
        <label class="label" for=id.clone()>
            {label}
            {keys.clone().map(|key| view! { <kbd class="kbd ml-1.5 hidden md:inline" aria-hidden="true">{key}</kbd> })}
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

/// Puts the names that contain a text into the page's list. If they cannot be loaded, the list stays as it is.
fn suggest(typed: String) {
    spawn_local(async move {
        let names = read::<Vec<String>>(TERM_NAMES, &typed).await;
        let (Ok(names), Some(list)) = (names, document().get_element_by_id("terms")) else { return };
        dom::all::<web_sys::Element>(&list, "option").iter().for_each(web_sys::Element::remove);
        for name in names {
            if let Ok(option) = document().create_element("option") {
                let _ = option.set_attribute("value", &name);
                let _ = list.append_child(&option);
            }
        }
    });
}
