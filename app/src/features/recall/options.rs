use crate::{
    features::{memories::all, projects::ProjectSelect},
    ui::{Filtered, Icon, SelectField, Shape, TextField, choice},
};
use leptos::prelude::*;
use wire::{MemoryKind, MemoryScope, MemoryStatus, Ranking};

/// Everything that an agent can send besides the question, folded away until one of `names` is set.
#[component]
pub fn Options(
    filtered: Filtered<()>,
    names: &'static [&'static str],
    /// Offers what matters only to an answer: a moment of the past, and whether the agent expects one.
    #[prop(optional)]
    all_of_them: bool,
) -> impl IntoView {
    let (value, error) = (|name: &str| filtered.value(name), |name: &str| filtered.error(name));
    let in_reach = [MemoryStatus::Active, MemoryStatus::Contradicted];
    let expected = all_of_them.then(|| {
        let choices = vec![choice("", "No"), choice("true", "Yes: report an empty answer")];
        view! { <SelectField name="expected" label="Result expected" value=value("expected") error=error("expected") choices /> }
    });
    let as_of = all_of_them
        .then(|| view! { <TextField name="as_of" label="As of (start of day)" kind="date" value=value("as_of") error=error("as_of") /> });
    view! {
        <details class="col-span-full" open=filtered.query.any(names)>
            <summary class="button button-quiet -ml-3">
                <Icon shape=Shape::Filter />
                "Options and filters"
            </summary>
            <div class="mt-2 grid grid-cols-2 gap-3 lg:grid-cols-4">
                <SelectField name="ranking" label="Ranking" value=value("ranking") error=error("ranking") choices=all("Default", Ranking::ALL) />
                {expected}
                <ProjectSelect name="for_project" label="Working on project" value=value("for_project") error=error("for_project") />
                <TextField name="for_repo" label="Working on repository" hint="UUID" value=value("for_repo") error=error("for_repo") />
                <SelectField name="kind" label="Kind" value=value("kind") error=error("kind") choices=all("Any kind", MemoryKind::ALL) />
                <SelectField name="scope" label="Scope" value=value("scope") error=error("scope") choices=all("Any scope", MemoryScope::ALL) />
                <SelectField name="status" label="Status" value=value("status") error=error("status") choices=all("Any status", &in_reach) />
                <TextField name="platform" label="Platform" value=value("platform") error=error("platform") />
                <ProjectSelect name="project" label="Only project" value=value("project") error=error("project") />
                <TextField name="repo" label="Only repository" hint="UUID" value=value("repo") error=error("repo") />
                <TextField name="from" label="Said from" kind="date" value=value("from") error=error("from") />
                <TextField name="until" label="Said until" kind="date" value=value("until") error=error("until") />
                {as_of}
                <p class="col-span-full text-xs text-soft">
                    "Filters limit which memories are ranked, and exclude shared knowledge. “Working on” affects the ranking only."
                </p>
            </div>
        </details>
    }
}
