use super::{
    api::{memory, recalls_of_memory},
    changed::Changed,
    correct::Correct,
    decide::Decide,
    facts::Facts,
    history::History,
    links::{Contradictions, Links},
    reasons::Reasons,
    recalled::RecalledBy,
    relate::{LinkTo, versions_beside},
    review::{Pin, Readers, Review},
    table::state,
    url,
    version::corrected,
};
use crate::{
    ConsoleError, Flash,
    features::{
        audit::Trail,
        inbox::{Evidence, Quoted, read_quotes},
        projects::project_names,
        recall::why_not,
    },
    guard::by_id,
    ids::Versions,
    layout::{Crumb, ViewerResource},
    query::{Query, use_param, use_query},
    ui::{Canonical, Time, Titled, awaited, or_missing, reading, text},
};
use leptos::prelude::*;
use leptos_meta::Title;
use uuid::Uuid;
use wire::{ArchiveReason, MemoryDetail, MemoryId, MemoryRecalls, MemoryStatus, OperatorRole, Trust};

const UNKNOWN: &str = "No memory has this id.";

#[component]
pub fn MemoryPage() -> impl IntoView {
    let (id, query) = (use_param::<MemoryId>("id"), use_query());
    let detail = reading(by_id(id, memory, UNKNOWN));
    let recalls = reading(by_id(id, recalls_of_memory, UNKNOWN));
    let quoted = reading(by_id(id, read_quotes, UNKNOWN));
    let (who, projects) = (ViewerResource::expect(), reading(project_names()));
    view! {
        <Crumb href=query.back("/memories") text="Memories" />
        {awaited(async move {
            let viewer = who.await.ok();
            let has = |role| viewer.as_ref().is_some_and(|viewer| viewer.profile.has(role));
            let (may_decide, may_review) = (has(OperatorRole::Operator), has(OperatorRole::Reviewer));
            let flash = viewer.and_then(|viewer| viewer.flash).filter(|flash| flash.refused);
            let projects = projects.await.unwrap_or_default();
            let (detail, quoted, recalls) = (detail.await, quoted.await.unwrap_or_default(), recalls.await);
            let seen = match &detail {
                Ok(detail) if may_review && in_recall(detail) => Some(versions_beside(detail).await),
                _ => None,
            };
            or_missing("Memory not found", detail, |detail| {
                view! { <Whole detail projects quoted recalls query may_decide may_review seen flash /> }
            })
        })}
    }
}

#[component]
fn Whole(
    detail: MemoryDetail,
    projects: Vec<(Uuid, String)>,
    quoted: Quoted,
    recalls: Result<MemoryRecalls, ConsoleError>,
    query: Query,
    may_decide: bool,
    may_review: bool,
    /// The versions that the page shows, for those who may resolve contradictions.
    seen: Option<Versions>,
    flash: Option<Flash>,
) -> impl IntoView {
    let row = detail.memory.clone();
    let (id, trail, versions) = (row.id, detail.audit.clone(), detail.record.versions.clone());
    // Shared memories belong to no agent that asks; their author does.
    let why_not = why_not(detail.record.created_by, &row.short_id, row.user_id);
    let rejected = row.status == MemoryStatus::Inbox;
    let waits = rejected && row.deleted_at.is_none();
    let in_recall = in_recall(&detail);
    let may_link = may_review && !waits && row.deleted_at.is_none() && detail.record.archived_at.is_none();
    let is_message = detail.record.role.is_some();
    let is_shared = matches!(detail.record.trust, Trust::Reviewed | Trust::Unreviewed);
    let here = url::memory(row.id, &query.back("/memories"));
    let asked = query.owned("open");
    let [correcting, resolving] = ["correct", "resolve"].map(|form| asked.as_deref() == Some(form));
    let (title, summary) = (detail.record.title.clone(), detail.record.summary.clone());
    let (rationale, alternatives) = (detail.record.rationale.clone(), detail.record.alternatives.clone());
    let corrected = corrected(&versions);
    let mut facts = detail.clone();
    if !quoted.quotes.is_empty() || quoted.erased_by.is_some() {
        // The section below the content says it better.
        facts.record.memory.evidence_ref = None;
    }
    let (by, reason) = (row.deleted_by.clone(), row.delete_reason.clone());
    view! {
        <Title text=text::visible(&row.topic) />
        <header class="mb-5">
            <h1 class="break-words">{text::visible(&row.topic)}</h1>
            <div class="mt-1.5 flex flex-wrap items-center gap-1.5">
                <Canonical yes=row.is_canonical />
                {state(&row)}
                <span class="font-mono text-xs text-soft" title="Short id, as shown in prompts">{row.short_id.clone()}</span>
            </div>
        </header>
        <Changed flash=flash.clone() />
        // On a phone, what can be done comes before the history.
        <div class="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1fr)_21rem] lg:grid-rows-[auto_1fr]">
            <div class="min-w-0 space-y-6">
                {waits.then(|| view! { <Waiting id=row.id /> })}
                {row.deleted_at.map(|at| view! { <Deleted at by reason rejected /> })}
                {detail.record.archived_at.map(|at| view! { <Archived at why=detail.archive_reason /> })}
                <section class="card p-4" aria-label="Content">
                    {title.map(|title| view! { <p class="mb-1 font-medium break-words" data-testid="title">{title}</p> })}
                    <div class="verbatim" data-testid="content">{text::visible(&row.content)}</div>
                    {summary
                        .map(|summary| {
                            view! {
                                <p class="mt-3 border-t border-line pt-3 text-sm break-words text-soft" data-testid="summary">
                                    "Summary: " {summary}
                                </p>
                            }
                        })}
                    <Reasons rationale alternatives class="mt-3 border-t border-line pt-3" />
                </section>
                <Evidence quoted corrected />
                {(row.status != MemoryStatus::Superseded).then(|| {
                    view! { <Contradictions id links=detail.record.links.clone() versions=seen open=resolving here=here.clone() flash=flash.clone() /> }
                })}
                <Links
                    id
                    topic=row.topic.clone()
                    links=detail.record.links.clone()
                    decided=if may_review { detail.decided.clone() } else { Vec::new() }
                    may_unlink=may_link
                    here=here.clone()
                    flash=flash.clone()
                />
            </div>
            <div class="min-w-0 space-y-6 lg:col-start-2 lg:row-span-2 lg:row-start-1">
                {in_recall.then(|| view! { <Review id=row.id version=row.version trust=detail.record.trust may_review here=here.clone() /> })}
                {(in_recall && !is_message).then(|| view! { <Readers id=row.id version=row.version is_shared agent_slug=row.agent_slug.clone() may_review here=here.clone() /> })}
                {(may_decide && row.deleted_at.is_none() && detail.record.archived_at.is_none() && !waits)
                    .then(|| view! { <Pin id=row.id pinned=detail.record.pinned here=here.clone() /> })}
                {(may_decide && in_recall).then(|| view! { <Correct row=row.clone() here=here.clone() open=correcting flash=flash.clone() /> })}
                {may_link.then(|| view! { <LinkTo id version=row.version here=here.clone() flash=flash.clone() /> })}
                {may_decide.then(|| view! { <Decide row archived=detail.record.archived_at.is_some() here asked flash /> })}
                <Facts projects detail=facts />
            </div>
            <div class="min-w-0 space-y-6">
                <RecalledBy recalls id why_not />
                <History versions query page=format!("/memories/{id}") />
                <Titled id="trail" title="Audit trail">
                    <div class="card"><Trail entries=trail /></div>
                </Titled>
            </div>
        </div>
    }
}

/// Whether recalls may return it, so that its content can be corrected.
pub fn in_recall(detail: &MemoryDetail) -> bool {
    let live = matches!(detail.memory.status, MemoryStatus::Active | MemoryStatus::Contradicted);
    live && detail.memory.deleted_at.is_none() && detail.record.archived_at.is_none()
}

/// The way from a candidate to the decision about it.
#[component]
fn Waiting(id: MemoryId) -> impl IntoView {
    view! {
        <p class="rounded-md bg-sunken px-3 py-2 text-sm" data-testid="waiting">
            "This candidate is waiting for review in the inbox. Agents do not recall it yet. "
            <a class="underline" href=format!("/inbox?focus={id}")>"Review it"</a>
        </p>
    }
}

#[component]
fn Archived(at: chrono::DateTime<chrono::Utc>, why: Option<ArchiveReason>) -> impl IntoView {
    let why = match why {
        Some(ArchiveReason::Faded) => "It was not recalled for a long time, and its importance faded.",
        Some(ArchiveReason::Expired) => "Its retention period ended.",
        Some(ArchiveReason::Limit) => "The agent reached its limit of episodes, and this one was the least important.",
        Some(ArchiveReason::Early) => "Its importance was low, and the agent was close to its limit of episodes.",
        None => "",
    };
    view! {
        <p class="rounded-md bg-sunken px-3 py-2 text-sm" data-testid="archived">
            <span class="font-medium">"Archived "<Time at /></span> ". Recalls no longer find it. " {why}
        </p>
    }
}

#[component]
fn Deleted(
    at: chrono::DateTime<chrono::Utc>,
    by: Option<String>,
    reason: Option<String>,
    /// It was a candidate.
    rejected: bool,
) -> impl IntoView {
    let what = if rejected { "Rejected " } else { "Deleted " };
    view! {
        <div class="rounded-md border border-danger bg-danger-wash px-3 py-2 text-sm text-danger" data-testid="deleted">
            <p class="font-medium">{what} <Time at /> {by.map(|by| format!(" by {by}"))} ". Recalls no longer find it."</p>
            {reason.map(|reason| view! { <p class="mt-0.5 break-words">"Reason: " {text::visible(&reason)}</p> })}
        </div>
    }
}
