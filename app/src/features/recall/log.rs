use super::{api::list_retrievals, url, words::outcome_badges};
use crate::{
    features::{memories::AgentField, views::FilterBar},
    layout::{LogPeriod, PageHead},
    query::Query,
    ui::{
        Answered, Empty, Filtered, NoMatch, NothingLeft, OrPlayground, Pager, SearchField, Shape, TableCard, Time, choice, columns,
        reversing, text,
    },
};
use leptos::prelude::*;
use wire::{Page, Ranking, Retrieval, RetrievalFilter, ViewPage};

/// The recall log page: every recall of an agent, newest first, with its outcome.
#[component]
pub fn LogPage() -> impl IntoView {
    let filtered = Filtered::by(url::log);
    let (query, list) = (filtered.query.clone(), filtered.load(list_retrievals));
    view! {
        <PageHead title="Recalls">
            "What agents asked and what they got. You can replay each recall with the memory of that time and with today's."
        </PageHead>
        <Filters filtered />
        <Answered answer=list show=|page, query| view! { <Recalls page query /> }.into_any() query />
    }
}

#[component]
fn Filters(filtered: Filtered<RetrievalFilter>) -> impl IntoView {
    let rankings = std::iter::once(choice("", "Any ranking")).chain(Ranking::ALL.iter().map(|r| choice(r.as_str(), r.as_str()))).collect();
    let outcomes = vec![choice("", "Any outcome"), choice("false", "Found a memory"), choice("true", "Found no memory")];
    view! {
        <FilterBar page=ViewPage::Retrievals label="Recalls" query=filtered.query.clone() names=url::LOG>
            <div class="col-span-full flex"><SearchField value=filtered.value("q") label="Query contains" hint="Part of the question" /></div>
            <AgentField value=filtered.value("agent") labelled=true error=filtered.error("agent") />
            {filtered.select_field("zero_hit", "Outcome", outcomes)}
            {filtered.select_field("ranking", "Ranking", rankings)}
            {filtered.text_field("memory", "Returned the memory", "Its id")}
            {filtered.text_field("session", "Session", "Its id")}
            {filtered.text_field("user", "On behalf of", "Name, reference or id")}
            {filtered.date_field("from", "Asked from")}
            {filtered.date_field("until", "Asked until")}
        </FilterBar>
    }
}

#[component]
fn Recalls(page: Page<Retrieval>, query: Query) -> impl IntoView {
    if page.rows.is_empty() {
        if query.is_later_page() {
            return view! { <NothingLeft path="/recall/log" query /> }.into_any();
        }
        return if query.any(url::LOG) {
            view! { <NoMatch thing="recall" href="/recall/log">"Partial matches allowed. " <LogPeriod /></NoMatch> }.into_any()
        } else {
            view! { <div class="card"><First /></div> }.into_any()
        };
    }
    let asked = reversing("/recall/log", &query, true, ("Asked", "hidden w-30 @xl:table-cell"));
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{text::total(page.total, "recall", "recalls")}</p>
        <TableCard label="Recalls" rows=page.rows.into_iter().map(|row| view! { <Row row /> }).collect_view() heads=(columns([
            ("Query", ""), ("Agent", "hidden w-32 @xl:table-cell"), ("Memories", "number hidden w-24 @md:table-cell"),
            ("Knowledge", "number hidden w-28 @4xl:table-cell"), ("Ranking", "hidden w-24 @4xl:table-cell"),
            ("Duration", "number hidden w-24 @4xl:table-cell"),
        ]), asked) />
        <Pager path="/recall/log" query previous=page.previous next=page.next />
    }
    .into_any()
}

#[component]
fn Row(row: Retrieval) -> impl IntoView {
    let canonical = row.query_canonical.clone().map(|term| {
        view! { <p class="text-xs break-words text-good">{format!("searched as “{term}”")}</p> }
    });
    let (hits, knowledge) = (i64::from(row.hits), i64::from(row.knowledge_hits));
    view! {
        <tr data-testid="retrieval">
            <td>
                <div class="flex flex-wrap items-baseline gap-x-2 gap-y-1">
                    <a class="line-clamp-2 min-w-0 font-medium wrap-anywhere" href=format!("/recall/log/{}", row.id)>
                        {row.query.clone()}
                    </a>
                    {outcome_badges(&row)}
                </div>
                {canonical}
                <p class="mt-0.5 text-xs break-words text-soft @xl:hidden">
                    {row.agent_slug.clone()} " · "
                    <span class="@md:hidden">{text::count(hits, "memory", "memories")} " · "</span>
                    <Time at=row.at />
                </p>
            </td>
            <td class="hidden truncate @xl:table-cell">{row.agent_slug}</td>
            <td class="number hidden @md:table-cell" class:text-soft=hits == 0>{text::number(hits)}</td>
            <td class="number hidden @4xl:table-cell" class:text-soft=knowledge == 0>{text::number(knowledge)}</td>
            <td class="hidden text-soft @4xl:table-cell">{row.ranking.as_str()}</td>
            <td class="number hidden text-soft @4xl:table-cell">{text::millis(row.took_ms)}</td>
            <td class="hidden @xl:table-cell"><Time at=row.at /></td>
        </tr>
    }
}

#[component]
fn First() -> impl IntoView {
    view! {
        <Empty shape=Shape::Log title="No recalls yet">
            <p class="mb-3">
                "When an agent calls " <code class="font-mono">"agent_memory_recall"</code>
                ", the recall appears here within a second, with every candidate that was scored."
            </p>
            <OrPlayground playground="/recall/playground" />
        </Empty>
    }
}
