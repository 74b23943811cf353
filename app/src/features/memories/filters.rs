use super::{
    api::agent_names,
    url::{FOLDED, NAMES},
};
use crate::{
    query::Query,
    ui::{Choice, FilterForm, Icon, SearchField, SelectField, Shape, TextField},
};
use leptos::prelude::*;
use remembrancer::api::{FieldError, MemoryFilter};

const PLATFORMS: &[&str] = &["chat", "drive", "email", "slack", "teams", "telegram"];

/// The question, whose memories, and what else narrows the list.
#[component]
pub fn Filters(query: Memo<Query>, filter: Memo<Result<MemoryFilter, Vec<FieldError>>>) -> impl IntoView {
    let value = move |name: &'static str| Signal::derive(move || query.with(|query| query.text(name)));
    view! {
        <FilterForm action="/memories" names=NAMES label="Memories">
            <div class="flex flex-wrap gap-2">
                <SearchField query label="Search memories" hint="Ask what an agent would ask…" />
                <AgentField query />
                <button class="button button-primary" type="submit">
                    "Search"
                </button>
            </div>
            <details class="mt-2" open=query.get_untracked().any(&FOLDED.map(|(name, _)| name))>
                <summary class="button button-quiet -ml-3">
                    <Icon shape=Shape::Filter />
                    "Filters"
                    {move || match query.get().count(&FOLDED.map(|(name, _)| name)) {
                        0 => None,
                        n => Some(view! { <span class="badge border-transparent bg-accent-wash text-accent">{n.to_string()}</span> }),
                    }}
                </summary>
                <div class="card mt-1 grid grid-cols-2 gap-3 p-3 lg:grid-cols-4">
                    <TextField name="topic" label="Topic contains" value=value("topic") error=error(filter, "topic") />
                    <SelectField
                        name="canonical"
                        label="In the vocabulary"
                        value=value("canonical")
                        choices=choices("Any", "Canonical", "As met")
                    />
                    <TextField
                        name="platform"
                        label="Platform"
                        value=value("platform")
                        suggestions=PLATFORMS
                        error=error(filter, "platform")
                    />
                    <TextField name="channel" label="Channel" value=value("channel") error=error(filter, "channel") />
                    <TextField name="user" label="User" hint="UUID" value=value("user") error=error(filter, "user") />
                    <TextField name="from" label="Updated from" kind="date" value=value("from") error=error(filter, "from") />
                    <TextField name="until" label="Updated until" kind="date" value=value("until") error=error(filter, "until") />
                    <SelectField name="deleted" label="State" value=value("deleted") choices=choices("Not deleted", "Deleted", "") />
                    <div class="col-span-full flex gap-2">
                        <button class="button" type="submit">
                            "Apply filters"
                        </button>
                        <a class="button button-quiet" href="/memories">
                            "Clear all"
                        </a>
                    </div>
                </div>
            </details>
        </FilterForm>
    }
}

/// The choice of an agent needs their names; until they are here, the one in the URL is kept.
#[component]
pub fn AgentField(
    query: Memo<Query>,
    /// What stands for no agent in particular.
    #[prop(default = "All agents")]
    none: &'static str,
    /// The label shows, as those of the fields beside it do.
    #[prop(optional)]
    labelled: bool,
) -> impl IntoView {
    let names = Resource::new(|| (), |()| agent_names());
    let value = Signal::derive(move || query.with(|query| query.text("agent")));
    let waiting = move || {
        view! {
            <input type="hidden" name="agent" value=move || value.get() />
            <div class="bone h-8 w-full"></div>
        }
    };
    view! {
        <div class=if labelled { "min-w-0" } else { "grow sm:w-44 sm:grow-0" }>
            <Transition fallback=waiting>
                {move || Suspend::new(async move {
                    let names = names.await.unwrap_or_default().into_iter().map(|(id, slug)| (id.to_string(), slug));
                    let mut choices: Vec<Choice> = std::iter::once((String::new(), none.to_owned())).chain(names).collect();
                    let asked = value.get_untracked();
                    if !choices.iter().any(|(id, _)| *id == asked) {
                        choices.push((asked, "an unknown agent".to_owned()));
                    }
                    view! { <SelectField name="agent" label="Agent" bare=!labelled value choices /> }
                })}
            </Transition>
        </div>
    }
}

fn choices(any: &str, yes: &str, no: &str) -> Vec<Choice> {
    let all = [("", any), ("true", yes), ("false", no)];
    all.into_iter().filter(|(_, text)| !text.is_empty()).map(|(key, text)| (key.to_owned(), text.to_owned())).collect()
}

fn error(filter: Memo<Result<MemoryFilter, Vec<FieldError>>>, name: &'static str) -> Signal<Option<String>> {
    Signal::derive(move || filter.get().err()?.into_iter().find(|e| e.field == name).map(|e| e.message))
}
