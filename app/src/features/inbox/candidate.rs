use super::{quote::Quotes, statement::Statement, words::kind};
use crate::{
    features::{erasure::SourceErased, memories::Reasons, projects::ProjectName},
    ui::{Badge, Canonical, Time, Tone, chart::percent},
};
use leptos::prelude::*;
use uuid::Uuid;
use wire::{InboxItem, MemoryStatus};

/// A candidate: its statement, what is known about it, what is proposed about it, and the quotes that it comes from.
#[component]
pub fn Candidate(
    item: InboxItem,
    /// Projects by id and slug.
    projects: Vec<(Uuid, String)>,
    children: Children,
) -> impl IntoView {
    let status = state(&item);
    let (rationale, alternatives) = (item.rationale.clone(), item.alternatives.clone());
    let (quotes, erased_by) = (item.quotes.clone(), item.erased_by);
    let sent_without = quotes.is_empty() && erased_by.is_none();
    view! {
        <div class="space-y-2">
            <div class="flex flex-wrap items-center gap-1.5">
                <Badge tone=Tone::Accent text=kind(item.kind) title="Kind" />
                {item.category.map(|category| view! { <Badge text=category.as_str().replace('_', " ") title="Category" /> })}
                {status}
                <span class="ml-auto text-xs text-soft"><Time at=item.created_at /></span>
            </div>
            <Statement content=item.content.clone() />
            <Reasons rationale alternatives class="" />
            <Facts item projects />
        </div>
        {children()}
        {sent_without.then(|| view! { <p class="text-sm text-soft">"No source is quoted. The candidate was sent without one."</p> })}
        {(!quotes.is_empty()).then(|| view! { <Quotes quotes /> })}
        {erased_by.map(|request| view! { <SourceErased request what="Evidence erased" /> })}
    }
}

#[component]
fn Facts(item: InboxItem, projects: Vec<(Uuid, String)>) -> impl IntoView {
    let confidence = percent(item.confidence.into());
    let new_topic = match item.is_canonical {
        true => view! { <Canonical yes=true /> }.into_any(),
        false => {
            let title = "The vocabulary does not know it. It is proposed for review when you confirm.";
            view! { <Badge tone=Tone::Warn text="new topic" title /> }.into_any()
        }
    };
    view! {
        <dl class="flex flex-wrap gap-x-5 gap-y-1 text-sm" data-testid="facts">
            <div class="flex min-w-0 flex-wrap gap-x-1.5">
                <dt class="text-soft">"Topic"</dt>
                <dd class="min-w-0 break-words" dir="auto">{item.topic}</dd>
                <dd>{new_topic}</dd>
            </div>
            {item.subject.map(|subject| fact("Subject", view! { <span dir="auto">{subject}</span> }))}
            {fact("Scope", item.scope.as_str())}
            {item.project_id.map(|id| fact("Project", view! { <ProjectName id projects /> }))}
            {fact("Agent", view! { <a href=format!("/inbox?agent={}", item.agent_id)>{item.agent_slug}</a> })}
            {fact("Confidence", confidence)}
            {item.observed_at.map(|at| fact("Said", view! { <Time at /> }))}
        </dl>
    }
}

fn fact(name: &'static str, value: impl IntoView + 'static) -> impl IntoView {
    view! {
        <div class="flex min-w-0 gap-x-1.5">
            <dt class="text-soft">{name}</dt>
            <dd class="min-w-0 break-words">{value}</dd>
        </div>
    }
}

/// A badge for what became of a candidate; none while it waits.
pub fn state(item: &InboxItem) -> impl IntoView + use<> {
    let (tone, text) = match item.status {
        MemoryStatus::Inbox if item.deleted => (Tone::Danger, "rejected"),
        MemoryStatus::Inbox => return None,
        _ if item.deleted => (Tone::Danger, "rejected or deleted"),
        MemoryStatus::Active => (Tone::Good, "confirmed"),
        MemoryStatus::Contradicted => (Tone::Warn, "contradicted"),
        MemoryStatus::Superseded => (Tone::Plain, "merged or superseded"),
        MemoryStatus::Archived => (Tone::Plain, "archived"),
    };
    Some(view! { <Badge tone text /> })
}
