use super::{
    api::{Preview, consider_candidates},
    candidate::state,
    input::VerdictInput,
    table::disputes,
    url::ids,
    words::{candidates, kind, number},
};
use crate::{
    Flash,
    features::memories::Changed,
    ids::{Ids, Versions},
    layout::{Crumb, PageHead, ViewerResource},
    query::{Query, use_query},
    ui::{Badge, Canonical, DataTable, EmptyCard, ErrorView, PostForm, ReasonField, Shape, awaited, columns, text},
};
use leptos::prelude::*;
use wire::{BULK_MAX, InboxItem, InboxOutcome, OperatorRole};

/// The error for viewers who may not decide.
const NOT_ALLOWED: &str = "Reviewing candidates requires the role “reviewer”. Ask an administrator for it.";

/// The confirmation page of a decision on several candidates: the list, what it would do, then the button.
#[component]
pub fn ReviewPage() -> impl IntoView {
    let query = use_query();
    let preview = consider_candidates(ids(&query), VerdictInput::read(&query));
    let who = ViewerResource::shared();
    view! {
        <Crumb href="/inbox" text="Candidates" />
        <PageHead title="Decide candidates">"Review what will change."</PageHead>
        {awaited(async move {
            match who.permitted(OperatorRole::Reviewer, NOT_ALLOWED, preview).await {
                Ok((_, preview)) if preview.items.is_empty() => view! {
                    <EmptyCard shape=Shape::Filter title="Nothing is selected" href=query.back("/inbox") link="Back to the inbox"
                        says=format!("Select at least one candidate. Up to {BULK_MAX} are decided together.") />
                }
                .into_any(),
                Ok((viewer, preview)) => view! { <Review preview query flash=viewer.refused() /> }.into_any(),
                Err(error) => view! { <div class="card"><ErrorView error /></div> <p class="mt-3"><Cancel query /></p> }.into_any(),
            }
        })}
    }
}

#[component]
fn Review(preview: Preview, query: Query, flash: Option<Flash>) -> impl IntoView {
    let Preview { items, outcome } = preview;
    let more = (ids(&query).len() > BULK_MAX).then(|| view! { <p class="text-sm text-warn">{text::first_selected(BULK_MAX)}</p> });
    let chosen = String::from(Ids(items.iter().map(|item| item.id).collect()));
    let versions = String::from(Versions(items.iter().map(|item| (item.id, item.version)).collect()));
    let shown = outcome.clone().unwrap_or_default();
    let changed = flash.clone();
    let count = candidates(i64::try_from(items.len()).unwrap_or(i64::MAX));
    let (verb, class) = if outcome.is_some() { ("Confirm", "button button-primary") } else { ("Reject", "button button-danger") };
    let body = match outcome {
        Some(outcome) => view! { <Effect outcome /> }.into_any(),
        None => view! { <Reason flash /> }.into_any(),
    };
    let rows = items.into_iter().map(|item| view! { <Row item outcome=shown.clone() /> }).collect_view();
    view! {
        <Changed flash=changed />
        <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_23rem]">
            <div class="card mb-5">
                <DataTable label="Candidates to decide" rows heads=columns([
                    ("Candidate", ""), ("Topic", "hidden w-44 @md:table-cell"), ("Agent", "hidden w-28 @xl:table-cell"),
                ]) />
            </div>
            <PostForm class="card space-y-3 p-4 lg:sticky lg:top-5" action="/console/api/decide_candidates" fields=[
                ("ids", chosen), ("shown", versions), ("what", verb.to_lowercase()), ("done", query.back("/inbox")),
                ("form", query.href("/inbox/review")),
            ]>
                <h2 data-testid="count">{verb} " " {count.clone()} "?"</h2>
                {more}
                {body}
                <div class="flex gap-2">
                    <button class=class type="submit">{verb} " " {count}</button>
                    <Cancel query />
                </div>
            </PostForm>
        </div>
    }
}

/// What confirming would do, as a list.
#[component]
fn Effect(outcome: InboxOutcome) -> impl IntoView {
    let (merged, disputed) = (number(&outcome.merged), number(&outcome.disputed));
    let active = number(&outcome.changed) - merged;
    let line = |n: i64, one: &str, many: &str| (n > 0).then(|| format!("{} {}", text::number(n), if n == 1 { one } else { many }));
    let lines = [
        Some(format!("{} active. Agents recall them.", text::count(active, "becomes", "become"))),
        line(merged, "is merged into a memory that says the same.", "are merged into memories that say the same."),
        line(disputed, "contradicts an active memory. Both are kept.", "contradict an active memory. Both sides are kept."),
        line(number(&outcome.unchanged), "was decided already and stays as it is.", "were decided already and stay as they are."),
        (!outcome.new_topics.is_empty()).then(|| format!("New topics are proposed for review: “{}”.", outcome.new_topics.join("”, “"))),
    ];
    view! {
        <ul class="list-disc space-y-1 rounded-md bg-sunken py-2 pr-3 pl-7 text-sm wrap-anywhere" data-testid="effect">
            {lines.into_iter().flatten().map(|line| view! { <li>{line}</li> }).collect_view()}
        </ul>
    }
}

#[component]
fn Reason(flash: Option<Flash>) -> impl IntoView {
    let (typed, error) = Flash::reason(flash);
    view! {
        <p class="text-sm text-soft">"Rejected candidates leave the inbox. Capturing the same text again does not bring them back."</p>
        <ReasonField id="reason" typed error hint="Kept in the audit log, once for each candidate. At most 500 characters." />
    }
}

#[component]
fn Row(item: InboxItem, outcome: InboxOutcome) -> impl IntoView {
    let merged = outcome.merged.contains(&item.id).then(|| view! { <Badge text="will be merged" /> });
    view! {
        <tr data-testid="candidate">
            <td>
                <a class="line-clamp-3 font-medium break-words" dir="auto" href=format!("/inbox?focus={}", item.id)>{text::visible(&item.content)}</a>
                <div class="mt-1 flex flex-wrap items-center gap-1.5 text-xs text-soft">
                    <Badge text=kind(item.kind) />
                    {state(&item)}
                    {merged}
                    {disputes(&item)}
                    <span class="max-w-full truncate @md:hidden" dir="auto">{item.topic.clone()}</span>
                </div>
            </td>
            <td class="hidden @md:table-cell">
                <p class="line-clamp-2 break-words" dir="auto">{item.topic.clone()}</p>
                {item.is_canonical.then(|| view! { <Canonical yes=true /> })}
            </td>
            <td class="hidden truncate text-soft @xl:table-cell">{item.agent_slug.clone()}</td>
        </tr>
    }
}

#[component]
fn Cancel(query: Query) -> impl IntoView {
    view! { <a class="button button-quiet" href=query.back("/inbox")>"Cancel"</a> }
}
