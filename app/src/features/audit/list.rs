use super::api::audit_log;
use crate::{
    ConsoleError,
    layout::PageHead,
    query::{Query, use_query},
    ui::{Badge, Empty, ErrorView, FilterForm, Pager, Shape, Skeleton, TextField, Time, text},
};
use leptos::prelude::*;
use remembrancer::api::{AuditEntry, AuditFilter, FieldError, Page};

const NAMES: &[&str] = &["actor", "action", "target", "from", "until"];
const ACTIONS: &[&str] =
    &["memory.", "memory.remembered", "memory.revised", "memory.forgotten", "memory.restored", "vocabulary.", "operator.", "key."];

fn filter(query: &Query) -> Result<AuditFilter, Vec<FieldError>> {
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

/// The log that nothing can be taken out of.
#[component]
pub fn AuditPage() -> impl IntoView {
    let query = use_query();
    let filter = Memo::new(move |_| query.with(filter));
    let log = Resource::new(
        move || filter.get(),
        |filter| async move {
            match filter {
                Ok(filter) => audit_log(filter).await,
                Err(fields) => Err(ConsoleError::invalid(fields)),
            }
        },
    );
    let busy = RwSignal::new(false);
    let value = move |name: &'static str| Signal::derive(move || query.with(|query| query.text(name)));
    let error = move |name: &'static str| {
        Signal::derive(move || filter.get().err()?.into_iter().find(|e: &FieldError| e.field == name).map(|e| e.message))
    };
    view! {
        <PageHead title="Audit log">
            "Who did what, when and why. Entries are only ever added, and each is chained to the one before it."
        </PageHead>
        <FilterForm action="/audit" names=NAMES label="Audit log">
            <div class="card grid grid-cols-2 gap-3 p-3 lg:grid-cols-[repeat(5,minmax(0,1fr))_auto]">
                <TextField name="actor" label="Actor" hint="Name or id" value=value("actor") error=error("actor") />
                <TextField
                    name="action"
                    label="Action begins with"
                    hint="memory."
                    value=value("action")
                    suggestions=ACTIONS
                    error=error("action")
                />
                <TextField name="target" label="Target" hint="Id" value=value("target") error=error("target") />
                <TextField name="from" label="From" kind="date" value=value("from") error=error("from") />
                <TextField name="until" label="Until" kind="date" value=value("until") error=error("until") />
                <div class="col-span-full flex items-end gap-2 lg:col-span-1">
                    <button class="button button-primary" type="submit">"Apply filters"</button>
                    <a class="button button-quiet" class:hidden=move || !query.get().any(NAMES) href="/audit">"Clear"</a>
                </div>
            </div>
        </FilterForm>
        <div class="mt-4 transition-opacity" class:opacity-60=move || busy.get() aria-busy=move || busy.get().to_string()>
            <Transition set_pending=busy fallback=|| view! { <div class="card"><Skeleton /></div> }>
                {move || Suspend::new(async move {
                    match log.await {
                        Ok(page) if page.rows.is_empty() => view! { <div class="card"><NoEntries /></div> }.into_any(),
                        Ok(page) => view! { <Log page query=query.get_untracked() /> }.into_any(),
                        Err(error) => view! { <div class="card"><ErrorView error /></div> }.into_any(),
                    }
                })}
            </Transition>
        </div>
    }
}

#[component]
fn Log(page: Page<AuditEntry>, query: Query) -> impl IntoView {
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
