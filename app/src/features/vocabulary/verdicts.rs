use super::{input::DecisionInput, words::refiled};
use crate::{
    Flash,
    islands::TermField,
    query::Query,
    ui::{AreaField, Bar, PostForm, TextField, text},
};
use leptos::prelude::*;
use wire::{CATEGORY_MAX, DEFINITION_MAX, Likeness, NearestTerm, ProposalDetail, REASON_MAX, TOPIC_MAX};

/// The forms to merge, approve or reject one proposal. A key focuses each, Enter sends it.
#[component]
pub fn Verdicts(detail: ProposalDetail, flash: Option<Flash>, here: String, next: String) -> impl IntoView {
    let (id, phrase) = (detail.proposal.id, detail.proposal.phrase);
    // The input of the refused form, if it was about this proposal.
    let refused =
        flash.map(|flash| (Query::parse(&flash.typed), flash)).filter(|(query, _)| query.get("ids") == Some(id.to_string().as_str()));
    let before = refused.as_ref().map(|(query, _)| DecisionInput::read(query)).unwrap_or_default();
    let error = move |what: &str, field: &str| refused.as_ref().filter(|(query, _)| query.get("what") == Some(what))?.1.field(field);
    let common = |what: &str| vec![("ids", id.to_string()), ("what", what.to_owned()), ("done", next.clone()), ("form", here.clone())];
    let mut approve = common("approve");
    approve.push(("shown", phrase.clone()));
    let (into_error, reason_error) = (error("merge", "into"), error("reject", "reason"));
    let [term_error, category_error] = ["term", "category"].map(|field| error("approve", field));
    let term = if before.what == "approve" { before.term.clone() } else { phrase };
    view! {
        <p class="rounded-md bg-sunken px-3 py-2 text-sm" data-testid="effect">
            "If approved, " <span class="font-medium">{refiled(&detail.effect)}</span>
        </p>
        <PostForm action="/console/api/decide_proposals" fields=common("merge")>
            <Nearest nearest=detail.nearest merge=true />
        </PostForm>
        <PostForm class="flex flex-wrap items-end gap-2" action="/console/api/decide_proposals" fields=common("merge")>
            <div class="min-w-40 grow">
                <TermField id="into" name="into" label="Existing term" value=before.into error=into_error keys="t" />
            </div>
            <button class="button" type="submit">
                "Merge into term"
            </button>
        </PostForm>
        <PostForm class="space-y-2 border-t border-line pt-4" action="/console/api/decide_proposals" fields=approve>
            <h3 class="font-semibold">"Approve as a new term"</h3>
            <TextField name="term" label="Term" value=term key="a" required=true error=term_error most=TOPIC_MAX />
            <AreaField id="definition" name="definition" label="Definition" optional=true rows="2"
                value=before.definition most=DEFINITION_MAX />
            <div class="flex items-end gap-2">
                <div class="grow">
                    <TextField name="category" label="Category" optional=true
                        value=before.category error=category_error most=CATEGORY_MAX />
                </div>
                <button class="button button-primary" type="submit">
                    "Approve"
                </button>
            </div>
        </PostForm>
        <PostForm class="flex items-end gap-2 border-t border-line pt-4" action="/console/api/decide_proposals" fields=common("reject")>
            <div class="grow">
                <TextField name="reason" label="Reason for rejection"
                    value=before.reason key="r" required=true error=reason_error most=REASON_MAX />
            </div>
            <button class="button button-danger" type="submit">
                "Reject"
            </button>
        </PostForm>
    }
}

/// The terms most similar to the phrase; with `merge`, each is a button of the surrounding form.
#[component]
pub fn Nearest(nearest: Vec<NearestTerm>, merge: bool) -> impl IntoView {
    if nearest.is_empty() {
        return view! { <p class="text-sm text-soft">"No similar terms."</p> }.into_any();
    }
    let rows = (1..).zip(nearest).map(|(place, near)| view! { <Near near place merge /> }).collect_view();
    view! {
        <div class="space-y-1.5">
            <h3 class="font-semibold">"Similar terms"</h3>
            <ul class="space-y-2" data-testid="nearest">
                {rows}
            </ul>
        </div>
    }
    .into_any()
}

#[component]
fn Near(near: NearestTerm, place: u32, merge: bool) -> impl IntoView {
    let likeness = match near.likeness {
        Likeness::Spelling => "Spelling",
        Likeness::Meaning => "Meaning",
    };
    let form = (near.form != near.term).then(|| view! { <span class="text-soft">" as “" {near.form.clone()} "”"</span> });
    let (keys, hint) = if place == 1 { ("m 1".to_owned(), "m".to_owned()) } else { (place.to_string(), place.to_string()) };
    let button = merge.then(|| {
        let label = format!("Merge into {}", near.term);
        view! {
            <button class="button" type="submit" name="into" value=near.term_id.to_string() aria-label=label data-keys=keys>
                "Merge"
                <kbd class="kbd hidden md:inline" aria-hidden="true">
                    {hint}
                </kbd>
            </button>
        }
    });
    view! {
        <li class="flex items-center gap-3">
            <div class="min-w-0 grow">
                <p class="text-sm break-words">
                    <a href=format!("/vocabulary/terms/{}", near.term_id)>{text::visible(&near.term)}</a>
                    {form}
                </p>
                <Bar label=likeness value=near.score />
            </div>
            {button}
        </li>
    }
}
