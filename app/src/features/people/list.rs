use super::{
    api::{browse_people, find_people},
    name::{Person, page},
    path::PersonPath,
};
use crate::{
    features::{erasure::mentions_of, memories::AgentField, views::FilterBar},
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{
        Answered, Badge, Empty, Filtered, NoMatch, NothingLeft, Pager, Parsed, Shape, TableCard, Time, Tone, awaited, columns, if_any,
        is_reversed, parsed, reading, reversing, text,
    },
};
use foundation::identity::User;
use leptos::prelude::*;
use wire::{OperatorRole, Page, PeopleFilter, PersonRow, ViewPage};

/// With fewer people found than this, the person may be one whom only texts name.
const FEW: usize = 3;

/// The fields of the filter form.
const NAMES: &[&str] = &["agent", "user"];

fn filter(query: &Query) -> Parsed<PeopleFilter> {
    parsed(|errors| PeopleFilter {
        agent_id: query.read("agent", "Choose one of the agents.", errors),
        user: query.owned("user"),
        after: query.owned("after"),
        before: query.owned("before"),
        reversed: is_reversed(query),
    })
}

/// The page of profiles: what each agent knows about each person.
#[component]
pub fn PeoplePage() -> impl IntoView {
    let filtered = Filtered::by(filter);
    let (query, list) = (filtered.query.clone(), filtered.load(browse_people));
    let text = query.owned("user");
    let (found, who) = (text.clone().map(|text| reading(find_people(text))), ViewerResource::shared());
    view! {
        <PageHead title="People">"What each agent knows about the people it works for, and why."</PageHead>
        <FilterBar page=ViewPage::People label="People" query=filtered.query.clone() names=NAMES>
            <AgentField value=filtered.value("agent") labelled=true error=filtered.error("agent") />
            {filtered.text_field("user", "Person begins with", "Id, reference or name")}
        </FilterBar>
        {awaited(async move {
            let found = if_any(found).await.and_then(Result::ok).unwrap_or_default();
            let (is_admin, _) = who.allows(OperatorRole::Admin).await;
            let only_named = text.filter(|_| found.len() < FEW).map(|name| view! { <OnlyNamed name is_admin /> });
            let found = (!found.is_empty()).then(|| view! { <Found found /> });
            view! { {found} {only_named} }
        })}
        <Answered answer=list show=|page, query| view! { <People page query /> }.into_any() query />
    }
}

/// The people whom the filter may mean, also those of whom no agent keeps a profile.
#[component]
fn Found(found: Vec<User>) -> impl IntoView {
    let one = |User { id, external_ref, name }: User| {
        let reference = name.is_some().then(|| view! { <span class="text-soft">" " {text::visible(&external_ref)}</span> });
        view! { <li><Person id name=Some(name.unwrap_or(external_ref)) /> {reference}</li> }
    };
    view! {
        <section class="mt-4" aria-label="People found">
            <ul class="flex flex-wrap gap-x-4 gap-y-1 text-sm" data-testid="found">{found.into_iter().map(one).collect_view()}</ul>
        </section>
    }
}

/// The way to somebody whom only texts name.
#[component]
fn OnlyNamed(name: String, is_admin: bool) -> impl IntoView {
    let shown = text::visible(&name);
    let (href, says) = match is_admin {
        true => (mentions_of(&name), format!("Look for mentions of “{shown}” in all texts")),
        false => (Query::default().with("q", &name).href("/memories"), format!("Search memories for “{shown}”")),
    };
    view! {
        <p class="mt-3 text-sm wrap-anywhere" data-testid="only-named">
            "Somebody who is only mentioned in texts has no page. " <a class="underline" href=href>{says}</a>
        </p>
    }
}

#[component]
fn People(page: Page<PersonRow>, query: Query) -> impl IntoView {
    if page.rows.is_empty() {
        return match query.any(NAMES) {
            _ if query.is_later_page() => view! { <NothingLeft path="/people" query /> }.into_any(),
            true => view! {
                <NoMatch thing="profile" href="/people">
                    "A person is found by the beginning of an id, a reference or a name. Those without a profile are linked above the list."
                </NoMatch>
            }
            .into_any(),
            false => view! { <div class="card"><First /></div> }.into_any(),
        };
    }
    let changed = reversing("/people", &query, true, ("Last changed", "hidden w-30 @3xl:table-cell"));
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{text::count(page.total, "profile", "profiles")}</p>
        <TableCard label="Profiles" rows=page.rows.into_iter().map(|row| view! { <Row row /> }).collect_view() heads=(columns([
            ("Person", ""), ("Agent", "w-24 @md:w-28"), ("Entries", "number hidden w-20 @xl:table-cell"),
            ("Confident", "number hidden w-24 @2xl:table-cell"), ("Disputed", "number hidden w-24 @xl:table-cell"),
        ]), changed) />
        <Pager path="/people" query previous=page.previous next=page.next />
    }
    .into_any()
}

#[component]
fn Row(row: PersonRow) -> impl IntoView {
    let profile = PersonPath { agent: row.agent_id, user: row.user_id }.href();
    // Observations that name nobody are one profile of an agent, and no person's.
    let (href, agent) = match row.user_id {
        Some(user) => (page(user), view! { <a href=profile title="The profile that this agent keeps">{row.agent_slug}</a> }.into_any()),
        None => (profile, row.agent_slug.into_any()),
    };
    let disputed = match row.disputed {
        0 => view! { <span class="text-soft">"0"</span> }.into_any(),
        n => view! { <Badge tone=Tone::Warn text=text::number(n) /> }.into_any(),
    };
    let narrow = format!("{} · {} disputed", text::count(row.entries, "entry", "entries"), text::number(row.disputed));
    view! {
        <tr data-testid="person">
            <th scope="row" class="font-normal! whitespace-normal! text-ink!">
                <a class="text-base font-medium wrap-anywhere" dir="auto" href=href>{name(row.user_name, row.user_id.map(|id| id.to_string()))}</a>
                <p class="line-clamp-2 text-sm wrap-anywhere text-soft" dir="auto">{text::visible(&row.summary)}</p>
                <span class="mt-0.5 block text-xs text-soft @xl:hidden">{narrow}</span>
                <span class="block text-xs text-soft @3xl:hidden">"Last changed " <Time at=row.updated_at /></span>
            </th>
            <td class="truncate">{agent}</td>
            <td class="number hidden @xl:table-cell">{text::number(row.entries)}</td>
            <td class="number hidden text-soft @2xl:table-cell">{text::number(row.confident)}</td>
            <td class="number hidden @xl:table-cell">{disputed}</td>
            <td class="hidden @3xl:table-cell"><Time at=row.updated_at /></td>
        </tr>
    }
}

/// What a page calls a person.
pub fn name(name: Option<String>, id: Option<String>) -> String {
    match (name, id) {
        (Some(name), _) => text::visible(&name),
        (None, Some(id)) => id,
        (None, None) => "Without a user".to_owned(),
    }
}

#[component]
fn First() -> impl IntoView {
    view! {
        <Empty shape=Shape::People title="No profiles yet">
            <p class="mb-3">
                "A profile appears here a moment after an agent records what it observes about a person, with "
                <code class="font-mono">"record_observation"</code>
                " or "
                <code class="font-mono">"update_user_context"</code>
                "."
            </p>
            <a class="button" href="/agents">"Connect an agent"</a>
        </Empty>
    }
}
