use super::{
    api::read_profile,
    connections::Connections,
    history::History,
    leaf::CitedLeaf,
    list::name,
    name::{Person, page},
    path::PersonPath,
    tree::Tree,
};
use crate::{
    guard::by_id,
    layout::{Crumb, ViewerResource},
    query::{use_param, use_query},
    ui::{Time, Titled, awaited, fact, or_missing, reading, text},
};
use leptos::prelude::*;
use leptos_meta::Title;
use wire::{OperatorRole, PersonDetail, ProfilePart};

/// The page of one profile, what one agent knows about a person: working memory, leaves, connections and history.
#[component]
pub fn ProfilePage() -> impl IntoView {
    let part = |name: &str| use_param::<String>(name).unwrap_or_default();
    let person = format!("{}/{}", part("agent"), part("user")).parse::<PersonPath>().ok();
    let before = use_query().get("before").and_then(|before| before.parse::<i64>().ok());
    let detail = reading(by_id(person, move |person| read_profile(person, before), "No such profile."));
    let who = ViewerResource::expect();
    view! {
        <Crumb href="/people" text="People" />
        {awaited(async move {
            let may_forget = who.await.is_ok_and(|viewer| viewer.profile.has(OperatorRole::Reviewer));
            or_missing("Person", detail.await, |detail| view! { <Whole detail may_forget /> })
        })}
    }
}

#[component]
fn Whole(detail: PersonDetail, may_forget: bool) -> impl IntoView {
    let person = PersonPath { agent: detail.agent_id, user: detail.user_id };
    let title = name(detail.user_name.clone(), detail.user_id.map(|id| id.to_string()));
    let says = match detail.user_id {
        Some(_) => format!("What {} knows about this person, from observations.", detail.agent_slug),
        None => format!("What {} knows from observations that name no user.", detail.agent_slug),
    };
    let leaves = CitedLeaf::all_of(&detail, &person.href()).into_iter();
    let (of_tools, of_person): (Vec<_>, Vec<_>) = leaves.partition(|cited| cited.leaf.connection_id.is_some());
    let (scaffold, learned): (Vec<_>, Vec<_>) = of_person.into_iter().partition(|cited| cited.leaf.part == ProfilePart::Scaffold);
    let connections = detail.connections.clone();
    let has_tools = !(connections.is_empty() && of_tools.is_empty());
    view! {
        <Title text=title.clone() />
        <header class="mb-5">
            <h1 class="wrap-anywhere" dir="auto">{title}</h1>
            <p class="mt-0.5 text-sm text-soft">
                {says}
                {detail.user_id.map(|user| view! { " " <a href=page(user)>"What all agents know"</a> })}
            </p>
        </header>
        <StoodIn observations=detail.profile.read_by_rules />
        <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div class="min-w-0 space-y-6">
                <WorkingMemory text=detail.profile.working_memory.clone() />
                <Part id="scaffold" title="Structured profile" none="Values with a key, such as a role or goals, appear here." leaves=scaffold may_forget />
                <Part id="learned" title="Learned facts" none="Facts that agents were asked to keep appear here." leaves=learned may_forget />
                {has_tools.then(|| view! {
                    <Titled id="connections" title="Connections">
                        <Connections connections leaves=of_tools may_forget />
                    </Titled>
                })}
                <History history=detail.history.clone() person />
            </div>
            <div class="mt-6 lg:mt-0"><Facts detail /></div>
        </div>
    }
}

/// That rules read observations in place of the chat model.
#[component]
fn StoodIn(observations: i64) -> impl IntoView {
    (observations > 0).then(|| {
        let read = text::count(observations, "observation", "observations");
        let says = format!(
            "The chat model did not answer, so rules read {read}. The next time that it reads observations of this person, it reads them \
             again and replaces what the rules found."
        );
        view! { <p class="card mb-6 p-4 text-sm" data-testid="stood-in">{says}</p> }
    })
}

#[component]
fn WorkingMemory(text: String) -> impl IntoView {
    let body = if text.is_empty() {
        view! { <p class="text-sm text-soft">"The narrative appears here once there is an entry."</p> }.into_any()
    } else {
        view! { <p class="verbatim" dir="auto">{text::visible(&text)}</p> }.into_any()
    };
    view! {
        <section aria-labelledby="narrative" data-testid="narrative">
            <h2 class="mb-2" id="narrative">"Working memory"</h2>
            <div class="card p-4">{body}</div>
        </section>
    }
}

#[component]
fn Part(id: &'static str, title: &'static str, none: &'static str, leaves: Vec<CitedLeaf>, may_forget: bool) -> impl IntoView {
    let body = if leaves.is_empty() {
        view! { <p class="text-sm text-soft">{none}</p> }.into_any()
    } else {
        view! { <Tree leaves may_forget /> }.into_any()
    };
    view! {
        <section aria-labelledby=id data-testid=id>
            <h2 class="mb-2" id=id>{title}</h2>
            <div class="card p-4">{body}</div>
        </section>
    }
}

#[component]
fn Facts(detail: PersonDetail) -> impl IntoView {
    let disputed = detail.profile.leaves.iter().filter(|leaf| leaf.disputed).count();
    let entries = i64::try_from(detail.profile.leaves.len()).unwrap_or_default();
    let disputed = i64::try_from(disputed).unwrap_or_default();
    let commons = match (detail.commons, detail.shared_profiles) {
        (true, true) => "Every agent reads this profile in addition to its own.",
        (true, false) => "No agent reads this profile: the capture policy does not share it.",
        (false, true) => "The agent also reads what the profile of the commons adds.",
        (false, false) => "The agent reads its own profile only.",
    };
    let person = detail.user_id.map(|id| view! { <dt>"Person"</dt> <dd><Person id name=detail.user_name.clone() /></dd> });
    view! {
        <dl class="facts card p-4" data-testid="facts">
            {fact("Agent", detail.agent_slug)}
            {person}
            {fact("Entries", text::number(entries))}
            {fact("Disputed", text::number(disputed))}
            {fact("Version", text::number(detail.profile.version))}
            {detail.profile.updated_at.map(|at| view! { <dt>"Last changed"</dt> <dd><Time at /></dd> })}
            {fact("Sharing", commons)}
        </dl>
        <p class="mt-3 text-sm text-soft">
            "Repetition raises confidence; contradiction and age lower it. "
            <a class="underline" href="/inbox/policy">"The capture policy"</a>
            " says which sensitive matters profiles may hold."
        </p>
    }
}
