use super::{
    api::selected_memories,
    table::{place, state},
};
use crate::{
    Flash,
    ids::Ids,
    layout::{Crumb, PageHead, ViewerResource},
    query::{Query, use_query},
    ui::{DataTable, EmptyCard, PostForm, ReasonField, Shape, Time, awaited, columns, or_error, text},
};
use leptos::prelude::*;
use wire::{BULK_MAX, MemoryRow, OperatorRole};

const NOT_ALLOWED: &str = "Deleting requires the role “operator”. Ask an administrator for it.";

/// The confirmation page for deleting several memories.
#[component]
pub fn DeletePage() -> impl IntoView {
    let query = use_query();
    let rows = selected_memories(query.all("ids").filter_map(|id| id.parse().ok()).collect());
    let who = ViewerResource::shared();
    view! {
        <Crumb href="/memories" text="Memories" />
        <PageHead title="Delete memories">"Review what will be deleted."</PageHead>
        {awaited(async move {
            let answer = who.permitted(OperatorRole::Operator, NOT_ALLOWED, rows).await;
            or_error(answer, |(viewer, rows)| match rows.is_empty() {
                true => view! {
                    <EmptyCard shape=Shape::Delete title="Nothing is selected" href=query.back("/memories") link="Back to the list"
                        says=format!("Select at least one memory. Up to {BULK_MAX} are deleted together.") />
                }
                .into_any(),
                false => view! { <Confirm rows query flash=viewer.refused() /> }.into_any(),
            })
        })}
    }
}

#[component]
fn Confirm(rows: Vec<MemoryRow>, query: Query, flash: Option<Flash>) -> impl IntoView {
    let back = query.back("/memories");
    let count = text::count(i64::try_from(rows.len()).unwrap_or(i64::MAX), "memory", "memories");
    let more = query.all("ids").count() > BULK_MAX;
    let ids = String::from(Ids(rows.iter().map(|row| row.id).collect()));
    let (typed, error) = Flash::reason(flash);
    view! {
        <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div class="card mb-5">
                <DataTable label="Memories to delete" rows=rows.into_iter().map(|row| view! { <Row row /> }).collect_view() heads=columns([
                    ("Memory", ""), ("Agent", "hidden w-28 @md:table-cell"), ("Source", "hidden w-40 @2xl:table-cell"),
                    ("Updated", "hidden w-30 @md:table-cell"),
                ]) />
            </div>
            <PostForm class="card space-y-3 p-4 lg:sticky lg:top-5" action="/console/api/delete_memories" fields=[
                ("ids", ids), ("done", back.clone()), ("form", query.href("/memories/delete")),
            ]>
                <h2 data-testid="count">"Delete " {count.clone()} "?"</h2>
                {more.then(|| view! { <p class="text-sm text-warn">{text::first_selected(BULK_MAX)}</p> })}
                <p class="text-sm text-soft">
                    "Hidden from recall immediately. Content and history are kept; you can restore them."
                </p>
                <ReasonField id="reason" typed error hint="Kept in the audit log, once for each memory. At most 500 characters." />
                <div class="flex gap-2">
                    <button class="button button-danger" type="submit">
                        "Delete " {count}
                    </button>
                    <a class="button button-quiet" href=back>
                        "Cancel"
                    </a>
                </div>
            </PostForm>
        </div>
    }
}

#[component]
fn Row(row: MemoryRow) -> impl IntoView {
    view! {
        <tr>
            <td>
                <div class="flex flex-wrap items-center gap-2">
                    <a class="min-w-0 font-medium break-words" href=format!("/memories/{}", row.id)>{text::visible(&row.topic)}</a>
                    {state(&row)}
                </div>
                <p class="line-clamp-2 break-words text-soft">{text::visible(&row.content)}</p>
            </td>
            <td class="hidden truncate @md:table-cell">{row.agent_slug.clone()}</td>
            <td class="hidden truncate text-soft @2xl:table-cell" title=place(&row.source)>{place(&row.source)}</td>
            <td class="hidden @md:table-cell"><Time at=row.updated_at /></td>
        </tr>
    }
}
