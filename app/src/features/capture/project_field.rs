use crate::ui::{SelectField, choice};
use leptos::prelude::*;
use uuid::Uuid;

/// The select field for a project, which shows while the form's field `scope` is `project`, with or without JavaScript. The form has the
/// class `group`.
#[component]
pub fn ProjectField(
    /// Projects by id and slug.
    projects: Vec<(Uuid, String)>,
    #[prop(into)] value: String,
    #[prop(optional_no_strip)] error: Option<String>,
) -> impl IntoView {
    let none = if projects.is_empty() { "No project exists yet" } else { "Choose a project" };
    let named = projects.into_iter().map(|(id, slug)| (id.to_string(), slug));
    let choices = std::iter::once(choice("", none)).chain(named).collect();
    view! {
        <div class="hidden group-has-[option[value=project]:checked]:block">
            <SelectField name="project" label="Project" value choices error />
        </div>
    }
}
