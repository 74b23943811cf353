use super::api::project_names;
use crate::ui::{SelectField, choice};
use leptos::prelude::*;
use uuid::Uuid;

/// The slug of a project, or the beginning of the id of one that is not registered.
pub fn name_of(projects: &[(Uuid, String)], id: Uuid) -> String {
    let known = projects.iter().find(|(known, _)| *known == id).map(|(_, slug)| slug.clone());
    known.unwrap_or_else(|| format!("{}…", id.to_string().chars().take(8).collect::<String>()))
}

/// The name of a memory's project, as a link to the memories of the project.
#[component]
pub fn ProjectName(
    id: Uuid,
    /// Projects by id and slug.
    projects: Vec<(Uuid, String)>,
) -> impl IntoView {
    let registered = projects.iter().any(|(known, _)| *known == id);
    let page = registered.then(|| view! { " · " <a href=format!("/projects/{id}")>"project"</a> });
    view! { <a href=format!("/memories?project={id}") title=id.to_string()>{name_of(&projects, id)}</a> {page} }
}

/// The select field for a project. Until the names are loaded, it keeps the project of the URL.
#[component]
pub fn ProjectSelect(
    name: &'static str,
    label: &'static str,
    #[prop(into)] value: Signal<String>,
    #[prop(optional, into)] error: Signal<Option<String>>,
) -> impl IntoView {
    let projects = Resource::new(|| (), |()| project_names());
    view! {
        <Suspense>
            {move || Suspend::new(async move {
                let projects = projects.await.unwrap_or_default();
                let mut choices: Vec<_> = std::iter::once(choice("", "Any project"))
                    .chain(projects.into_iter().map(|(id, slug)| (id.to_string(), slug)))
                    .collect();
                // Memories may carry the id of a project that is not registered.
                let chosen = value.get_untracked();
                if !choices.iter().any(|(id, _)| *id == chosen) {
                    choices.push((chosen.clone(), chosen.chars().take(12).collect()));
                }
                view! { <SelectField name label value choices error /> }
            })}
        </Suspense>
    }
}
