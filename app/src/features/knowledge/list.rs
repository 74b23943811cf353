use super::{
    api::documents,
    words::{kind_name, waiting},
};
use crate::{
    features::views::FilterBar,
    layout::PageHead,
    query::Query,
    ui::{
        Answered, Badge, DataTable, Empty, Filtered, NoMatch, NothingLeft, Pager, Parsed, SearchField, Shape, TextField, Time, Tone,
        choice, columns, is_reversed, parsed, reversing, text,
    },
};
use leptos::prelude::*;
use wire::{Document, DocumentFilter, DocumentKind, Page, ViewPage};

const NAMES: &[&str] = &["q", "kind", "status", "retired"];
const STATUSES: &[&str] = &["accepted", "approved", "deprecated", "draft", "proposed", "superseded"];

fn filter(query: &Query) -> Parsed<DocumentFilter> {
    parsed(|errors| DocumentFilter {
        kind: query.read("kind", "Choose one of the kinds.", errors),
        status: query.owned("status"),
        q: query.owned("q"),
        retired: query.read("retired", "Choose one of the options.", errors),
        after: query.owned("after"),
        before: query.owned("before"),
        reversed: is_reversed(query),
    })
}

#[component]
pub fn KnowledgePage() -> impl IntoView {
    let filtered = Filtered::by(filter);
    let (query, list) = (filtered.query.clone(), filtered.load(documents));
    let kinds = std::iter::once(choice("", "Any kind")).chain(DocumentKind::ALL.iter().map(|kind| choice(kind.as_str(), kind_name(*kind))));
    view! {
        <PageHead title="Documents">"Specifications, decisions and other documents. Recalls search them together with the agent's memories."</PageHead>
        <FilterBar page=ViewPage::Documents label="Documents" query=filtered.query.clone() names=NAMES>
            <div class="col-span-full flex">
                <SearchField value=filtered.value("q") label="Title, reference or path" hint="Title, reference or path" />
            </div>
            {filtered.select_field("kind", "Kind", kinds.collect())}
            <TextField name="status" label="Status" hint="accepted" value=filtered.value("status") suggestions=STATUSES />
            {filtered.select_field("retired", "State", vec![choice("", "Current"), choice("true", "Retired")])}
        </FilterBar>
        <Answered answer=list show=|page, query| view! { <Documents page query /> }.into_any() query />
    }
}

#[component]
fn Documents(page: Page<Document>, query: Query) -> impl IntoView {
    if page.rows.is_empty() {
        return match query.any(NAMES) {
            _ if query.is_later_page() => view! { <NothingLeft path="/knowledge" query /> }.into_any(),
            true => view! {
                <NoMatch thing="document" href="/knowledge">
                    "Title, reference, path: partial match. Status: exact match. Retired documents are hidden unless you filter for them."
                </NoMatch>
            }
            .into_any(),
            false => view! { <div class="card"><First /></div> }.into_any(),
        };
    }
    let kind = if query.get("retired") == Some("true") { "retired " } else { "" };
    let total = text::count(page.total, &format!("{kind}document"), &format!("{kind}documents"));
    let part = if i64::try_from(page.rows.len()) == Ok(page.total) { String::new() } else { format!(", {} on this page", page.rows.len()) };
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{total} {part}</p>
        <div class="card">
            <Table rows=page.rows query=query.clone() />
        </div>
        <Pager path="/knowledge" query previous=page.previous next=page.next />
    }
    .into_any()
}

#[component]
fn Table(rows: Vec<Document>, query: Query) -> impl IntoView {
    let updated = reversing("/knowledge", &query, true, ("Updated", "hidden w-30 @4xl:table-cell"));
    view! {
        <DataTable label="Documents" rows=rows.into_iter().map(|row| view! { <Row row /> }).collect_view() heads=(columns([
            ("Document", ""), ("Kind", "hidden w-32 @4xl:table-cell"), ("Status", "hidden w-28 @xl:table-cell"),
            ("Chunks", "number hidden w-32 @xl:table-cell"), ("Cited, 30 days", "number hidden w-32 @md:table-cell"),
        ]), updated) />
    }
}

#[component]
fn Row(row: Document) -> impl IntoView {
    let kind = kind_name(row.kind);
    let waiting = waiting(&row);
    let status = if row.status.is_empty() { "–".to_owned() } else { row.status.clone() };
    let narrow = if row.status.is_empty() { String::new() } else { format!(" · {}", row.status) };
    view! {
        <tr data-testid="document">
            <td>
                <div class="flex flex-wrap items-baseline gap-x-2 gap-y-1">
                    {row.reference.clone().map(|reference| view! { <span class="font-mono text-xs text-soft">{reference}</span> })}
                    <a class="min-w-0 font-medium break-words" href=format!("/knowledge/documents/{}", row.id)>
                        {row.title.clone()}
                    </a>
                    {row.retired_at.map(|_| view! { <Badge tone=Tone::Warn text="retired" /> })}
                </div>
                <p class="text-xs break-words text-soft">{format!("{}/{}", row.collection, row.path)}</p>
                <p class="mt-1 text-xs text-soft @4xl:hidden">
                    {kind} <span class="@xl:hidden">{narrow}</span> " · "
                    <span class="@md:hidden">{format!("cited {} · ", text::count(row.citations, "time", "times"))}</span>
                    <Time at=row.updated_at />
                </p>
            </td>
            <td class="hidden @4xl:table-cell"><Badge text=kind /></td>
            <td class="hidden break-words @xl:table-cell" class:text-soft=row.status.is_empty()>{status}</td>
            <td class="number hidden @xl:table-cell">
                {text::number(row.chunks)}
                {waiting.map(|text| view! { <span class="block text-xs text-warn">{text}</span> })}
            </td>
            <td class="number hidden @md:table-cell" class:text-soft=row.citations == 0>{text::number(row.citations)}</td>
            <td class="hidden @4xl:table-cell"><Time at=row.updated_at /></td>
        </tr>
    }
}

#[component]
fn First() -> impl IntoView {
    view! {
        <Empty shape=Shape::Knowledge title="No documents yet">
            <p class="mb-3">
                "Specifications, decision records, architecture files, glossaries and other documents appear here."
            </p>
            <p class="mb-3"><a class="button button-primary" href="/knowledge/upload">"Upload documents"</a></p>
            <p class="mb-3">
                "To ingest a folder, run this command on the server. Replace acme with the slug of your organisation. Run it again after "
                "each change: unchanged files stay, and the documents of missing files are retired."
            </p>
            <pre class="overflow-x-auto rounded-md bg-sunken px-3 py-2 text-left font-mono text-xs text-ink" tabindex="0">
                "remembrancer kb ingest DIR --tenant acme --collection handbook"
            </pre>
        </Empty>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_url_is_a_filter() {
        let read = filter(&Query::parse("q=budget&kind=adr&status=accepted&retired=true&after=x")).unwrap();
        assert_eq!((read.kind, read.retired, read.after.as_deref()), (Some(DocumentKind::Adr), Some(true), Some("x")));
        assert_eq!((read.q.as_deref(), read.status.as_deref()), (Some("budget"), Some("accepted")));
        assert_eq!(filter(&Query::default()).unwrap(), DocumentFilter::default());
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let errors = filter(&Query::parse("kind=novel&retired=perhaps")).unwrap_err();
        assert_eq!(errors.iter().map(|e| e.field.as_str()).collect::<Vec<_>>(), ["kind", "retired"]);
    }
}
