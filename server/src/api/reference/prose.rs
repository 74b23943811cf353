//! The little Markdown that descriptions have: paragraphs, and code between backticks.

use leptos::prelude::*;

/// Paragraphs.
pub fn prose(text: &str, class: &'static str) -> AnyView {
    let paragraphs =
        text.split("\n\n").filter(|paragraph| !paragraph.is_empty()).map(|paragraph| view! { <p class=class>{code(paragraph)}</p> });
    paragraphs.collect_view().into_any()
}

/// A text with code between backticks.
pub fn code(text: &str) -> AnyView {
    let parts = text.split('`').enumerate().map(|(number, part)| {
        let part = part.to_owned();
        if number % 2 == 0 { part.into_any() } else { view! { <code class="font-mono text-[0.9em] break-words">{part}</code> }.into_any() }
    });
    parts.collect_view().into_any()
}
