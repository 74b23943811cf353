use super::{
    api::read_term,
    decisions::{DecisionSummary, Progress, Undo},
    edit::Edit,
    term_names::TermNames,
    terms::retired,
};
use crate::{
    guard::by_id,
    layout::{Crumb, ViewerResource},
    query::{Query, use_param},
    ui::{
        Badge, Time, Titled, awaited,
        chart::{length, share_of},
        or_missing, reading, rows_or, text,
    },
};
use leptos::prelude::*;
use leptos_meta::Title;
use wire::{Decision, OperatorRole, TermDetail, TermId, TermUsage};

/// The error for a URL without a valid id.
pub const UNKNOWN: &str = "No term has this id.";

/// The page of a term: definition, aliases, usage, and history.
#[component]
pub fn TermPage() -> impl IntoView {
    let id = use_param::<TermId>("id");
    let detail = reading(by_id(id, read_term, UNKNOWN));
    let who = ViewerResource::expect();
    view! {
        <Crumb href="/vocabulary/terms" text="Terms" />
        {awaited(async move {
            let may_decide = who.await.is_ok_and(|viewer| viewer.profile.has(OperatorRole::Reviewer));
            or_missing("Term", detail.await, |detail| view! { <Whole detail may_decide /> })
        })}
        <TermNames />
    }
}

#[component]
fn Whole(detail: TermDetail, may_decide: bool) -> impl IntoView {
    let here = format!("/vocabulary/terms/{}", detail.term.id);
    let term = detail.term;
    let definition = match term.definition.clone() {
        definition if definition.is_empty() => view! { <p class="text-soft">"Not defined yet."</p> }.into_any(),
        definition => view! { <p class="verbatim" data-testid="definition">{text::visible(&definition)}</p> }.into_any(),
    };
    let edit = (may_decide && term.retired_at.is_none()).then(|| view! { <Edit term=term.clone() /> });
    let removes = edit.is_some();
    let aliases = term.aliases.iter().map(|alias| view! { <Alias alias=alias.clone() here=here.clone() removes /> }).collect_view();
    view! {
        <Title text=text::visible(&term.term) />
        <header class="mb-5">
            <h1 class="break-words">{text::visible(&term.term)}</h1>
            <div class="mt-1.5 flex flex-wrap items-center gap-1.5 text-sm text-soft">
                {term.category.clone().map(|category| view! { <Badge text=category /> })}
                {retired(&term)}
                <span>"Last changed " <Time at=term.since /></span>
            </div>
        </header>
        <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div class="min-w-0 space-y-6">
                <section class="card p-4" aria-label="Meaning">{definition}</section>
                <Titled id="aliases" title="Aliases">
                    {match term.aliases.is_empty() {
                        true => view! { <p class="card px-4 py-3 text-sm text-soft">"No aliases."</p> }.into_any(),
                        false => view! { <ul class="card divide-y divide-line" data-testid="aliases">{aliases}</ul> }.into_any(),
                    }}
                </Titled>
                <Usage usage=detail.usage term=term.term.clone() />
                <Titled id="history" title="History">
                    <History history=detail.history may_decide here />
                </Titled>
            </div>
            <div class="mt-6 lg:mt-0">{edit}</div>
        </div>
    }
}

#[component]
fn Alias(alias: String, here: String, removes: bool) -> impl IntoView {
    let remove = removes.then(|| {
        let href = Query::default().with("what", "unalias").with("alias", &alias).href(&format!("{here}/change"));
        let label = format!("Remove the alias {alias}");
        view! { <a class="button button-quiet" href=href aria-label=label>"Remove…"</a> }
    });
    view! {
        <li class="flex items-center justify-between gap-3 px-4 py-1.5">
            <span class="min-w-0 break-words">{text::visible(&alias)}</span>
            {remove}
        </li>
    }
}

/// How many memories each agent has filed under the term.
#[component]
fn Usage(usage: Vec<TermUsage>, term: String) -> impl IntoView {
    let most = usage.iter().map(|usage| usage.memories).max().unwrap_or(0).max(1);
    let row = move |usage: TermUsage| {
        let href = Query::default().with("agent", usage.agent_id).with("topic", &term).href("/memories");
        let width = format!("{:.1}", share_of(length(usage.memories), length(most)) * 100.0);
        view! {
            <li class="grid grid-cols-[minmax(0,9rem)_minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-2 text-sm" data-testid="usage">
                <a class="truncate" href=href>{usage.agent_slug}</a>
                <svg class="h-2 w-full" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                    <rect class="fill-line" width="100" height="8" />
                    <rect class="fill-chart" width=width height="8" />
                </svg>
                <span class="text-soft">
                    {text::count(usage.memories, "memory", "memories")}
                    <span class="hidden sm:inline">", last " <Time at=usage.last_write /></span>
                </span>
            </li>
        }
    };
    view! {
        <Titled id="used" title="Used by">
            {rows_or(
                "No agent has memories under this term. They appear here when an agent stores one whose topic is the term or an alias.",
                usage.into_iter().map(row).collect(),
            )}
        </Titled>
    }
}

#[component]
fn History(history: Vec<Decision>, may_decide: bool, here: String) -> impl IntoView {
    let one = move |decision: Decision| {
        let undo = (may_decide && decision.undoable).then(|| view! { <Undo decision=decision.clone() done=here.clone() /> });
        let memories =
            (decision.memories > 0).then(|| view! { <span class="flex gap-1">"memories: " <Progress decision=decision.clone() /></span> });
        view! {
            <li class="flex flex-wrap items-start justify-between gap-3 px-4 py-2.5 text-sm" data-testid="decision">
                <div class="min-w-0">
                    <DecisionSummary decision=decision.clone() />
                    <p class="mt-0.5 flex flex-wrap gap-x-1.5 text-xs text-soft">{decision.by} ", " <Time at=decision.at /> {memories}</p>
                </div>
                {undo}
            </li>
        }
    };
    if history.is_empty() {
        return view! { <p class="card px-4 py-3 text-sm text-soft">"No decisions about this term yet."</p> }.into_any();
    }
    view! { <ol class="card divide-y divide-line">{history.into_iter().map(one).collect_view()}</ol> }.into_any()
}
