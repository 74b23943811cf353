use super::{
    detail::in_recall,
    facts::recalled,
    table::{place, state},
    url,
};
use crate::{
    ConsoleError, Flash,
    features::people::PersonOf,
    query::Query,
    ui::{Canonical, ErrorView, Icon, IconLink, Panel, PostForm, ReasonField, Shape, Time, Walk, fact, landing_beside, text},
};
use leptos::prelude::*;
use wire::{MemoryDetail, MemoryId};

/// The panel with the memory that the URL names; keys step through the list.
#[component]
pub fn Peek(
    peek: Option<MemoryId>,
    /// The memory that the URL names, or why it cannot be read.
    detail: Option<Result<MemoryDetail, ConsoleError>>,
    /// The ids of the list, from top to bottom.
    ids: Vec<MemoryId>,
    query: Query,
    /// Whether the viewer may correct, delete and restore.
    may_decide: bool,
    /// A form that was refused.
    flash: Option<Flash>,
) -> impl IntoView {
    let shown = detail.map(|detail| match detail {
        Ok(detail) => {
            let id = detail.memory.id;
            // The list without the memory, at its neighbour; a refused form is shown in the panel again.
            let decision = may_decide.then(|| Decision {
                done: landing_beside(&url::list(&query), "m-", &ids, id),
                form: at(&query, Some(id)),
                refused: flash.and_then(|flash| flash.refused_at(("ids", &id.to_string()), "reason")),
            });
            view! { <Glance detail list=url::list(&query) decision /> }.into_any()
        }
        Err(error) => view! { <ErrorView error /> }.into_any(),
    });
    view! {
        <Panel open=peek.is_some() label="Peek" name="peek">
            <Walk ids at=peek link=at query />
            {shown}
        </Panel>
    }
}

/// The URL that opens a memory in the panel, or closes the panel.
fn at(query: &Query, id: Option<MemoryId>) -> String {
    query.with("peek", id.map(|id| id.to_string()).unwrap_or_default()).href("/memories")
}

/// Where the form of the panel leads, and what was typed into it before it was refused.
struct Decision {
    done: String,
    form: String,
    refused: Option<(Query, Option<String>)>,
}

#[component]
fn Glance(
    detail: MemoryDetail,
    /// The URL of the list, to which the memory's page leads back.
    list: String,
    /// Absent: the viewer may neither correct nor delete.
    decision: Option<Decision>,
) -> impl IntoView {
    let row = detail.memory.clone();
    let page = url::memory(row.id, &list);
    let correct = (decision.is_some() && in_recall(&detail))
        .then(|| view! { <IconLink href=url::form(row.id, &list, "correct") shape=Shape::Edit text="Correct…" /> });
    let gone = row.deleted_at.is_some() || detail.record.archived_at.is_some();
    let decide = decision.map(|decision| view! { <Decide id=row.id gone decision /> });
    let raw = (row.topic_raw != row.topic).then(|| view! { <dt>"Topic as sent"</dt><dd>{text::visible(&row.topic_raw)}</dd> });
    let user = row.user_id.map(|id| fact("User", view! { <PersonOf id /> }));
    let recalled = recalled(row.recalled_count, &detail.record);
    view! {
        <div class="space-y-4 p-4">
            <div>
                <h2 class="text-lg leading-snug break-words">{text::visible(&row.topic)}</h2>
                <div class="mt-1 flex flex-wrap gap-1.5">
                    <Canonical yes=row.is_canonical />
                    {state(&row)}
                </div>
            </div>
            <div class="verbatim" data-testid="content">{text::visible(&row.content)}</div>
            <dl class="facts border-t border-line pt-4">
                {fact("Agent", row.agent_slug.clone())}
                {raw}
                {fact("Source", place(&row.source))}
                {user}
                {fact("Updated", view! { <Time at=row.updated_at /> })}
                {fact("Recalled", recalled)}
                {fact("Versions", detail.record.versions.len().to_string())}
            </dl>
            <p class="flex flex-wrap gap-2 border-t border-line pt-4">
                <a class="button" href=page data-keys="o">
                    "Open page"
                    <kbd class="kbd hidden md:inline" aria-hidden="true">"o"</kbd>
                </a>
                {correct}
            </p>
            {decide}
        </div>
    }
}

/// The folded form that deletes or restores the memory of the panel. Unfolded it stays at the lower edge of the panel, below the text that it
/// is about. Its id is that of the memory: what was typed for one is not offered for the next.
#[component]
fn Decide(
    id: MemoryId,
    /// The memory is deleted or archived.
    gone: bool,
    decision: Decision,
) -> impl IntoView {
    let (action, title, button, class, shape) = match gone {
        true => ("/console/api/restore_memories", "Restore…", "Restore this memory", "button button-primary", Shape::Restore),
        false => ("/console/api/delete_memories", "Delete…", "Delete this memory", "button button-danger", Shape::Delete),
    };
    let (typed, error) = decision.refused.unzip();
    let (open, typed) = (typed.is_some(), typed.map(|typed| typed.text("reason")).unwrap_or_default());
    view! {
        <details class="sticky bottom-0 -mx-4 bg-surface px-4 pb-2 open:border-t open:border-line" id=format!("decide-{id}") open=open data-write="">
            <summary class="flex items-center gap-2 py-2 font-medium" class:text-danger=!gone>
                <Icon shape />
                {title}
            </summary>
            <PostForm class="space-y-2" action=action fields=[
                ("ids", id.to_string()), ("done", decision.done), ("form", decision.form),
            ]>
                <ReasonField id=format!("reason-{id}") typed error=error.flatten() hint="Kept in the audit log. You can undo it." />
                <button class=class type="submit">
                    {button}
                </button>
            </PostForm>
        </details>
    }
}
