use super::api::LIVES;
use crate::{
    Flash,
    query::Query,
    ui::{Choice, Icon, PostForm, SelectField, Shape, TextField, choice},
};
use leptos::prelude::*;
use wire::{AgentId, KeyPreset, KeyScope, USER_REF_MAX};

/// Longest name of a key, in characters.
const NAME_MAX: usize = 100;

/// The folded form that makes a key for an agent. The page then shows the key once.
#[component]
pub fn NewKey(agent: AgentId, flash: Option<Flash>) -> impl IntoView {
    let open = flash.is_some();
    let typed = flash.as_ref().map(|flash| Query::parse(&flash.typed)).unwrap_or_default();
    let error = move |field: &str| flash.as_ref().and_then(|flash| flash.field(field));
    let preset = if open { typed.text("preset") } else { KeyPreset::Agent.to_string() };
    let lives: Vec<Choice> = LIVES.iter().map(|(days, name)| choice(days, name)).collect();
    let (no_preset, no_life, nobody) =
        (error("preset"), error("days").or_else(|| error("expires_at")), error("user").or_else(|| error("user_id")));
    let no_scope = error("scopes").map(|says| view! { <p class="mt-1 text-xs text-danger" role="alert">{says}</p> });
    view! {
        <details class="card mt-3" open=open data-testid="new-key">
            <summary class="flex items-center gap-2 px-4 py-2.5 font-medium">
                <Icon shape=Shape::Add />
                "New key…"
            </summary>
            <PostForm class="space-y-3 px-4 pb-4" action="/console/api/create_key" label="New key" fields=[("agent", agent.to_string())]>
                <TextField
                    id="key-name"
                    name="name"
                    label="Name of the key"
                    required=true
                    most=NAME_MAX
                    hint="laptop"
                    value=typed.text("name")
                    error=error("name")
                />
                <div class="grid gap-3 sm:grid-cols-2">
                    <SelectField name="preset" label="Rights" value=preset choices=presets() error=no_preset />
                    <SelectField name="days" label="Expires" value=typed.text("days") choices=lives error=no_life />
                </div>
                <details>
                    <summary class="text-sm">"More rights…"</summary>
                    <div class="mt-2 grid gap-1 text-sm sm:grid-cols-2">{scopes(&typed)}</div>
                </details>
                {no_scope}
                <TextField
                    id="key-user"
                    name="user"
                    label="Only for the user"
                    optional=true
                    value=typed.text("user")
                    most=USER_REF_MAX
                    note="The id or your own reference of the one person whose memories the key reaches."
                    error=nobody
                />
                <button class="button button-primary" type="submit">"Make key"</button>
            </PostForm>
        </details>
    }
}

/// The presets to choose from, with what each may do.
fn presets() -> Vec<Choice> {
    let says = |preset: KeyPreset| match preset {
        KeyPreset::Reader => "Reader: reads memories, contexts and documents",
        KeyPreset::Agent => "Agent: reads and writes memories, captures texts",
        KeyPreset::Importer => "Importer: writes memories and documents, exports",
    };
    let one = |preset: &KeyPreset| choice(preset.as_str(), says(*preset));
    KeyPreset::ALL.iter().map(one).chain([choice("", "Only the rights ticked below")]).collect()
}

/// A tick for each scope.
fn scopes(typed: &Query) -> AnyView {
    let tick = |scope: &KeyScope| {
        let name = scope.as_str();
        view! {
            <label class="flex items-center gap-2">
                <input type="checkbox" name="scopes[]" value=name checked=typed.get(name).is_some() />
                <code class="font-mono text-xs">{name}</code>
            </label>
        }
    };
    KeyScope::ALL.iter().map(tick).collect_view().into_any()
}
