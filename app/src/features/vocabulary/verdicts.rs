use super::{input::DecisionInput, words::refiled};
use crate::{
    Flash,
    islands::TermField,
    query::Query,
    ui::{Bar, PostForm, text},
};
use leptos::prelude::*;
use wire::{CATEGORY_MAX, DEFINITION_MAX, Likeness, ProposalDetail, REASON_MAX, Suggestion, TOPIC_MAX};

/// The forms to merge, approve or reject one proposal. A key focuses each, Enter sends it.
#[component]
pub fn Verdicts(detail: ProposalDetail, flash: Option<Flash>, here: String, next: String) -> impl IntoView {
    let (id, phrase) = (detail.proposal.id, detail.proposal.phrase);
    // The input of the refused form, if it was about this proposal.
    let refused =
        flash.map(|flash| (Query::parse(&flash.typed), flash)).filter(|(query, _)| query.get("ids") == Some(id.to_string().as_str()));
    let before = refused.as_ref().map(|(query, _)| DecisionInput::read(query)).unwrap_or_default();
    let error = move |what: &str, field: &str| refused.as_ref().filter(|(query, _)| query.get("what") == Some(what))?.1.field(field);
    let common = move |what: &'static str| {
        view! {
            <input type="hidden" name="ids" value=id.to_string() />
            <input type="hidden" name="what" value=what />
            <input type="hidden" name="done" value=next.clone() />
            <input type="hidden" name="form" value=here.clone() />
        }
    };
    let [nearest, other, approve, reject] = ["merge", "merge", "approve", "reject"].map(common);
    let (into_error, reason_error) = (error("merge", "into"), error("reject", "reason"));
    let [term_error, category_error] = ["term", "category"].map(|field| error("approve", field));
    let term = if before.what == "approve" { before.term.clone() } else { phrase.clone() };
    view! {
        <p class="rounded-md bg-sunken px-3 py-2 text-sm" data-testid="effect">
            "If approved, " <span class="font-medium">{refiled(&detail.effect)}</span>
        </p>
        <PostForm action="/console/api/decide_proposals">
            {nearest}
            <Nearest nearest=detail.nearest merge=true />
        </PostForm>
        <PostForm class="flex flex-wrap items-end gap-2" action="/console/api/decide_proposals">
            {other}
            <div class="min-w-40 grow">
                <TermField id="into" name="into" label="Existing term" value=before.into error=into_error keys="t" />
            </div>
            <button class="button" type="submit">
                "Merge into term"
            </button>
        </PostForm>
        <PostForm class="space-y-2 border-t border-line pt-4" action="/console/api/decide_proposals">
            {approve}
            <input type="hidden" name="shown" value=phrase />
            <h3 class="font-semibold">"Approve as a new term"</h3>
            <Line id="term" name="term" label="Term" value=term key="a" required=true error=term_error />
            <div>
                <label class="label" for="definition">
                    "Definition"
                </label>
                <textarea class="input" id="definition" name="definition" rows="2" maxlength=DEFINITION_MAX.to_string()>
                    {text::editable(&before.definition)}
                </textarea>
            </div>
            <div class="flex items-end gap-2">
                <div class="grow">
                    <Line id="category" name="category" label="Category" value=before.category error=category_error />
                </div>
                <button class="button button-primary" type="submit">
                    "Approve"
                </button>
            </div>
        </PostForm>
        <PostForm class="flex items-end gap-2 border-t border-line pt-4" action="/console/api/decide_proposals">
            {reject}
            <div class="grow">
                <Line id="reason" name="reason" label="Reason for rejection" value=before.reason key="r" required=true error=reason_error />
            </div>
            <button class="button button-danger" type="submit">
                "Reject"
            </button>
        </PostForm>
    }
}

/// The terms most similar to the phrase; with `merge`, each is a button of the surrounding form.
#[component]
pub fn Nearest(nearest: Vec<Suggestion>, merge: bool) -> impl IntoView {
    if nearest.is_empty() {
        return view! { <p class="text-sm text-soft">"No similar terms."</p> }.into_any();
    }
    let rows = (1..).zip(nearest).map(|(place, suggestion)| view! { <Near suggestion place merge /> }).collect_view();
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
fn Near(suggestion: Suggestion, place: u32, merge: bool) -> impl IntoView {
    let likeness = match suggestion.likeness {
        Likeness::Spelling => "Spelling",
        Likeness::Meaning => "Meaning",
    };
    let form = (suggestion.form != suggestion.term).then(|| view! { <span class="text-soft">" as “" {suggestion.form.clone()} "”"</span> });
    let (keys, hint) = if place == 1 { ("m 1".to_owned(), "m".to_owned()) } else { (place.to_string(), place.to_string()) };
    let button = merge.then(|| {
        let label = format!("Merge into {}", suggestion.term);
        view! {
            <button class="button" type="submit" name="into" value=suggestion.term_id.to_string() aria-label=label data-keys=keys>
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
                    <a href=format!("/vocabulary/terms/{}", suggestion.term_id)>{text::visible(&suggestion.term)}</a>
                    {form}
                </p>
                <Bar label=likeness value=suggestion.score />
            </div>
            {button}
        </li>
    }
}

/// A labelled text field of a form that posts; Enter sends the form.
#[component]
pub fn Line(
    id: &'static str,
    name: &'static str,
    label: &'static str,
    #[prop(into)] value: String,
    #[prop(optional)] key: Option<&'static str>,
    #[prop(optional)] required: bool,
    error: Option<String>,
) -> impl IntoView {
    let error_id = format!("{id}-error");
    let described = error.as_ref().map(|_| error_id.clone());
    let most = match name {
        "reason" => REASON_MAX,
        "category" => CATEGORY_MAX,
        _ => TOPIC_MAX,
    };
    view! {
        <div>
            <label class="label" for=id>
                {label}
                {key.map(|key| view! { <kbd class="kbd ml-1.5 hidden md:inline" aria-hidden="true">{key}</kbd> })}
            </label>
            <input
                class="input"
                id=id
                name=name
                autocomplete="off"
                value=value
                required=required
                maxlength=most.to_string()
                data-keys=key
                aria-invalid=error.as_ref().map(|_| "true")
                aria-describedby=described
            />
            {error.map(|text| view! { <p class="mt-1 text-xs text-danger" id=error_id>{text}</p> })}
        </div>
    }
}
