use super::dom;
use crate::icon::{COPY, Icon};
use leptos::{
    html,
    prelude::*,
    task::spawn_local,
    web_sys::{self, js_sys::futures::JsFuture},
};

/// A button that copies the text of the `pre` in its section, or selects it where the clipboard is not available.
#[island]
pub fn CopyButton() -> impl IntoView {
    let (button, says) = (NodeRef::<html::Button>::new(), RwSignal::new("Copy"));
    let copy = move |_| {
        let section = button.get_untracked().and_then(|button| button.closest("section").ok()?);
        let Some(shown) = section.and_then(|section| dom::all::<web_sys::Element>(&section, "pre").into_iter().next()) else { return };
        spawn_local(async move { says.set(if copied(&shown).await { "Copied" } else { selected(&shown) }) });
    };
    view! {
        <button class="button scripted" type="button" node_ref=button on:click=copy>
            <Icon shape=COPY />
            <span aria-live="polite">{says}</span>
        </button>
    }
}

/// Copies a text and returns whether that worked: only secure contexts have a clipboard.
async fn copied(shown: &web_sys::Element) -> bool {
    let text = shown.text_content().unwrap_or_default();
    window().is_secure_context() && JsFuture::from(window().navigator().clipboard().write_text(&text)).await.is_ok()
}

fn selected(shown: &web_sys::Element) -> &'static str {
    let selection = window().get_selection().ok().flatten();
    let done = selection.is_some_and(|selection| selection.select_all_children(shown).is_ok());
    if done { "Selected: copy it with the keyboard" } else { "Select it by hand" }
}
