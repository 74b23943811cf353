use super::{api::browse_sources, progress::StateCell, url, words::form};
use crate::{
    features::{memories::AgentField, views::FilterBar},
    layout::PageHead,
    query::Query,
    ui::{Answered, Empty, Filtered, Icon, NoMatch, NothingLeft, Pager, Shape, TableCard, Time, choice, columns, reversing, text},
};
use leptos::prelude::*;
use wire::{Page, SourceForm, SourceRow, ViewPage};

/// The page of captured sources, newest first.
#[component]
pub fn SourcesPage() -> impl IntoView {
    let filtered = Filtered::by(url::sources);
    let (query, list) = (filtered.query.clone(), filtered.load(browse_sources));
    let any = std::iter::once(choice("", "Any kind"));
    let forms = any.chain(SourceForm::ALL.iter().map(|each| choice(each.as_str(), form(*each)))).collect();
    view! {
        <PageHead title="Sources">"Texts that were captured, with the memories that came from each."</PageHead>
        <FilterBar page=ViewPage::Sources label="Sources" query=filtered.query.clone() names=url::SOURCES>
            <AgentField value=filtered.value("agent") labelled=true error=filtered.error("agent") />
            {filtered.select_field("form", "Kind", forms)}
            {filtered.text_field("session", "Session", "Its id")}
            {filtered.text_field("user", "On behalf of", "Name, reference or id")}
        </FilterBar>
        <Answered answer=list show=|page, query| view! { <Sources page query /> }.into_any() query />
    }
}

#[component]
fn Sources(page: Page<SourceRow>, query: Query) -> impl IntoView {
    if page.rows.is_empty() {
        if query.is_later_page() {
            return view! { <NothingLeft path="/sources" query /> }.into_any();
        }
        return view! { <Nothing filtered=query.any(url::SOURCES) /> }.into_any();
    }
    let captured = reversing("/sources", &query, true, ("Captured", "hidden w-30 @4xl:table-cell"));
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{text::count(page.total, "source", "sources")}</p>
        <TableCard label="Sources" rows=page.rows.into_iter().map(|row| view! { <Row row /> }).collect_view() heads=(columns([
            ("Source", ""), ("Agent", "hidden w-28 @2xl:table-cell"), ("Size", "number hidden w-24 @5xl:table-cell"),
            ("Turns", "number hidden w-20 @5xl:table-cell"), ("State", "w-28 @sm:w-36"),
            ("Waiting", "number hidden w-20 @md:table-cell"), ("Active", "number hidden w-20 @xl:table-cell"),
            ("Rejected", "number hidden w-20 @xl:table-cell"),
        ]), captured) />
        <Pager path="/sources" query previous=page.previous next=page.next />
    }
    .into_any()
}

#[component]
fn Row(row: SourceRow) -> impl IntoView {
    let waiting = match row.waiting {
        0 => view! { <span class="text-soft">"0"</span> }.into_any(),
        n => {
            let label = format!("Review {} of {}", text::count(n, "candidate", "candidates"), row.title);
            view! { <a href=format!("/inbox?source={}", row.id) aria-label=label>{text::number(n)}</a> }.into_any()
        }
    };
    view! {
        <tr data-testid="source">
            <th scope="row" class="font-normal! whitespace-normal! text-ink!">
                <a class="line-clamp-2 text-base font-medium wrap-anywhere" dir="auto" href=format!("/sources/{}", row.id)>{row.title.clone()}</a>
                <span class="mt-0.5 block text-xs text-soft">
                    {form(row.form)} <span class="@2xl:hidden">" · " {row.agent_slug.clone()}</span>
                    <span class="@md:hidden">" · " {text::number(row.waiting)} " waiting"</span>
                    <span class="@4xl:hidden">" · " <Time at=row.created_at /></span>
                </span>
            </th>
            <td class="hidden truncate @2xl:table-cell">{row.agent_slug.clone()}</td>
            <td class="number hidden whitespace-nowrap text-soft @5xl:table-cell">{text::bytes(row.bytes)}</td>
            <td class="number hidden text-soft @5xl:table-cell">{text::number(row.turns)}</td>
            <td><StateCell source=row.clone() /></td>
            <td class="number hidden @md:table-cell">{waiting}</td>
            <td class="number hidden @xl:table-cell" class:text-soft=row.active == 0>{text::number(row.active)}</td>
            <td class="number hidden @xl:table-cell" class:text-soft=row.rejected == 0>{text::number(row.rejected)}</td>
            <td class="hidden @4xl:table-cell"><Time at=row.created_at /></td>
        </tr>
    }
}

#[component]
fn Nothing(filtered: bool) -> impl IntoView {
    if filtered {
        return view! { <NoMatch thing="source" href="/sources">"Agent and kind: exact match. On behalf of: a whole name, a reference or an id."</NoMatch> }.into_any();
    }
    view! {
        <div class="card">
            <Empty shape=Shape::Sources title="No sources yet">
                <p class="mb-3">"A source appears here when a person captures a text or an agent sends one."</p>
                <a class="button" href="/capture"><Icon shape=Shape::Add /> "Capture a text"</a>
            </Empty>
        </div>
    }
    .into_any()
}
