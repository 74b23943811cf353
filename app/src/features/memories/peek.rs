use super::{
    detail::in_recall,
    facts::recalled,
    table::{place, state},
    url,
};
use crate::{
    ConsoleError,
    features::people::PersonOf,
    query::Query,
    ui::{Canonical, ErrorView, IconLink, Panel, Shape, Time, Walk, fact, text},
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
) -> impl IntoView {
    let shown = detail.map(|detail| match detail {
        Ok(detail) => view! { <Glance detail list=url::list(&query) may_decide /> }.into_any(),
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

#[component]
fn Glance(
    detail: MemoryDetail,
    /// The URL of the list, to which the memory's page leads back.
    list: String,
    may_decide: bool,
) -> impl IntoView {
    let row = detail.memory.clone();
    let page = url::memory(row.id, &list);
    let correct = (may_decide && in_recall(&detail))
        .then(|| view! { <IconLink href=url::form(row.id, &list, "correct") shape=Shape::Edit text="Correct…" /> });
    let gone = row.deleted_at.is_some() || detail.record.archived_at.is_some();
    let (name, label, class, shape) = match gone {
        true => ("restore", "Restore…", "button", Shape::Restore),
        false => ("delete", "Delete…", "button button-danger", Shape::Delete),
    };
    let decide = may_decide.then(|| view! { <IconLink class=class href=url::form(row.id, &list, name) shape text=label /> });
    let raw = (row.topic_raw != row.topic).then(|| view! { <dt>"Original wording"</dt><dd>{text::visible(&row.topic_raw)}</dd> });
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
                {decide}
            </p>
        </div>
    }
}
