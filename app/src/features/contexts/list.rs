use super::{
    api::list_contexts,
    parts::used,
    url::{self, COMPARE, PATH, PLAYGROUND},
    words::outcome_badges,
};
use crate::{
    features::{memories::AgentField, views::FilterBar},
    layout::{LogPeriod, PageHead},
    query::Query,
    ui::{
        Answered, DataTable, Empty, Filtered, NoMatch, NothingLeft, OrPlayground, Pager, Selection, Shape, Tick, Time, choice, columns,
        reversing, text,
    },
};
use leptos::prelude::*;
use wire::{ContextEntry, ContextFilter, Page, ViewPage};

/// The context log page: every assembled context, newest first.
#[component]
pub fn ContextLogPage() -> impl IntoView {
    let filtered = Filtered::by(url::log);
    let (query, list) = (filtered.query.clone(), filtered.load(list_contexts));
    view! {
        <PageHead title="Contexts">
            "The prompts that agents assembled: how many tokens each block took, what was cut, and where each line came from."
        </PageHead>
        <Filters filtered />
        <Answered answer=list show=|page, query| view! { <Contexts page query /> }.into_any() query />
    }
}

#[component]
fn Filters(filtered: Filtered<ContextFilter>) -> impl IntoView {
    let cut = vec![choice("", "Any"), choice("true", "Cut to fit"), choice("false", "Not cut")];
    let degraded = vec![choice("", "Any"), choice("true", "Something is missing"), choice("false", "Complete")];
    view! {
        <FilterBar page=ViewPage::Contexts label="Contexts" query=filtered.query.clone() names=url::LOG>
            <AgentField value=filtered.value("agent") labelled=true error=filtered.error("agent") />
            {filtered.text_field("user", "On behalf of", "Name, reference or id")}
            {filtered.select_field("cut", "Budget", cut)}
            {filtered.select_field("degraded", "Blocks", degraded)}
            {filtered.date_field("from", "Assembled from")}
            {filtered.date_field("until", "Assembled until")}
        </FilterBar>
    }
}

#[component]
fn Contexts(page: Page<ContextEntry>, query: Query) -> impl IntoView {
    if page.rows.is_empty() {
        if query.is_later_page() {
            return view! { <NothingLeft path=PATH query /> }.into_any();
        }
        return if query.any(url::LOG) {
            view! { <NoMatch thing="context" href=PATH><LogPeriod /></NoMatch> }.into_any()
        } else {
            view! { <div class="card"><First /></div> }.into_any()
        };
    }
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{text::total(page.total, "context", "contexts")}</p>
        <form class="card" method="get" action=COMPARE>
            <input type="hidden" name="back" value=query.href(PATH) />
            <DataTable label="Contexts" rows=page.rows.into_iter().map(|row| view! { <Row row /> }).collect_view() heads=(
                view! { <th scope="col" class="w-9 pr-0!"><span class="sr-only">"Select"</span></th> },
                columns([
                    ("Query", ""), ("Agent", "hidden w-32 @3xl:table-cell"), ("Tokens", "number hidden w-64 @lg:table-cell"),
                    ("Duration", "number hidden w-24 @4xl:table-cell"),
                ]),
                reversing(PATH, &query, true, ("Assembled", "hidden w-30 @3xl:table-cell")),
            ) />
            <Selection
                one="context"
                many="contexts"
                hint="Select one context to compare it with today's assembly, or two to compare them."
            >
                <button class="button" type="submit">"Compare"</button>
            </Selection>
        </form>
        <Pager path=PATH query previous=page.previous next=page.next />
    }
    .into_any()
}

#[component]
fn Row(row: ContextEntry) -> impl IntoView {
    let name = row.query.as_deref().map_or_else(|| "Query no longer stored".to_owned(), text::visible);
    let class = if row.query.is_some() { "line-clamp-2 min-w-0 font-medium wrap-anywhere" } else { "text-soft" };
    view! {
        <tr data-testid="context">
            <Tick id=row.id.to_string() name=text::short(&name, 60) />
            <td>
                <div class="flex flex-wrap items-baseline gap-x-2 gap-y-1">
                    <a class=class href=format!("{PATH}/{}", row.id)>{name}</a>
                    {outcome_badges(&row.cut, &row.degraded)}
                </div>
                <p class="mt-0.5 text-xs break-words text-soft @3xl:hidden">
                    {row.agent_slug.clone()} " · "
                    <span class="@lg:hidden">{text::count(i64::from(row.tokens), "token", "tokens")} " · "</span>
                    <Time at=row.at />
                </p>
            </td>
            <td class="hidden truncate @3xl:table-cell">{row.agent_slug}</td>
            <td class="number hidden whitespace-nowrap @lg:table-cell">{used(row.tokens, row.budget)}</td>
            <td class="number hidden text-soft @4xl:table-cell">{text::millis(row.took_ms)}</td>
            <td class="hidden @3xl:table-cell"><Time at=row.at /></td>
        </tr>
    }
}

#[component]
fn First() -> impl IntoView {
    view! {
        <Empty shape=Shape::Context title="No contexts yet">
            <p class="mb-3">
                "When an agent calls " <code class="font-mono">"POST /api/context"</code>
                ", the prompt that it gets appears here a moment later: its blocks, what was cut, and its text."
            </p>
            <OrPlayground playground=PLAYGROUND />
        </Empty>
    }
}
