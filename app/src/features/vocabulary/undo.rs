use super::{
    api::consider_undo,
    decide::NOT_ALLOWED,
    decisions::DecisionSummary,
    effect::Effects,
    words::{aliases_lost, inverse},
};
use crate::{
    guard::by_id,
    ids::Ids,
    layout::{Crumb, PageHead, ViewerResource},
    query::{Query, use_query},
    ui::{ErrorView, PostForm, Titled, awaited, text},
};
use leptos::prelude::*;
use wire::{Decision, DecisionId, Effect, OperatorRole};

/// The confirmation page before decisions that were made in one step, or one that takes aliases with it, are undone: what each of them was,
/// the effect, then the button.
#[component]
pub fn UndoPage() -> impl IntoView {
    let query = use_query();
    let together = query.get("together").and_then(|id| id.parse::<DecisionId>().ok());
    let preview = by_id(together, consider_undo, "No decisions have this id.");
    let who = ViewerResource::shared();
    view! {
        <Crumb href="/vocabulary/decisions" text="Decisions" />
        {awaited(async move {
            match who.permitted(OperatorRole::Reviewer, NOT_ALLOWED, preview).await {
                Ok((_, (decisions, effect))) => {
                    let several = decisions.len() > 1;
                    view! { <Head verb=verb(&decisions) several /> <Confirm decisions effect query /> }.into_any()
                }
                Err(error) => view! {
                    <Head verb="Undo" several=true />
                    <div class="card"><ErrorView error /></div>
                    <p class="mt-3"><Cancel query /></p>
                }
                .into_any(),
            }
        })}
    }
}

/// What the page does to decisions of one step: `Undo`, or `Redo` if they undid others.
fn verb(decisions: &[Decision]) -> &'static str {
    let first = decisions.iter().find(|decision| decision.undoable).or(decisions.first());
    first.map_or("Undo", inverse)
}

#[component]
fn Head(verb: &'static str, several: bool) -> impl IntoView {
    let (title, alone) = if verb == "Redo" {
        ("Redo decisions", "Each decision can also be redone alone.")
    } else {
        ("Undo decisions", "Each decision can also be undone alone.")
    };
    view! { <PageHead title>"Review the effect, then confirm. " {several.then_some(alone)}</PageHead> }
}

#[component]
fn Confirm(decisions: Vec<Decision>, effect: Effect, query: Query) -> impl IntoView {
    let (left, why) = if verb(&decisions) == "Redo" {
        ("Not redone", "These were redone before, or a later decision depends on them.")
    } else {
        ("Not undone", "These were undone before, or a later decision depends on them.")
    };
    let lost = aliases_lost(&decisions, &effect);
    let lost = (!lost.is_empty()).then(|| {
        let names = text::visible(&format!("“{}”", lost.join("”, “")));
        view! {
            <p class="text-sm wrap-anywhere" data-testid="lost">
                "Aliases that go with their term: " {names} ". Those that agents proposed wait for review again."
            </p>
        }
    });
    let (goes, stays): (Vec<_>, Vec<_>) = decisions.into_iter().partition(|decision| decision.undoable);
    let stays = (!stays.is_empty()).then(|| {
        view! {
            <Titled id="stays" title=left>
                <p class="mb-2 text-sm text-soft">{why}</p>
                <List decisions=stays />
            </Titled>
        }
    });
    let Some(verb) = goes.first().map(inverse) else {
        return view! { <div class="max-w-2xl space-y-5">{stays} <Cancel query /></div> }.into_any();
    };
    let what = format!("{verb} {}", text::count(i64::try_from(goes.len()).unwrap_or(i64::MAX), "decision", "decisions"));
    let ids = Ids(goes.iter().map(|decision| decision.id).collect());
    view! {
        <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_23rem]">
            <div class="mb-5 min-w-0 space-y-5">
                <List decisions=goes />
                {stays}
            </div>
            <PostForm class="card space-y-3 p-4 lg:sticky lg:top-5" action="/console/api/undo_decision" fields=[
                ("id", String::from(ids)), ("confirmed", "true".to_owned()), ("done", query.back("/vocabulary/decisions")),
            ]>
                <h2 data-testid="count">{what.clone()} "?"</h2>
                {lost}
                <Effects effect />
                <div class="flex gap-2">
                    <button class="button button-primary" type="submit">{what}</button>
                    <Cancel query=query.clone() />
                </div>
            </PostForm>
        </div>
    }
    .into_any()
}

#[component]
fn List(decisions: Vec<Decision>) -> impl IntoView {
    let item = |decision: Decision| view! { <li class="px-4 py-2.5 text-sm" data-testid="decision"><DecisionSummary decision /></li> };
    view! { <ul class="card divide-y divide-line">{decisions.into_iter().map(item).collect_view()}</ul> }
}

#[component]
fn Cancel(query: Query) -> impl IntoView {
    view! { <a class="button button-quiet" href=query.back("/vocabulary/decisions")>"Cancel"</a> }
}
