use super::{
    api::{ChangePreview, foresee_change},
    decide::NOT_ALLOWED,
    effect::{Effects, Hidden},
    input::DecisionInput,
    term::UNKNOWN,
};
use crate::{
    ConsoleError,
    guard::not_found,
    layout::{Crumb, PageHead, ViewerResource},
    query::{Query, use_param, use_query},
    ui::{Diff, ErrorView, PostForm, awaited, text},
};
use leptos::prelude::*;
use wire::{ErrorCode, OperatorRole, TermId};

/// The confirmation page of a change to a term: its effect, then the button.
#[component]
pub fn ChangePage() -> impl IntoView {
    let (id, query) = (use_param::<TermId>("id"), use_query());
    let input = DecisionInput::read(&query);
    let asked = input.clone();
    let preview = async move {
        match id {
            Some(_) if asked.what.is_empty() => Err(ConsoleError::new(ErrorCode::Invalid, "Choose on the term's page what to change.")),
            Some(id) => foresee_change(id, asked).await,
            None => Err(not_found(UNKNOWN)),
        }
    };
    let who = ViewerResource::shared();
    let term = id.map_or_else(|| "/vocabulary/terms".to_owned(), |id| format!("/vocabulary/terms/{id}"));
    view! {
        <Crumb href="/vocabulary/terms" text="Terms" />
        <PageHead title="Change a term">"Confirm"</PageHead>
        {awaited(async move {
            match who.permitted(OperatorRole::Reviewer, NOT_ALLOWED, preview).await {
                Ok((_, preview)) => view! { <Confirm preview input query /> }.into_any(),
                Err(error) => {
                    view! {
                        <div class="card"><ErrorView error /></div>
                        <p class="mt-3"><a class="button" href=term>"Back to the term"</a></p>
                    }
                        .into_any()
                }
            }
        })}
    }
}

#[component]
fn Confirm(preview: ChangePreview, input: DecisionInput, query: Query) -> impl IntoView {
    let term = preview.term.clone();
    let here = format!("/vocabulary/terms/{}", term.id);
    let (title, button) = title(&preview, &input);
    let class = if input.what == "retire" { "button button-danger" } else { "button button-primary" };
    let define = (input.what == "define").then(|| {
        let category = (term.category.unwrap_or_default(), input.category.clone());
        let changed = (category.0 != category.1)
            .then(|| view! { <div class="text-sm text-soft">"Category" <Diff old=category.0 new=category.1 /></div> });
        view! { <Diff old=term.definition new=input.definition.clone() /> {changed} }
    });
    let reason = (!input.reason.is_empty())
        .then(|| view! { <p class="text-sm break-words text-soft">"Reason: " {text::visible(&input.reason)}</p> });
    view! {
        <PostForm class="card max-w-2xl space-y-3 p-4" action="/console/api/change_term">
            <h2 class="break-words" data-testid="count">{text::visible(&title)}</h2>
            {define}
            {reason}
            <Effects effect=preview.effect />
            <input type="hidden" name="id" value=term.id.to_string() />
            // The other term by its id: its name may stand for another term by then.
            {preview.into.map(|into| view! { <input type="hidden" name="into" value=into.id.to_string() /> })}
            <Hidden input but=&["into"] />
            <input type="hidden" name="form" value=query.href(&format!("{here}/change")) />
            <div class="flex gap-2">
                <button class=class type="submit">
                    {button}
                </button>
                <a class="button button-quiet" href=here>
                    "Cancel"
                </a>
            </div>
        </PostForm>
    }
}

/// The title of the confirmation and the label of its button.
fn title(preview: &ChangePreview, input: &DecisionInput) -> (String, &'static str) {
    let term = &preview.term.term;
    let into = preview.into.as_ref().map_or("", |into| &into.term);
    match input.what.as_str() {
        "rename" => (format!("Rename “{term}” to “{}”?", input.term), "Rename"),
        "define" => (format!("Change the definition of “{term}”?"), "Define"),
        "alias" => (format!("Add “{}” as an alias of “{term}”?", input.alias), "Add alias"),
        "unalias" => (format!("Remove the alias “{}” from “{term}”?", input.alias), "Remove alias"),
        "combine" => (format!("Combine “{term}” into “{into}”?"), "Combine"),
        _ => (format!("Retire “{term}”?"), "Retire"),
    }
}
