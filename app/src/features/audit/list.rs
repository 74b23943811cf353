use super::{
    api::{audit_log, integrity},
    chain::Chain,
};
use crate::{
    features::views::FilterBar,
    layout::PageHead,
    query::Query,
    ui::{
        Answered, Badge, Choice, Filtered, Moment, NoMatch, NothingLeft, Pager, Parsed, TableCard, Time, Zone, awaited, choice, columns,
        is_reversed, or_error, parsed, reading, reversing, text,
    },
};
use leptos::prelude::*;
use wire::{AUDIT_ACTIONS, AuditEntry, AuditFilter, Page, ViewPage, audit_words};

const NAMES: &[&str] = &["actor", "action", "target", "from", "until"];

fn filter(query: &Query) -> Parsed<AuditFilter> {
    parsed(|errors| AuditFilter {
        actor: query.owned("actor"),
        action: query.owned("action"),
        target: query.owned("target"),
        targets: vec![],
        from: query.day("from", false, errors),
        until: query.day("until", true, errors),
        after: query.owned("after"),
        before: query.owned("before"),
        reversed: is_reversed(query),
    })
}

/// The actions to choose from, with that of the address if it is another one.
fn actions(current: &str) -> Vec<Choice> {
    let named = AUDIT_ACTIONS.iter().map(|(action, words)| choice(action, words));
    let other = (!current.is_empty() && audit_words(current) == current).then(|| choice(current, &format!("Begins with “{current}”")));
    std::iter::once(choice("", "All actions")).chain(other).chain(named).collect()
}

/// The message of an entry, unless the action says the same.
fn message(entry: &AuditEntry) -> Option<String> {
    let repeats =
        entry.action.ends_with(&entry.message) || audit_words(&entry.action).to_lowercase().contains(&entry.message.to_lowercase());
    (!repeats).then(|| entry.message.clone())
}

#[component]
pub fn AuditPage() -> impl IntoView {
    let filtered = Filtered::by(filter);
    let (query, log) = (filtered.query.clone(), filtered.load(audit_log));
    let here = query.href("/audit");
    let (choices, chain) = (actions(&filtered.value("action")), reading(integrity()));
    view! {
        <PageHead title="Audit">
            "Who did what, when and why. Each entry carries the hash of the one before it, so a changed entry is found. Keep the anchor: it shows whether entries were cut off the end."
        </PageHead>
        {awaited(async move { or_error(chain.await, |verification| view! { <Chain verification here /> }) })}
        <FilterBar page=ViewPage::Audit label="Audit" query=filtered.query.clone() names=NAMES>
            {filtered.text_field("actor", "Actor", "Name or id")}
            {filtered.select_field("action", "Action", choices)}
            {filtered.text_field("target", "About", "Name, topic or id")}
            {filtered.date_field("from", "From")}
            {filtered.date_field("until", "Until")}
        </FilterBar>
        <Answered answer=log show=|page, query| view! { <Log page query /> }.into_any() query />
    }
}

#[component]
fn Log(page: Page<AuditEntry>, query: Query) -> impl IntoView {
    if page.rows.is_empty() {
        if query.is_later_page() {
            return view! { <NothingLeft path="/audit" query /> }.into_any();
        }
        return view! {
            <NoMatch thing="entry" href="/audit">
                "Every change is recorded within a few seconds. Search by a topic, a term, the title of a document, the slug of an agent or a project, \
                the short id of a memory, or the beginning of any other id."
            </NoMatch>
        }
        .into_any();
    }
    let zone = Zone::expect().name();
    // The files have an order of their own.
    let file = query.without(&["sort"]);
    let when = view! { "When " <span class="block truncate font-normal" title=zone>{zone}</span> };
    view! {
        <div class="mb-2 flex flex-wrap items-baseline gap-x-3 text-sm text-soft">
            <p data-testid="total">{text::total(page.total, "entry", "entries")}</p>
            <p class="ml-auto">
                "Export as "
                <a class="underline" href=file.href("/audit.csv") rel="external" download="">"CSV"</a>
                " or "
                <a class="underline" href=file.href("/audit.jsonl") rel="external" download="">"JSON Lines"</a>
            </p>
        </div>
        <TableCard label="Audit log" rows=page.rows.into_iter().map(|entry| view! { <Row entry /> }).collect_view() heads=(
            reversing("/audit", &query, true, (when, "hidden w-48 @2xl:table-cell")),
            columns([("Actor", "hidden w-44 @lg:table-cell"), ("What", "")]),
        ) />
        <Pager path="/audit" query previous=page.previous next=page.next />
    }
    .into_any()
}

#[component]
fn Row(entry: AuditEntry) -> impl IntoView {
    let name = match &entry.about {
        Some(about) => text::visible(about),
        // The last characters of an id tell it apart from those of the same minute.
        None => entry.target_id.chars().rev().take(8).collect::<Vec<_>>().into_iter().rev().collect(),
    };
    let class = if entry.about.is_some() { "break-words" } else { "font-mono text-xs" };
    let page = match entry.target_kind.as_str() {
        "memory" => Some(format!("/memories/{}", entry.target_id)),
        "proposal" => Some(format!("/vocabulary?focus={}", entry.target_id)),
        "term" => Some(format!("/vocabulary/terms/{}", entry.target_id)),
        "decision" => Some("/vocabulary/decisions".to_owned()),
        "document" => Some(format!("/knowledge/documents/{}", entry.target_id)),
        "run" => Some("/knowledge/runs".to_owned()),
        "context" => Some(format!("/recall/contexts/{}", entry.target_id)),
        "source" => Some(format!("/sources/{}", entry.target_id)),
        "agent" => Some(format!("/agents/{}", entry.target_id)),
        "project" => Some(format!("/projects/{}", entry.target_id)),
        _ => None,
    };
    let target = match page {
        Some(page) => view! { <a class=class href=page title=entry.target_id.clone()>{name}</a> }.into_any(),
        // No page of its own: at least what else was done to it.
        None => {
            let href = Query::default().with("target", &entry.target_id).href("/audit");
            let title = format!("Entries about {}", entry.target_id);
            view! { <a class=class href=href title=title>{name}</a> }.into_any()
        }
    };
    let action = audit_words(&entry.action).to_owned();
    let message = message(&entry);
    let actor_kind = (entry.actor_kind != entry.actor_name).then_some(entry.actor_kind);
    let target_kind = if entry.target_kind == "tenant" { "organisation".to_owned() } else { entry.target_kind.replace('_', " ") };
    // Somebody who signs in is named already.
    let about = (entry.target_id != entry.actor_id).then(|| {
        view! {
            <span class="text-soft">{target_kind}</span>
            <span class="min-w-0 wrap-anywhere" data-testid="target">{target}</span>
        }
    });
    view! {
        <tr data-testid="entry">
            <td class="hidden text-soft @2xl:table-cell"><Moment at=entry.at bare=true /></td>
            <td class="hidden @lg:table-cell">
                <span class="break-words">{entry.actor_name.clone()}</span>
                <span class="ml-1.5 text-xs text-soft">{actor_kind}</span>
            </td>
            <td>
                <p class="flex flex-wrap items-baseline gap-x-2">
                    <Badge text=action title=entry.action />
                    {about}
                </p>
                {message.map(|message| view! { <p class="mt-0.5 wrap-anywhere text-soft">{text::visible(&message)}</p> })}
                {entry.reason.map(|reason| view! { <p class="mt-0.5 break-words">"Reason: " {text::visible(&reason)}</p> })}
                <p class="mt-1 text-xs text-soft @2xl:hidden"><span class="@lg:hidden">{entry.actor_name} " · "</span><Moment at=entry.at /></p>
            </td>
        </tr>
    }
}

/// The audit entries of one thing, newest first.
#[component]
pub fn Trail(entries: Vec<AuditEntry>) -> impl IntoView {
    if entries.is_empty() {
        return view! { <p class="px-4 py-3 text-sm text-soft">"No entries yet. They appear within a few seconds of a change."</p> }
            .into_any();
    }
    let one = |entry: AuditEntry| {
        let (action, message) = (audit_words(&entry.action).to_owned(), message(&entry));
        let kind = (entry.actor_kind != entry.actor_name).then(|| view! { <span class="text-soft">" (" {entry.actor_kind} ")"</span> });
        view! {
            <li class="border-b border-line px-4 py-2.5 text-sm last:border-b-0">
                <div class="flex flex-wrap items-baseline gap-x-2">
                    <span class="font-medium" title=entry.action>{action}</span>
                    <span>{entry.actor_name} {kind}</span>
                    <span class="ml-auto text-soft"><Time at=entry.at /></span>
                </div>
                {message.map(|message| view! { <p class="break-words text-soft">{text::visible(&message)}</p> })}
                {entry.reason.map(|reason| view! { <p class="break-words">"Reason: " {text::visible(&reason)}</p> })}
            </li>
        }
    };
    view! { <ol data-testid="trail">{entries.into_iter().map(one).collect_view()}</ol> }.into_any()
}
