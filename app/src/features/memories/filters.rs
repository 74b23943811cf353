use super::{
    api::agent_names,
    url::{self, FOLDED},
};
use crate::{
    features::{
        people::person_name,
        projects::{ProjectSelect, name_of, project_names},
    },
    query::Query,
    ui::{
        Choice, FilterButtons, FilterForm, Filtered, Icon, SearchField, SelectField, Shape, TextField, awaited, choice, if_any, reading,
        text,
    },
};
use leptos::prelude::*;
use uuid::Uuid;
use wire::{Category, MemoryFilter, MemoryKind, MemoryScope, MemoryStatus, StateFilter, UserId};

const PLATFORMS: &[&str] = &["chat", "drive", "email", "slack", "teams", "telegram"];

/// The filter form of the memories page.
#[component]
pub fn Filters(filtered: Filtered<MemoryFilter>) -> impl IntoView {
    let query = filtered.query.clone();
    let (set, open) = (url::set(&query).len(), query.any(&unreadable(&filtered)));
    view! {
        <FilterForm action="/memories" label="Memories">
            <div class="flex flex-wrap gap-2">
                <SearchField value=filtered.value("q") label="Search memories" hint="Ask what an agent would ask…" />
                <AgentField value=filtered.value("agent") />
                <button class="button button-primary" type="submit">
                    "Search"
                </button>
            </div>
            <details class="mt-2" open=open>
                <summary class="button button-quiet -ml-3">
                    <Icon shape=Shape::Filter />
                    "Filters"
                    {(set > 0).then(|| view! { <span class="badge border-transparent bg-accent-wash text-accent">{set.to_string()}</span> })}
                </summary>
                <div class="card mt-1 grid grid-cols-2 gap-3 p-3 lg:grid-cols-4">
                    {filtered.select_field("kind", "Kind", all("Any kind", MemoryKind::ALL))}
                    {filtered.select_field("category", "Category", all("Any category", Category::ALL))}
                    {filtered.select_field("scope", "Scope", all("Any scope", MemoryScope::ALL))}
                    {filtered.select_field("status", "Status", all("Any status", MemoryStatus::ALL))}
                    {filtered.select_field("unreviewed", "Review", choices("Any", "Shared and unreviewed", ""))}
                    <ProjectSelect name="project" label="Project" value=filtered.value("project") error=filtered.error("project") />
                    {filtered.text_field("session", "Session", "Name or id")}
                    {filtered.text_field("topic", "Topic contains", "")}
                    {filtered.select_field("canonical", "In the vocabulary", choices("Any", "Term", "Not a term"))}
                    <TextField
                        name="platform"
                        label="Platform"
                        value=filtered.value("platform")
                        suggestions=PLATFORMS
                        error=filtered.error("platform")
                    />
                    {filtered.text_field("channel", "Channel", "")}
                    {filtered.text_field("user", "User", "Name, reference or id")}
                    {filtered.date_field("from", "Updated from")}
                    {filtered.date_field("until", "Updated until")}
                    {filtered.select_field("deleted", "Deleted", choices("Not deleted", "Deleted", ""))}
                    {filtered.select_field("state", "Include", vec![choice("", "Neither archived nor deleted"), choice(StateFilter::All.as_str(), "Archived and deleted too")])}
                    <div class="col-span-full flex gap-2">
                        <FilterButtons query=filtered.query.clone() names=url::NAMES clear="/memories" />
                    </div>
                </div>
            </details>
        </FilterForm>
        <Chips query />
    }
}

/// The folded filters with an error, for which the fold opens.
fn unreadable(filtered: &Filtered<MemoryFilter>) -> Vec<&'static str> {
    FOLDED.iter().map(|(name, _)| *name).filter(|name| filtered.error(name).is_some()).collect()
}

/// The filters that are set, as chips; a click removes one.
#[component]
fn Chips(query: Query) -> impl IntoView {
    let (set, project) = (url::set(&query), query.get("project").and_then(|id| id.parse::<Uuid>().ok()));
    let projects = query.get("project").map(|_| reading(project_names()));
    let user = query.get("user").and_then(|id| id.parse::<UserId>().ok()).map(|id| reading(person_name(id)));
    let chip = move |(name, text): (&'static str, String)| {
        let without = query.without(&[name, "after", "before", "peek"]).href("/memories");
        view! {
            <li class="max-w-full">
                <a class="chip" href=without data-noscroll="true">
                    <span class="truncate">{text}</span>
                    <span class="sr-only">": remove this filter"</span>
                    <Icon shape=Shape::Close />
                </a>
            </li>
        }
    };
    awaited(async move {
        let projects = if_any(projects).await.and_then(Result::ok).unwrap_or_default();
        let user = if_any(user).await.flatten();
        let label = |(name, text): (&'static str, String)| match (name, project, &user) {
            ("project", Some(id), _) => (name, format!("Project: {}", name_of(&projects, id))),
            ("user", _, Some(user)) => (name, format!("User: {}", text::visible(user))),
            _ => (name, text),
        };
        let chips: Vec<_> = set.into_iter().map(label).map(chip).collect();
        (!chips.is_empty()).then(|| {
            view! {
                <ul class="mt-2 flex flex-wrap gap-1.5" aria-label="Active filters" data-testid="active-filters">
                    {chips}
                </ul>
            }
        })
    })
}

#[component]
pub fn AgentField(
    /// The id of the agent in the URL.
    #[prop(into)]
    value: String,
    /// The label of the choice without an agent.
    #[prop(default = "All agents")]
    none: &'static str,
    /// Shows the label, like the fields beside it.
    #[prop(optional)]
    labelled: bool,
    #[prop(optional_no_strip)] error: Option<String>,
) -> impl IntoView {
    let names = reading(agent_names());
    view! {
        <div class=if labelled { "min-w-0" } else { "grow sm:w-44 sm:grow-0" }>
            {awaited(async move {
                let names = names.await.unwrap_or_default().into_iter().map(|agent| (agent.id.to_string(), agent.slug));
                let mut choices: Vec<Choice> = std::iter::once((String::new(), none.to_owned())).chain(names).collect();
                if !choices.iter().any(|(id, _)| *id == value) {
                    choices.push((value.clone(), "an unknown agent".to_owned()));
                }
                view! { <SelectField name="agent" label="Agent" bare=!labelled value choices error /> }
            })}
        </div>
    }
}

/// The choices of an enum, after one for any value.
pub fn all<T: ToString>(any: &str, values: &[T]) -> Vec<Choice> {
    let named = values.iter().map(|value| (value.to_string(), value.to_string().replace('_', " ")));
    std::iter::once((String::new(), any.to_owned())).chain(named).collect()
}

fn choices(any: &str, yes: &str, no: &str) -> Vec<Choice> {
    let all = [("", any), ("true", yes), ("false", no)];
    all.into_iter().filter(|(_, text)| !text.is_empty()).map(|(value, label)| choice(value, label)).collect()
}
