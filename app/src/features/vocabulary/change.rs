use super::{
    api::{Foreseen, foresee_change},
    asked::Asked,
    decide::NOT_ALLOWED,
    effect::{Effects, Hidden},
    tabs::Tabs,
    term::{unknown, use_term_id},
};
use crate::{
    ConsoleError,
    layout::{PageHead, ViewerResource},
    query::{Query, use_query},
    ui::{Diff, ErrorView, Skeleton},
};
use leptos::prelude::*;
use remembrancer::api::{ErrorCode, OperatorRole};

/// Changing a term: what it would change besides, then the button.
#[component]
pub fn ChangePage() -> impl IntoView {
    let (id, query) = (use_term_id(), use_query());
    let asked = Memo::new(move |_| (id.get(), query.with(Asked::read)));
    let foreseen = Resource::new(
        move || asked.get(),
        |(id, asked)| async move {
            match id {
                // On the way out the address changes before the page is gone.
                Some(_) if asked.what.is_empty() => Err(ConsoleError::new(ErrorCode::Invalid, "Choose on the term's page what to change.")),
                Some(id) => foresee_change(id, asked).await,
                None => Err(unknown()),
            }
        },
    );
    let who = ViewerResource::expect();
    let term = move || id.get_untracked().map_or_else(|| "/vocabulary/terms".to_owned(), |id| format!("/vocabulary/terms/{id}"));
    view! {
        <PageHead title="Change a term">"Look once more at what is about to mean something else."</PageHead>
        <Tabs />
        <Transition fallback=|| view! { <div class="card"><Skeleton rows=3 /></div> }>
            {move || Suspend::new(async move {
                let found = match who.await {
                    Ok(viewer) if viewer.profile.has(OperatorRole::Reviewer) => foreseen.await,
                    Ok(_) => Err(ConsoleError::new(ErrorCode::Forbidden, NOT_ALLOWED)),
                    Err(error) => Err(error),
                };
                match found {
                    Ok(foreseen) => view! { <Confirm foreseen asked=asked.get_untracked().1 query=query.get_untracked() /> }.into_any(),
                    Err(error) => {
                        view! {
                            <div class="card"><ErrorView error /></div>
                            <p class="mt-3"><a class="button" href=term()>"Back to the term"</a></p>
                        }
                            .into_any()
                    }
                }
            })}
        </Transition>
    }
}

#[component]
fn Confirm(foreseen: Foreseen, asked: Asked, query: Query) -> impl IntoView {
    let term = foreseen.term.clone();
    let here = format!("/vocabulary/terms/{}", term.id);
    let (title, button) = title(&foreseen, &asked);
    let class = if asked.what == "retire" { "button button-danger" } else { "button button-primary" };
    let define = (asked.what == "define").then(|| {
        let category = (term.category.unwrap_or_default(), asked.category.clone());
        let changed = (category.0 != category.1)
            .then(|| view! { <div class="text-sm text-soft">"Category" <Diff old=category.0 new=category.1 /></div> });
        view! { <Diff old=term.definition new=asked.definition.clone() /> {changed} }
    });
    let reason =
        (!asked.reason.is_empty()).then(|| view! { <p class="text-sm break-words text-soft">"Reason: " {asked.reason.clone()}</p> });
    view! {
        <form class="card max-w-2xl space-y-3 p-4" method="post" action="/console/api/change_term">
            <h2 class="break-words" data-testid="count">{title}</h2>
            {define}
            {reason}
            <Effects effect=foreseen.effect />
            <input type="hidden" name="id" value=term.id.to_string() />
            // The other term by its id: what was typed may mean another one by then.
            {foreseen.into.map(|into| view! { <input type="hidden" name="into" value=into.id.to_string() /> })}
            <Hidden asked but=&["into"] />
            <input type="hidden" name="form" value=query.href(&format!("{here}/change")) />
            <div class="flex gap-2">
                <button class=class type="submit">
                    {button}
                </button>
                <a class="button button-quiet" href=here>
                    "Cancel"
                </a>
            </div>
        </form>
    }
}

/// The question, and the word on the button.
fn title(foreseen: &Foreseen, asked: &Asked) -> (String, &'static str) {
    let term = &foreseen.term.term;
    let into = foreseen.into.as_ref().map_or("", |into| &into.term);
    match asked.what.as_str() {
        "rename" => (format!("Call “{term}” “{}” from now on?", asked.term), "Rename"),
        "define" => (format!("Define “{term}” like this?"), "Define"),
        "alias" => (format!("Let “{}” mean “{term}”?", asked.alias), "Add alias"),
        "unalias" => (format!("Let “{}” no longer mean “{term}”?", asked.alias), "Remove alias"),
        "combine" => (format!("Combine “{term}” into “{into}”?"), "Combine"),
        _ => (format!("Retire “{term}”?"), "Retire"),
    }
}
