use super::{api::prompts, skills::Skills};
use crate::{
    layout::PageHead,
    ui::{Badge, Empty, ErrorView, Icon, Now, Shape, Skeleton},
};
use leptos::{
    prelude::*,
    task::spawn_local,
    web_sys::{self, js_sys::futures::JsFuture},
};
use remembrancer::api::Prompt;

/// The page of prompts to copy into an agent's instructions.
#[component]
pub fn PromptsPage() -> impl IntoView {
    let list = Resource::new(|| (), |()| prompts());
    view! {
        <PageHead title="Prompts">"Texts that teach an agent to use its memory. Add them to its instructions. GET /api/prompts returns the same texts."</PageHead>
        <Transition fallback=|| view! { <div class="card"><Skeleton rows=3 /></div> }>
            {move || Suspend::new(async move {
                match list.await {
                    Ok(prompts) if prompts.is_empty() => view! { <div class="card"><NoPrompts /></div> }.into_any(),
                    Ok(prompts) => {
                        let cards = prompts.into_iter().map(|prompt| view! { <Card prompt /> }).collect_view();
                        view! { <div class="max-w-4xl space-y-6">{cards}</div> }.into_any()
                    }
                    Err(error) => view! { <div class="card"><ErrorView error /></div> }.into_any(),
                }
            })}
        </Transition>
        <Skills />
    }
}

#[component]
fn Card(prompt: Prompt) -> impl IntoView {
    let (heading, text) = (format!("prompt-{}", prompt.name), NodeRef::<leptos::html::Pre>::new());
    let label = format!("{}, as text", prompt.title);
    view! {
        <section class="card" aria-labelledby=heading data-testid="prompt">
            <header class="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
                <h2 id=heading.clone()>{prompt.title}</h2>
                <code class="font-mono text-xs text-soft">{prompt.name}</code>
                <Badge text=format!("version {}", prompt.version) />
                <span class="ml-auto"><CopyButton text=prompt.text.clone() shown=text /></span>
            </header>
            <pre
                class="verbatim max-h-128 overflow-y-auto px-4 py-3 font-mono text-xs"
                tabindex="0"
                role="region"
                aria-label=label
                node_ref=text
                data-testid="text"
            >
                {prompt.text}
            </pre>
        </section>
    }
}

/// A button that copies a text, or selects it where the clipboard is not available. Invisible without JavaScript.
#[component]
fn CopyButton(text: String, shown: NodeRef<leptos::html::Pre>) -> impl IntoView {
    let (hydrated, says) = (Now::hydrated(), RwSignal::new("Copy"));
    let copy = move |_| {
        let text = text.clone();
        spawn_local(async move { says.set(if copied(&text).await { "Copied" } else { selected(shown) }) });
    };
    view! {
        <button class="button" class:invisible=move || !hydrated.get() type="button" on:click=copy>
            <Icon shape=Shape::Copy />
            <span aria-live="polite">{says}</span>
        </button>
    }
}

/// Copies a text and returns whether that worked: only secure contexts have a clipboard.
async fn copied(text: &str) -> bool {
    window().is_secure_context() && JsFuture::from(window().navigator().clipboard().write_text(text)).await.is_ok()
}

fn selected(shown: NodeRef<leptos::html::Pre>) -> &'static str {
    let selection = window().get_selection().ok().flatten();
    let done = selection.zip(shown.get_untracked()).is_some_and(|(selection, pre)| {
        let pre: &web_sys::Element = &pre;
        selection.select_all_children(pre).is_ok()
    });
    if done { "Selected: copy it with the keyboard" } else { "Select it by hand" }
}

#[component]
fn NoPrompts() -> impl IntoView {
    view! { <Empty shape=Shape::Prompts title="No prompts">"This server was built without them."</Empty> }
}
