use super::{
    ranked::{Scores, full_bar},
    url,
};
use crate::{
    query::Query,
    ui::{Badge, Canonical, Icon, OfSelected, Selectable, Shape, Tick, Time, Tone, columns, reversing, text},
};
use leptos::prelude::*;
use wire::{MemoryId, MemoryKind, MemoryRow, MemoryScope, MemoryStatus, SearchHit, Source};

/// Columns that a narrow table leaves out.
const MEDIUM: &str = "hidden @md:table-cell";
const WIDE: &str = "hidden @2xl:table-cell";
const WIDEST: &str = "hidden @4xl:table-cell";

/// Where the columns "Recalled" or "Deleted" and "Updated" are shown: when it was deleted matters more than when it was updated.
fn shown(deleted: bool) -> (&'static str, &'static str) {
    if deleted { (WIDE, WIDEST) } else { (WIDEST, WIDE) }
}

/// The table of memories, ranked if they are hits. Operators who may delete can select rows, or restore deleted ones; those who
/// may resolve contradictions are led to the form that does.
#[component]
pub fn Table(
    rows: Vec<(MemoryRow, Option<SearchHit>)>,
    query: Query,
    peek: Option<MemoryId>,
    may_delete: bool,
    may_resolve: bool,
) -> impl IntoView {
    let back = url::list(&query);
    let deleted = query.get("deleted") == Some("true");
    let select = may_delete && !deleted;
    let (fate, updated) = shown(deleted);
    let (name, fate) = if deleted { ("Deleted", format!("w-32 {fate}")) } else { ("Recalled", format!("number w-24 {fate}")) };
    let ranked = rows.iter().any(|(_, hit)| hit.is_some());
    let full = full_bar(rows.iter().filter_map(|(_, hit)| hit.as_ref()));
    let first = rows.first().map(|(row, _)| row.id);
    let heads = [
        Some(("Memory", String::new())),
        ranked.then(|| ("Rank", format!("w-48 {MEDIUM}"))),
        Some(("Agent", format!("w-28 {WIDE}"))),
        Some(("Source", format!("w-40 {WIDEST}"))),
        Some((name, fate)),
    ];
    // Hits are in the order of their rank.
    let updated = ("Updated", format!("w-30 {updated}"));
    let updated = if ranked { columns([updated]) } else { reversing("/memories", &query, true, updated) };
    let rows = rows
        .into_iter()
        .map(
            |(row, hit)| view! { <Row first=first == Some(row.id) row hit full query=query.clone() peek deleted may_delete may_resolve /> },
        )
        .collect_view();
    view! {
        <Selectable
            action="/memories/delete"
            back
            label="Memories"
            nouns=("memory", "memories")
            hint="Select memories to delete them together."
            select
            rows
            heads=(columns(heads.into_iter().flatten()), updated)
        >
            <button class="button button-danger" type="submit">
                <Icon shape=Shape::Delete />
                <OfSelected verb="Delete" />
            </button>
        </Selectable>
    }
}

#[component]
fn Row(
    row: MemoryRow,
    hit: Option<SearchHit>,
    /// The value that fills the bars of a hit.
    full: f64,
    query: Query,
    peek: Option<MemoryId>,
    /// The list has only deleted memories.
    deleted: bool,
    may_delete: bool,
    may_resolve: bool,
    first: bool,
) -> impl IntoView {
    let id = row.id;
    let (select, restore) = (may_delete && !deleted, may_delete && row.deleted_at.is_some());
    let words = hit.as_ref().map(|hit| hit.matched_words.clone()).unwrap_or_default();
    let content = text::marked(&row.content, &words)
        .into_iter()
        .map(|(piece, hit)| {
            if hit {
                view! { <mark>{text::visible(piece)}</mark> }.into_any()
            } else {
                view! { <span>{text::visible(piece)}</span> }.into_any()
            }
        })
        .collect_view();
    let checkbox = select.then(|| view! { <Tick id=id.to_string() name=row.topic.clone() /> });
    let ranked = hit.clone().map(|hit| view! { <td class=MEDIUM><Scores hit full /></td> });
    let by = row.deleted_by.clone().map(|by| format!("by {by}"));
    let when = match row.deleted_at {
        Some(at) => view! { "deleted " <Time at /> " " {by.clone()} }.into_any(),
        None => view! { <Time at=row.updated_at /> }.into_any(),
    };
    let (fate, updated) = shown(deleted);
    let fate = match row.deleted_at.filter(|_| deleted) {
        Some(at) => {
            let by = by.map(|by| view! { <span class="block truncate text-soft" title=by.clone()>{by.clone()}</span> });
            view! { <td class=fate><Time at />{by}</td> }.into_any()
        }
        None => {
            let recalls = row.recalled_count;
            view! { <td class=format!("number {fate}") class:text-soft=recalls == 0>{text::number(recalls)}</td> }.into_any()
        }
    };
    let reason = row
        .delete_reason
        .as_deref()
        .map(|reason| view! { <p class="line-clamp-2 break-words text-soft">"Reason: " {text::visible(reason)}</p> });
    let form = |name: &'static str, shape: Shape, says: &'static str| {
        view! {
            <a class="mt-1 inline-flex items-center gap-1.5 text-sm" href=url::form(id, &url::list(&query), name)>
                <Icon shape />
                {says}
                <span class="sr-only">{format!("“{}”", text::visible(&row.topic))}</span>
            </a>
        }
    };
    let restore = restore.then(|| form("restore", Shape::Restore, "Restore…"));
    let resolvable = may_resolve && row.status == MemoryStatus::Contradicted && row.deleted_at.is_none();
    let resolve = resolvable.then(|| form("resolve", Shape::Alert, "Resolve…"));
    let narrow = hit.map(|hit| view! { <span class="@md:hidden">" · score " {format!("{:.2}", hit.score)}</span> });
    view! {
        <tr id=format!("m-{id}") data-testid="memory" aria-current=(peek == Some(id)).then_some("true")>
            {checkbox}
            <td>
                <div class="flex flex-wrap items-center gap-x-2 gap-y-1">
                    <a
                        class="min-w-0 truncate font-medium"
                        href=query.with("peek", id).href("/memories")
                        data-noscroll="true"
                        data-keys=(first && peek.is_none()).then_some("j ArrowDown")
                        data-keys-label="Open the first memory"
                    >
                        {text::visible(&row.topic)}
                    </a>
                    {row.is_canonical.then(|| view! { <Canonical yes=true /> })}
                    {nature(&row)}
                    {state(&row)}
                </div>
                <p class="line-clamp-2 break-words text-soft">{content}</p>
                {reason}
                <p class="mt-1 text-xs break-words text-soft @2xl:hidden">
                    {row.agent_slug.clone()} " · " {place(&row.source)} " · " {when} {narrow}
                </p>
                {restore}
                {resolve}
            </td>
            {ranked}
            <td class=format!("truncate {WIDE}")>{row.agent_slug}</td>
            <td class=format!("truncate text-soft {WIDEST}") title=place(&row.source)>{place(&row.source)}</td>
            {fate}
            <td class=updated><Time at=row.updated_at /></td>
        </tr>
    }
}

/// Badges for an unusual state.
pub fn state(row: &MemoryRow) -> impl IntoView + use<> {
    let rejected = row.status == MemoryStatus::Inbox && row.deleted_at.is_some();
    let status = match row.status {
        MemoryStatus::Active => None,
        MemoryStatus::Inbox if rejected => None,
        MemoryStatus::Inbox => Some(view! { <Badge tone=Tone::Accent text="candidate" /> }.into_any()),
        MemoryStatus::Contradicted => Some(view! { <Badge tone=Tone::Warn text="contradicted" /> }.into_any()),
        other => Some(view! { <Badge text=other.as_str() /> }.into_any()),
    };
    let deleted = row.deleted_at.map(|_| view! { <Badge tone=Tone::Danger text=if rejected { "rejected" } else { "deleted" } /> });
    (deleted, ended(row).map(|text| view! { <Badge text /> }), status)
}

/// Why recalls no longer find a memory that nobody deleted. What expired is archived by the next sweep.
fn ended(row: &MemoryRow) -> Option<&'static str> {
    let now = crate::guard::console().ok()?.engine.clock().now();
    match (row.archived_at, row.expires_at) {
        (Some(_), _) => Some("archived"),
        (None, Some(end)) if end <= now && row.deleted_at.is_none() => Some("expired"),
        _ => None,
    }
}

/// Badges for an unusual kind or scope.
fn nature(row: &MemoryRow) -> impl IntoView + use<> {
    let kind = (row.kind != MemoryKind::Profile).then(|| view! { <Badge text=row.kind.as_str().replace('_', " ") title="Kind" /> });
    let scope = (row.scope != MemoryScope::Agent).then(|| view! { <Badge text=row.scope.as_str() title="Scope" /> });
    // The kind and the scope may have the same name.
    (kind, scope.filter(|_| row.kind.as_str() != row.scope.as_str()))
}

/// Formats a source: `slack · C042`.
pub fn place(source: &Source) -> String {
    match &source.channel_id {
        Some(channel) => format!("{} · {channel}", source.platform),
        None => source.platform.clone(),
    }
}
