use super::api::browse_terms;
use crate::{
    features::views::FilterBar,
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{
        Answered, Badge, Empty, Filtered, NoMatch, NothingLeft, Pager, Parsed, Shape, TableCard, Tone, awaited, choice, columns,
        is_reversed, parsed, reversing, text,
    },
};
use leptos::prelude::*;
use wire::{OperatorRole, Page, Term, TermFilter, ViewPage};

const NAMES: &[&str] = &["q", "retired"];

fn filter(query: &Query) -> Parsed<TermFilter> {
    parsed(|errors| TermFilter {
        q: query.owned("q"),
        retired: query.read("retired", "Choose one of the options.", errors),
        after: query.owned("after"),
        before: query.owned("before"),
        reversed: is_reversed(query),
    })
}

#[component]
pub fn TermsPage() -> impl IntoView {
    let filtered = Filtered::by(filter);
    let (query, list) = (filtered.query.clone(), filtered.load(browse_terms));
    let states = vec![choice("", "In use"), choice("true", "Retired")];
    let who = ViewerResource::expect();
    let create = awaited(async move {
        let may_create = who.await.is_ok_and(|viewer| viewer.profile.has(OperatorRole::Reviewer));
        may_create.then(|| view! { <a class="button" href="/vocabulary/terms/new">"New term"</a> })
    });
    let create = create.into_any();
    view! {
        <PageHead title="Terms">"The preferred names of things. Memories with an alias as their topic are filed under the term."</PageHead>
        <FilterBar page=ViewPage::Terms label="Terms" query=filtered.query.clone() names=NAMES more=create>
            <div class="col-span-2">{filtered.text_field("q", "Term, alias or definition contains", "")}</div>
            {filtered.select_field("retired", "State", states)}
        </FilterBar>
        <Answered answer=list show=|page, query| view! { <Terms page query /> }.into_any() query />
    }
}

#[component]
fn Terms(page: Page<Term>, query: Query) -> impl IntoView {
    if page.rows.is_empty() {
        if query.is_later_page() {
            return view! { <NothingLeft path="/vocabulary/terms" query /> }.into_any();
        }
        return view! { <NoTerms filtered=query.any(NAMES) /> }.into_any();
    }
    let kind = if query.get("retired") == Some("true") { "retired " } else { "" };
    let total = text::count(page.total, &format!("{kind}term"), &format!("{kind}terms"));
    let term = reversing("/vocabulary/terms", &query, false, ("Term", "@xl:w-56"));
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{total}</p>
        <TableCard label="Terms" rows=page.rows.into_iter().map(|term| view! { <Row term /> }).collect_view() heads=(term, columns([
            ("Definition", "hidden @xl:table-cell"), ("Aliases", "hidden w-64 @4xl:table-cell"),
            ("Memories", "number w-24"), ("Agents", "number hidden w-20 @md:table-cell"),
        ])) />
        <Pager path="/vocabulary/terms" query previous=page.previous next=page.next names=("Previous", "Next") />
    }
    .into_any()
}

#[component]
fn Row(term: Term) -> impl IntoView {
    let aliases = term.aliases.join(", ");
    let narrow = (!aliases.is_empty())
        .then(|| view! { <p class="mt-0.5 text-xs break-words text-soft @4xl:hidden">"also " {text::visible(&aliases)}</p> });
    view! {
        <tr data-testid="term">
            <th scope="row" class="font-normal! whitespace-normal! text-ink!">
                <a class="text-base font-medium break-words" href=format!("/vocabulary/terms/{}", term.id)>{text::visible(&term.term)}</a>
                <span class="ml-1.5 inline-flex flex-wrap gap-1">
                    {term.category.clone().map(|category| view! { <Badge text=category /> })}
                    {retired(&term)}
                </span>
                {narrow}
                <p class="mt-0.5 line-clamp-2 text-xs break-words text-soft @xl:hidden">{text::visible(&term.definition)}</p>
            </th>
            <td class="hidden @xl:table-cell"><p class="line-clamp-3 break-words">{text::visible(&term.definition)}</p></td>
            <td class="hidden break-words text-soft @4xl:table-cell">{text::visible(&aliases)}</td>
            <td class="number" class:text-soft=term.memories == 0>{text::number(term.memories)}</td>
            <td class="number hidden @md:table-cell" class:text-soft=term.agents == 0>{text::number(term.agents)}</td>
        </tr>
    }
}

pub fn retired(term: &Term) -> impl IntoView + use<> {
    term.retired_at.map(|_| view! { <Badge tone=Tone::Danger text="retired" title="Memories are no longer filed under this term." /> })
}

#[component]
fn NoTerms(filtered: bool) -> impl IntoView {
    if filtered {
        return view! {
            <NoMatch thing="term" href="/vocabulary/terms">"Retired terms are hidden unless you filter for them."</NoMatch>
        }
        .into_any();
    }
    view! {
        <div class="card">
            <Empty shape=Shape::Vocabulary title="The vocabulary is empty">
                <p class="mb-3">"Terms come from approved proposals, uploaded glossaries and reviewers."</p>
                <span class="flex flex-wrap justify-center gap-2">
                    <a class="button" href="/vocabulary">"Review proposals"</a>
                    <a class="button" href="/vocabulary/terms/new">"New term"</a>
                </span>
            </Empty>
        </div>
    }
    .into_any()
}
