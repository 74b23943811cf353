use super::api::project_names;
use crate::ui::{SelectField, awaited, choice, reading};
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

#[component]
pub fn ProjectSelect(
    name: &'static str,
    label: &'static str,
    #[prop(into)] value: String,
    #[prop(optional_no_strip)] error: Option<String>,
) -> impl IntoView {
    let projects = reading(project_names());
    awaited(async move {
        let projects = projects.await.unwrap_or_default();
        let mut choices: Vec<_> =
            std::iter::once(choice("", "Any project")).chain(projects.into_iter().map(|(id, slug)| (id.to_string(), slug))).collect();
        // Memories may carry the id of a project that is not registered.
        if !choices.iter().any(|(id, _)| *id == value) {
            choices.push((value.clone(), value.chars().take(12).collect()));
        }
        view! { <SelectField name label value choices error /> }
    })
}
