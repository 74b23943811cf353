use crate::{
    islands::TermField,
    ui::{AreaField, ReasonField, TextField},
};
use leptos::prelude::*;
use wire::{CATEGORY_MAX, DEFINITION_MAX, TOPIC_MAX, Term};

/// The forms that change a term. Each leads to a preview of its effect first.
#[component]
pub fn Edit(term: Term) -> impl IntoView {
    let action = format!("/vocabulary/terms/{}/change", term.id);
    let form = move |title: &'static str, what: &'static str, danger: bool, fields: AnyView| {
        let class = if danger { "button button-danger" } else { "button" };
        view! {
            <details>
                <summary class="px-4 py-2.5 font-medium" class:text-danger=danger>
                    {title}
                </summary>
                <form class="space-y-3 px-4 pb-4" method="get" action=action.clone()>
                    <input type="hidden" name="what" value=what />
                    {fields}
                    <button class=class type="submit">
                        "Show what changes"
                    </button>
                </form>
            </details>
        }
    };
    let define = view! {
        <AreaField id="definition" name="definition" label="Definition" optional=true rows="4" value=term.definition most=DEFINITION_MAX />
        <TextField name="category" label="Category" optional=true value=term.category.unwrap_or_default() most=CATEGORY_MAX />
    };
    let rename = view! { <TextField name="term" label="New name" value=term.term required=true most=TOPIC_MAX /> };
    let alias = view! { <TextField name="alias" label="Alias" value="" required=true most=TOPIC_MAX /> };
    let combine = view! {
        <p class="text-sm text-soft">"The term and its aliases become aliases of the other term."</p>
        <div>
            <TermField id="into" name="into" label="Other term" value="" error=None />
        </div>
    };
    let retire = view! {
        <p class="text-sm text-soft">"Its memories are filed under the topics that agents sent."</p>
        <ReasonField id="reason" typed="" error=None hint="Kept with the decision. At most 500 characters." />
    };
    view! {
        <section class="card divide-y divide-line" aria-label="Change">
            {form("Define…", "define", false, define.into_any())} {form("Rename…", "rename", false, rename.into_any())}
            {form("Add an alias…", "alias", false, alias.into_any())} {form("Combine…", "combine", false, combine.into_any())}
            {form("Retire…", "retire", true, retire.into_any())}
        </section>
    }
}
