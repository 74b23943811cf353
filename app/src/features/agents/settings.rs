use crate::{
    Flash,
    query::Query,
    ui::{Choice, Icon, PostForm, ReasonField, SelectField, Shape, TextField, choice, text},
};
use leptos::prelude::*;
use wire::{AgentId, Discipline};

/// Longest name of an agent, in characters.
const NAME_MAX: usize = foundation::identity::AGENT_NAME_MAX;

/// The settings of an agent as the form has them.
#[derive(Clone)]
pub struct Settings {
    pub id: AgentId,
    pub name: String,
    pub discipline: Discipline,
    pub require_user: bool,
    pub keeps_context_texts: bool,
}

impl Settings {
    fn query(&self) -> Query {
        Query::default()
            .with("name", &self.name)
            .with("discipline", self.discipline)
            .with_some("require_user", self.require_user.then_some(true))
            .with_some("keeps_context_texts", self.keeps_context_texts.then_some(true))
    }
}

/// The folded form that changes the name and the settings of an agent.
#[component]
pub fn Change(settings: Settings, flash: Option<Flash>) -> impl IntoView {
    let open = flash.is_some();
    let typed = flash.as_ref().map_or_else(|| settings.query(), |flash| Query::parse(&flash.typed));
    let error = move |field: &str| flash.as_ref().and_then(|flash| flash.field(field));
    let disciplines: Vec<Choice> = vec![
        choice(Discipline::Aggressive.as_str(), "Aggressive: writes without asking"),
        choice(Discipline::Confirming.as_str(), "Confirming: asks before it writes"),
    ];
    view! {
        <details class="card" open=open>
            <summary class="flex items-center gap-2 px-4 py-2.5 font-medium">
                <Icon shape=Shape::Edit />
                "Change…"
            </summary>
            <PostForm class="space-y-3 px-4 pb-4" action="/console/api/change_agent" label="Settings of the agent" fields=[
                ("id", settings.id.to_string()),
            ]>
                <TextField id="agent-name" name="name" label="Name" required=true most=NAME_MAX value=typed.text("name") error=error("name") />
                <SelectField name="discipline" label="Discipline" value=typed.text("discipline") choices=disciplines />
                <label class="flex items-start gap-2 text-sm">
                    <input class="mt-1" type="checkbox" name="require_user" value="true" checked=typed.get("require_user").is_some() />
                    "Every call must name its user"
                </label>
                <label class="flex items-start gap-2 text-sm">
                    <input class="mt-1" type="checkbox" name="keeps_context_texts" value="true" checked=typed.get("keeps_context_texts").is_some() />
                    "The context log keeps the texts of contexts"
                </label>
                <button class="button button-primary" type="submit">"Save settings"</button>
            </PostForm>
        </details>
    }
}

/// The folded form that retires an agent, or the one that brings it back.
#[component]
pub fn Retire(
    id: AgentId,
    retired: bool,
    /// How many keys of it are in force.
    keys: i64,
    /// How many memories it has.
    memories: i64,
    flash: Option<Flash>,
) -> impl IntoView {
    if retired {
        return view! {
            <PostForm class="card space-y-3 p-4" action="/console/api/restore_agent" label="Bring back" fields=[("id", id.to_string())]>
                <p class="text-sm text-soft">"The agent is retired. You can bring it back; its keys stay revoked."</p>
                <button class="button button-primary" type="submit">"Bring this agent back"</button>
            </PostForm>
        }
        .into_any();
    }
    let open = flash.is_some();
    let (typed, error) = Flash::reason(flash);
    let says = format!(
        "Revokes {} and hides the agent from choices. {} stay, and operators can read them. You can bring the agent back, without its keys.",
        text::count(keys, "key", "keys"),
        text::count(memories, "memory", "memories"),
    );
    view! {
        <details class="card" open=open>
            <summary class="flex items-center gap-2 px-4 py-2.5 font-medium text-danger">
                <Icon shape=Shape::Delete />
                "Retire…"
            </summary>
            <PostForm class="space-y-3 px-4 pb-4" action="/console/api/retire_agent" label="Retire" fields=[("id", id.to_string())]>
                <p class="text-sm text-soft">{says}</p>
                <ReasonField id="retire-reason" typed error hint="Kept in the audit log. At most 500 characters." />
                <button class="button button-danger" type="submit">"Retire this agent"</button>
            </PostForm>
        </details>
    }
    .into_any()
}
