use crate::{query::Query, ui::FieldSet};
use leptos::prelude::*;
use wire::OperatorRole;

/// What a role allows.
fn says(role: OperatorRole) -> &'static str {
    match role {
        OperatorRole::Viewer => "reads everything of the organisation",
        OperatorRole::Reviewer => "decides on candidates, shared memories and terms, and uploads documents",
        OperatorRole::Operator => "captures texts, and adds, corrects and deletes memories",
        OperatorRole::Admin => "manages agents, keys, users and accounts, sets policies and erases people",
    }
}

/// The roles to tick. No role includes another.
#[component]
pub fn Roles(
    /// Has the name of each ticked role.
    typed: Query,
    error: Option<String>,
) -> impl IntoView {
    let tick = |role: &OperatorRole| {
        let (name, says) = (role.as_str(), says(*role));
        view! {
            <label class="flex items-start gap-2 text-sm">
                <input class="mt-1 shrink-0" type="checkbox" name="roles[]" value=name checked=typed.get(name).is_some() />
                <span><strong class="font-medium">{name}</strong> <span class="text-soft">{format!(": {says}")}</span></span>
            </label>
        }
    };
    let ticks = OperatorRole::ALL.iter().map(tick).collect_view();
    view! { <FieldSet legend="Roles" error>{ticks}</FieldSet> }
}
