use super::api::audit_log;
use crate::{
    layout::PageHead,
    query::Query,
    ui::{Answered, Badge, Empty, FilterForm, Filtered, Pager, Parsed, Shape, TextField, Time, text},
};
use leptos::prelude::*;
use remembrancer::api::{AuditEntry, AuditFilter, Page};

const NAMES: &[&str] = &["actor", "action", "target", "from", "until"];
const ACTIONS: &[&str] =
    &["memory.", "memory.remembered", "memory.revised", "memory.forgotten", "memory.restored", "vocabulary.", "operator.", "key."];

fn filter(query: &Query) -> Parsed<AuditFilter> {
    let mut errors = Vec::new();
    let owned = |name: &str| query.get(name).map(str::to_owned);
    let filter = AuditFilter {
        actor: owned("actor"),
        action: owned("action"),
        target: owned("target"),
        from: query.day("from", false, &mut errors),
        until: query.day("until", true, &mut errors),
        after: owned("after"),
        before: owned("before"),
    };
    if errors.is_empty() { Ok(filter) } else { Err(errors) }
}

/// The page of the audit log.
#[component]
pub fn AuditPage() -> impl IntoView {
    let filtered = Filtered::by(filter);
    let (query, log) = (filtered.query, filtered.load(audit_log));
    view! {
        <PageHead title="Audit log">
            "Who did what, when and why. Entries are only ever added, and each is chained to the one before it."
        </PageHead>
        <FilterForm action="/audit" names=NAMES label="Audit log">
            <div class="card grid grid-cols-2 gap-3 p-3 lg:grid-cols-[repeat(5,minmax(0,1fr))_auto]">
                <TextField name="actor" label="Actor" hint="Name or id" value=filtered.value("actor") error=filtered.error("actor") />
                <TextField
                    name="action"
                    label="Action begins with"
                    hint="memory."
                    value=filtered.value("action")
                    suggestions=ACTIONS
                    error=filtered.error("action")
                />
                <TextField name="target" label="Target" hint="Id" value=filtered.value("target") error=filtered.error("target") />
                <TextField name="from" label="From" kind="date" value=filtered.value("from") error=filtered.error("from") />
                <TextField name="until" label="Until" kind="date" value=filtered.value("until") error=filtered.error("until") />
                <div class="col-span-full flex items-end gap-2 lg:col-span-1">
                    <button class="button button-primary" type="submit">"Apply filters"</button>
                    <a class="button button-quiet" class:hidden=move || !query.get().any(NAMES) href="/audit">"Clear"</a>
                </div>
            </div>
        </FilterForm>
        <Answered answer=log show=|page, query| view! { <Log page query /> }.into_any() query />
    }
}

#[component]
fn Log(page: Page<AuditEntry>, query: Query) -> impl IntoView {
    if page.rows.is_empty() {
        return view! { <div class="card"><NoEntries /></div> }.into_any();
    }
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{text::count(page.total, "entry", "entries")}</p>
        <div class="card">
            <table class="data table-fixed" aria-label="Audit log">
                <thead>
                    <tr>
                        <th scope="col" class="hidden w-32 md:table-cell">"When"</th>
                        <th scope="col" class="hidden w-44 sm:table-cell">"Actor"</th>
                        <th scope="col">"What"</th>
                        <th scope="col" class="hidden w-48 lg:table-cell">"Target"</th>
                    </tr>
                </thead>
                <tbody>{page.rows.into_iter().map(|entry| view! { <Row entry /> }).collect_view()}</tbody>
            </table>
        </div>
        <Pager path="/audit" query previous=page.previous next=page.next />
    }
    .into_any()
}

#[component]
fn Row(entry: AuditEntry) -> impl IntoView {
    let short = entry.target_id.chars().take(8).collect::<String>();
    let page = match entry.target_kind.as_str() {
        "memory" => Some(format!("/memories/{}", entry.target_id)),
        "proposal" => Some(format!("/vocabulary?focus={}", entry.target_id)),
        "term" => Some(format!("/vocabulary/terms/{}", entry.target_id)),
        "decision" => Some("/vocabulary/decisions".to_owned()),
        "document" => Some(format!("/knowledge/documents/{}", entry.target_id)),
        "run" => Some("/knowledge/runs".to_owned()),
        _ => None,
    };
    let target = match page {
        Some(page) => view! { <a class="font-mono text-xs" href=page title=entry.target_id.clone()>{short}</a> }.into_any(),
        None => view! { <span class="font-mono text-xs" title=entry.target_id.clone()>{short}</span> }.into_any(),
    };
    view! {
        <tr data-testid="entry">
            <td class="hidden text-soft md:table-cell"><Time at=entry.at /></td>
            <td class="hidden sm:table-cell">
                <span class="break-words">{entry.actor_name.clone()}</span>
                <span class="ml-1.5 text-xs text-soft">{entry.actor_kind}</span>
            </td>
            <td>
                <p class="flex flex-wrap items-baseline gap-x-2">
                    <Badge text=entry.action />
                    <span class="min-w-0 wrap-anywhere">{entry.message}</span>
                </p>
                {entry.reason.map(|reason| view! { <p class="mt-0.5 break-words text-soft">"Reason: " {reason}</p> })}
                <p class="mt-1 text-xs text-soft md:hidden"><span class="sm:hidden">{entry.actor_name} " · "</span><Time at=entry.at /></p>
            </td>
            <td class="hidden lg:table-cell"><span class="mr-1.5 text-soft">{entry.target_kind}</span>{target}</td>
        </tr>
    }
}

#[component]
fn NoEntries() -> impl IntoView {
    view! {
        <Empty shape=Shape::Audit title="No entry matches">
            <p class="mb-3">
                "Every change is recorded, most within a second or two. A target is matched by its whole id, an action by how it begins."
            </p>
            <a class="button" href="/audit">
                "Show everything"
            </a>
        </Empty>
    }
}
