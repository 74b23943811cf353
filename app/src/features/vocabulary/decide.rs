use super::{
    api::{VerdictPreview, consider_proposals},
    effect::Effects,
    input::DecisionInput,
    term_names::TermNames,
};
use crate::{
    Flash,
    ids::Ids,
    islands::TermField,
    layout::{Crumb, PageHead, ViewerResource},
    query::{Query, use_query},
    ui::{
        AreaField, DataTable, EmptyCard, ErrorView, PostForm, ReasonField, SelectField, Shape, TextField, Time, awaited, choice, columns,
        text,
    },
};
use leptos::prelude::*;
use wire::{BULK_MAX, CATEGORY_MAX, DEFINITION_MAX, OperatorRole, Proposal, ProposalId, TOPIC_MAX};

/// The error for viewers who may not decide.
pub const NOT_ALLOWED: &str = "Vocabulary decisions require the role “reviewer”. Ask an administrator for it.";

fn ids(query: &Query) -> Vec<ProposalId> {
    query.all("ids").flat_map(|ids| ids.split(',')).filter_map(|id| id.parse().ok()).collect()
}

/// The confirmation page of a decision on several proposals: the list, the effect, then the button.
#[component]
pub fn DecidePage() -> impl IntoView {
    let query = use_query();
    let preview = consider_proposals(ids(&query), DecisionInput::read(&query));
    let who = ViewerResource::shared();
    view! {
        <Crumb href="/vocabulary" text="Proposed terms" />
        <PageHead title="Decide proposals">"Review the effect, then confirm."</PageHead>
        {awaited(async move {
            match who.permitted(OperatorRole::Reviewer, NOT_ALLOWED, preview).await {
                Ok((_, preview)) if preview.proposals.is_empty() => view! {
                    <EmptyCard shape=Shape::Filter title="Nothing is selected" href=query.back("/vocabulary") link="Back to the list"
                        says=format!("Select at least one proposal. Up to {BULK_MAX} are decided together.") />
                }
                .into_any(),
                Ok((viewer, preview)) => view! { <Confirm preview query flash=viewer.refused() /> }.into_any(),
                Err(error) => view! { <div class="card"><ErrorView error /></div> <p class="mt-3"><Cancel query /></p> }.into_any(),
            }
        })}
        <TermNames />
    }
}

#[component]
fn Confirm(preview: VerdictPreview, query: Query, flash: Option<Flash>) -> impl IntoView {
    let more = (ids(&query).len() > BULK_MAX).then(|| view! { <p class="text-sm text-warn">{text::first_selected(BULK_MAX)}</p> });
    let rows = preview.proposals.iter().cloned().map(|proposal| view! { <Row proposal /> }).collect_view();
    let form = match (query.get("what"), &preview.into) {
        (Some("approve"), _) => view! { <Approve preview query flash /> }.into_any(),
        (Some("merge"), Some(_)) => view! { <Merge preview query /> }.into_any(),
        (Some("merge"), None) => view! { <Choose preview query /> }.into_any(),
        (Some("reject"), _) => view! { <Reject preview query flash /> }.into_any(),
        _ => {
            view! { <p class="text-sm text-soft">"Choose in the list whether to approve, merge or reject."</p> <Cancel query /> }.into_any()
        }
    };
    view! {
        <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_23rem]">
            <div class="card mb-5">
                <DataTable label="Proposals to decide" rows heads=columns([
                    ("Phrase", ""), ("Uses", "number w-16"), ("By", "hidden w-44 @md:table-cell"),
                    ("Last used", "hidden w-30 @xl:table-cell"),
                ]) />
            </div>
            <div class="card space-y-3 p-4 lg:sticky lg:top-5">{more} {form}</div>
        </div>
    }
}

#[component]
fn Row(proposal: Proposal) -> impl IntoView {
    view! {
        <tr>
            <td><a class="block font-medium break-words" href=format!("/vocabulary?focus={}", proposal.id)>{proposal.phrase}</a></td>
            <td class="number">{text::number(proposal.count)}</td>
            <td class="hidden break-words text-soft @md:table-cell">{proposal.agents.join(", ")}</td>
            <td class="hidden text-soft @xl:table-cell"><Time at=proposal.last_seen /></td>
        </tr>
    }
}

/// The number of proposals, `3 phrases`, or the phrase if there is only one.
fn what(proposals: &[Proposal]) -> String {
    match proposals {
        [one] => format!("“{}”", one.phrase),
        several => text::count(i64::try_from(several.len()).unwrap_or(i64::MAX), "phrase", "phrases"),
    }
}

/// The hidden fields of every verdict: the proposals, and where to redirect.
fn about(proposals: &[Proposal], query: &Query, what: &str) -> Vec<(&'static str, String)> {
    let ids = Ids(proposals.iter().map(|proposal| proposal.id).collect());
    let (done, form) = (query.back("/vocabulary"), query.href("/vocabulary/decide"));
    vec![("ids", ids.into()), ("what", what.to_owned()), ("done", done), ("form", form)]
}

#[component]
fn Approve(preview: VerdictPreview, query: Query, flash: Option<Flash>) -> impl IntoView {
    let input = match &flash {
        Some(flash) => DecisionInput::read(&Query::parse(&flash.typed)),
        None => DecisionInput::read(&query),
    };
    let error = move |field: &str| flash.as_ref().and_then(|flash| flash.field(field));
    let named = named(&preview.proposals, &query);
    let phrases = what(&preview.proposals);
    let (title, button) = match &named {
        Some(term) if preview.proposals.len() > 1 => (format!("Make “{term}” the term for {phrases}?"), "Make one term".to_owned()),
        _ => (format!("Approve {phrases}?"), format!("Approve {phrases}")),
    };
    let term = named.map(|shown| {
        let typed = if input.term.is_empty() { shown.clone() } else { input.term.clone() };
        view! {
            <input type="hidden" name="shown" value=shown />
            <TextField name="term" label="Term" value=typed required=true error=error("term") most=TOPIC_MAX />
        }
    });
    view! {
        <PostForm class="space-y-3" action="/console/api/decide_proposals" fields=about(&preview.proposals, &query, "approve")>
            <h2 class="wrap-anywhere" data-testid="count">{title}</h2>
            {preview.effect.map(|effect| view! { <Effects effect /> })}
            {term}
            <AreaField id="definition" name="definition" label="Definition" optional=true rows="3"
                value=input.definition most=DEFINITION_MAX />
            <TextField name="category" label="Category" optional=true value=input.category error=error("category") most=CATEGORY_MAX />
            <div class="flex gap-2">
                <button class="button button-primary h-auto! min-w-0 py-1 wrap-anywhere whitespace-normal!" type="submit">
                    {button}
                </button>
                <Cancel query />
            </div>
        </PostForm>
    }
}

/// The name of the one term that all proposals become; none if each becomes a term of its own.
fn named(proposals: &[Proposal], query: &Query) -> Option<String> {
    let alone = if let [one] = proposals { Some(one.phrase.clone()) } else { None };
    query.owned("term").or(alone)
}

#[component]
fn Merge(preview: VerdictPreview, query: Query) -> impl IntoView {
    let title = what(&preview.proposals);
    let (id, term) = preview.into.map(|into| (into.id, into.term)).unzip();
    let other = query.without(&["into"]).href("/vocabulary/decide");
    view! {
        <PostForm class="space-y-3" action="/console/api/decide_proposals" fields=about(&preview.proposals, &query, "merge")>
            <h2 class="wrap-anywhere" data-testid="count">"Merge " {title.clone()} " into “" {term} "”?"</h2>
            {preview.effect.map(|effect| view! { <Effects effect /> })}
            <input type="hidden" name="into" value=id.map(|id| id.to_string()) />
            <div class="flex flex-wrap gap-2">
                <button class="button button-primary h-auto! min-w-0 py-1 wrap-anywhere whitespace-normal!" type="submit">
                    "Merge " {title}
                </button>
                <a class="button" href=other>
                    "Another term…"
                </a>
                <Cancel query />
            </div>
        </PostForm>
    }
}

/// The form that asks for the term to merge into, before its effect can be shown; or for the phrase that becomes the term of all.
#[component]
fn Choose(preview: VerdictPreview, query: Query) -> impl IntoView {
    let title = what(&preview.proposals);
    let ids = String::from(Ids(preview.proposals.iter().map(|proposal| proposal.id).collect()));
    let common = |what: &'static str| {
        let fields = [("ids", ids.clone()), ("what", what.to_owned()), ("back", query.back("/vocabulary"))];
        fields.map(|(name, value)| view! { <input type="hidden" name=name value=value /> }).into_iter().collect_view()
    };
    let one_of_them = (preview.proposals.len() > 1).then(|| {
        let choices = preview.proposals.iter().map(|proposal| choice(&proposal.phrase, &proposal.phrase)).collect();
        let value = preview.proposals.first().map(|proposal| proposal.phrase.clone()).unwrap_or_default();
        view! {
            <form class="space-y-3 border-t border-line pt-4" method="get" action="/vocabulary/decide">
                <h2>"Or make them one new term"</h2>
                <p class="text-sm text-soft">"The phrase that you choose becomes the term, the others become its aliases."</p>
                {common("approve")}
                <div><SelectField name="term" label="Phrase" value choices /></div>
                <button class="button" type="submit">
                    "Show the new term"
                </button>
            </form>
        }
    });
    view! {
        <form class="space-y-3" method="get" action="/vocabulary/decide">
            <h2 class="wrap-anywhere" data-testid="count">"Merge " {title} " into which term?"</h2>
            {common("merge")}
            <div>
                <TermField id="into" name="into" label="Term" value=query.text("into") error=preview.unknown />
            </div>
            <div class="flex gap-2">
                <button class="button button-primary" type="submit">
                    "Show what changes"
                </button>
                <Cancel query=query.clone() />
            </div>
        </form>
        {one_of_them}
    }
}

#[component]
fn Reject(preview: VerdictPreview, query: Query, flash: Option<Flash>) -> impl IntoView {
    let title = what(&preview.proposals);
    let (typed, error) = Flash::reason(flash);
    view! {
        <PostForm class="space-y-3" action="/console/api/decide_proposals" fields=about(&preview.proposals, &query, "reject")>
            <h2 class="wrap-anywhere" data-testid="count">"Reject " {title.clone()} "?"</h2>
            <p class="text-sm text-soft">"No memory changes. If agents use a phrase again, it stays rejected and its uses are still counted."</p>
            <ReasonField id="reason" typed error hint="Kept with the decision. At most 500 characters." />
            <div class="flex gap-2">
                <button class="button button-danger h-auto! min-w-0 py-1 wrap-anywhere whitespace-normal!" type="submit">
                    "Reject " {title}
                </button>
                <Cancel query />
            </div>
        </PostForm>
    }
}

#[component]
fn Cancel(query: Query) -> impl IntoView {
    view! { <a class="button button-quiet" href=query.back("/vocabulary")>"Cancel"</a> }
}
