use crate::islands::CopyButton;
use leptos::prelude::*;

/// A text to copy, with a button that does so.
#[component]
pub fn CopyText(
    /// The id of the heading, which also names the text.
    id: &'static str,
    #[prop(into)] title: String,
    /// Sentences about it.
    #[prop(into)]
    says: String,
    #[prop(into)] text: String,
    /// It is a secret that the server shows this once: a refresh of the page leaves it alone.
    #[prop(optional)]
    once: bool,
) -> impl IntoView {
    let border = if once { "card border-accent" } else { "card" };
    view! {
        <section class=border id=format!("{id}-card") aria-labelledby=id data-testid=id data-once=once.then_some("")>
            <header class="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
                <h2 id=id>{title.clone()}</h2>
                <span class="ml-auto"><CopyButton /></span>
            </header>
            <p class="px-4 pt-3 text-sm text-soft">{says}</p>
            <pre
                class="overflow-x-auto px-4 py-3 font-mono text-xs"
                tabindex="0"
                role="region"
                aria-label=format!("{title}, as text")
                data-testid="text"
            >
                {text}
            </pre>
        </section>
    }
}
