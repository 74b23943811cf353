use leptos::prelude::*;

/// What to do first in an organisation without agents.
#[component]
pub fn Start() -> impl IntoView {
    view! {
        <section aria-labelledby="start" class="card px-4 py-4" data-testid="start">
            <h2 class="mb-2" id="start">"Connect your first agent"</h2>
            <ol class="list-decimal space-y-2 pl-5 text-sm">
                <li>
                    "Create an agent and a key on the server. "
                    <a class="underline" href="/agents">"Agents"</a>
                    " shows the commands."
                </li>
                <li>
                    "Give the key to your agent, which calls the tools over HTTP or the Model Context Protocol. "
                    <a class="underline" href="/api/docs" rel="external">"API reference"</a>
                </li>
                <li>
                    "Put a prompt into its instructions, so that it remembers and recalls at the right moments. "
                    <a class="underline" href="/prompts">"Prompts"</a>
                </li>
                <li>
                    "Try out what it recalls. "
                    <a class="underline" href="/recall/playground">"Playground"</a>
                </li>
            </ol>
        </section>
    }
}
