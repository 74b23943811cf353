use crate::ui::CopyText;
use leptos::prelude::*;

/// The one-time link that a form just made.
#[component]
pub fn NewLink(link: String) -> impl IntoView {
    let says = "Send it where only this person can read it. It works once, and is not shown again.";
    view! { <CopyText id="new-link" title="One-time link" says text=link once=true /> }
}
