use super::{api::prompts, skills::Skills};
use crate::{
    islands::CopyButton,
    layout::PageHead,
    ui::{Badge, awaited, or_error, reading},
};
use leptos::prelude::*;
use wire::Prompt;

/// The page of prompts to copy into an agent's instructions.
#[component]
pub fn PromptsPage() -> impl IntoView {
    let list = reading(prompts());
    view! {
        <PageHead title="Prompts">"Texts that teach an agent to use its memory. Add them to its instructions. " <code class="font-mono">"GET /api/prompts"</code> " returns the same texts."</PageHead>
        {awaited(async move {
            or_error(list.await, |prompts| {
                let cards = prompts.into_iter().map(|prompt| view! { <Card prompt /> }).collect_view();
                view! { <div class="max-w-4xl space-y-6">{cards}</div> }
            })
        })}
        <Skills />
    }
}

#[component]
fn Card(prompt: Prompt) -> impl IntoView {
    let heading = format!("prompt-{}", prompt.name);
    let label = format!("{}, as text", prompt.title);
    view! {
        <section class="card" aria-labelledby=heading data-testid="prompt">
            <header class="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
                <h2 id=heading.clone()>{prompt.title}</h2>
                <code class="font-mono text-xs text-soft">{prompt.name}</code>
                <Badge text=format!("version {}", prompt.version) />
                <span class="ml-auto"><CopyButton /></span>
            </header>
            <pre
                class="verbatim max-h-128 overflow-y-auto px-4 py-3 font-mono text-xs"
                tabindex="0"
                role="region"
                aria-label=label
                data-testid="text"
            >
                {prompt.text}
            </pre>
        </section>
    }
}
