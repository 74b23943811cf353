use super::{
    decisions::Undo,
    similar::Similar,
    term_names::TermNames,
    verdicts::{Nearest, Verdicts},
    words::summary,
};
use crate::{
    ConsoleError, Flash,
    features::session::Viewer,
    query::Query,
    ui::{ErrorView, Panel, Time, Walk, landing, neighbours, text},
};
use leptos::prelude::*;
use wire::{Decision, Evidence, OperatorRole, Proposal, ProposalDetail, ProposalId, ProposalStatus};

/// The panel with the proposal that the URL names: its evidence, similar terms, and the decision.
#[component]
pub fn Focus(
    focus: Option<ProposalId>,
    /// The proposal in focus, or why it cannot be read.
    detail: Option<Result<ProposalDetail, ConsoleError>>,
    /// The ids of the list, from top to bottom.
    ids: Vec<ProposalId>,
    /// Those of the list that resemble the one in focus.
    similar: Vec<Proposal>,
    viewer: Option<Viewer>,
    query: Query,
) -> impl IntoView {
    let shown = detail.map(|detail| match detail {
        Ok(detail) => {
            let id = detail.proposal.id;
            let may_decide = viewer.as_ref().is_some_and(|viewer| viewer.profile.has(OperatorRole::Reviewer));
            let flash = viewer.and_then(|viewer| viewer.flash).filter(|flash| flash.refused);
            let (before, after) = neighbours(&ids, id);
            let (here, next) = (back(&query, Some(id)), back(&query, after.or(before)));
            view! { <Look detail similar may_decide flash here next /> }.into_any()
        }
        Err(error) => view! { <ErrorView error /> }.into_any(),
    });
    view! {
        <Panel open=focus.is_some() label="Proposal" name="focus">
            <Walk ids at=focus link=at query />
            {shown}
            <TermNames />
        </Panel>
    }
}

/// The URL that opens a proposal in the panel, or closes the panel.
fn at(query: &Query, id: Option<ProposalId>) -> String {
    query.with("focus", id.map(|id| id.to_string()).unwrap_or_default()).href("/vocabulary")
}

/// The URL to which a decision leads back: the proposal in the panel, at its row.
fn back(query: &Query, id: Option<ProposalId>) -> String {
    id.map_or_else(|| at(query, None), |id| landing(&at(query, Some(id)), &format!("p-{id}")))
}

#[component]
fn Look(
    detail: ProposalDetail,
    similar: Vec<Proposal>,
    may_decide: bool,
    flash: Option<Flash>,
    here: String,
    next: String,
) -> impl IntoView {
    let proposal = detail.proposal.clone();
    let met = format!("Used {} by {}", text::count(proposal.count, "time", "times"), proposal.agents.join(", "));
    let evidence = detail.evidence.clone();
    let decide = match proposal.decision {
        Some(decision) => view! { <Decided decision may_undo=may_decide here /> }.into_any(),
        None if may_decide && proposal.status == ProposalStatus::Open => {
            let id = proposal.id;
            view! { <Similar id similar here=here.clone() /> <Verdicts detail flash here next /> }.into_any()
        }
        None => view! { <Nearest nearest=detail.nearest merge=false /> }.into_any(),
    };
    view! {
        // The id tells the panels of two proposals apart, so that input about one is not sent for another.
        <div class="space-y-5 p-4" id=format!("proposal-{}", proposal.id)>
            <div>
                <h2 class="text-lg leading-snug break-words">{text::visible(&proposal.phrase)}</h2>
                <p class="text-sm break-words text-soft">{met} ", first " <Time at=proposal.first_seen /> ", last " <Time at=proposal.last_seen /></p>
            </div>
            <Sources evidence />
            {decide}
        </div>
    }
}

/// The memories that use a phrase, with their current content.
#[component]
fn Sources(evidence: Vec<Evidence>) -> impl IntoView {
    if evidence.is_empty() {
        return view! { <p class="text-sm text-soft">"No live memory uses it."</p> }.into_any();
    }
    let one = |evidence: Evidence| {
        view! {
            <li class="px-3 py-2" data-testid="evidence">
                <p class="mb-0.5 flex flex-wrap items-baseline gap-x-1.5 text-xs text-soft">
                    <a href=format!("/memories/{}", evidence.memory_id)>{evidence.topic_raw}</a>
                    <span>{evidence.agent_slug} " on " {evidence.platform}</span>
                    <span class="ml-auto"><Time at=evidence.updated_at /></span>
                </p>
                <div class="verbatim max-h-28 overflow-y-auto text-sm" tabindex="0" data-testid="content">{text::visible(&evidence.content)}</div>
            </li>
        }
    };
    view! {
        <section aria-label="Evidence">
            <ul class="divide-y divide-line rounded-md border border-line">{evidence.into_iter().map(one).collect_view()}</ul>
        </section>
    }
    .into_any()
}

#[component]
fn Decided(decision: Decision, may_undo: bool, here: String) -> impl IntoView {
    let reason = decision.reason.clone();
    view! {
        <section class="space-y-2 rounded-md bg-sunken px-3 py-2 text-sm" aria-label="Decision" data-testid="decided">
            <p class="break-words">{summary(&decision)} " " {decision.by.clone()} ", " <Time at=decision.at /></p>
            {reason.map(|reason| view! { <p class="break-words text-soft">"Reason: " {text::visible(&reason)}</p> })}
            {(may_undo && decision.undoable).then(|| view! { <Undo decision done=here /> })}
        </section>
    }
}
