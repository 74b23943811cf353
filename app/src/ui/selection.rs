use crate::islands::Selected;
use leptos::prelude::*;

/// The checkbox that selects a row.
#[component]
pub fn Tick(
    #[prop(into)] id: String,
    name: String,
    /// The name of the field; `ids[]` in a form that posts.
    #[prop(default = "ids")]
    field: &'static str,
) -> impl IntoView {
    view! { <td class="pr-0!"><input class="mt-1 block" type="checkbox" name=field value=id aria-label=format!("Select “{name}”") /></td> }
}

/// The footer of a table with checkboxes: how many rows are selected, and the buttons that act on them.
#[component]
pub fn Selection(
    one: &'static str,
    many: &'static str,
    /// The text while nothing is selected.
    hint: &'static str,
    children: Children,
) -> impl IntoView {
    view! {
        <div class="selection flex flex-wrap items-center justify-between gap-3 border-t border-line px-3 py-2 text-sm">
            <Selected one=one.to_owned() many=many.to_owned() hint=hint.to_owned() />
            <span class="flex flex-wrap gap-2">{children()}</span>
        </div>
    }
}
