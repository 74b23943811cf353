use super::{agents, api::connects};
use crate::{
    Flash,
    layout::{PageHead, ViewerResource},
    query::{Query, use_query},
    ui::{
        Badge, Empty, IconLink, PostForm, Shape, Spark, TableCard, TextField, Time, Tone, awaited, columns, or_error, reading, sorting,
        text,
    },
};
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use std::cmp::Reverse;
use wire::{AgentKind, AgentSummary, OperatorRole};

/// The agents page: counts and activity of each agent, and for admins a form for a new one.
#[component]
pub fn AgentsPage() -> impl IntoView {
    let (list, who, query) = (reading(agents()), ViewerResource::shared(), use_query());
    view! {
        <PageHead title="Agents">"Each agent has its own memories. The commons holds the memories that all agents share."</PageHead>
        {awaited(async move {
            let (is_admin, flash) = who.allows(OperatorRole::Admin).await;
            or_error(list.await, |agents| {
                let connects = is_admin && agents.iter().any(connects);
                let list = match untouched(&agents) {
                    true => view! { <div class="card"><NoAgents is_admin /></div> }.into_any(),
                    false => view! { <Table agents query /> }.into_any(),
                };
                view! {
                    {list}
                    {is_admin.then(|| view! { <Add connects flash /> })}
                }
            })
        })}
    }
}

/// Whether there is nothing but an empty commons.
fn untouched(agents: &[AgentSummary]) -> bool {
    agents.iter().all(|agent| agent.kind == AgentKind::Commons && agent.live == 0 && agent.deleted == 0)
}

/// Sorts agents by the column that the URL names, the largest or latest first. In their usual order the commons is first, then go the names.
fn sort(agents: &mut [AgentSummary], by: Option<&str>) {
    match by {
        Some("live") => agents.sort_by_key(|agent| Reverse(agent.live)),
        Some("deleted") => agents.sort_by_key(|agent| Reverse(agent.deleted)),
        Some("new") => agents.sort_by_key(|agent| Reverse(agent.added_7d)),
        Some("write") => agents.sort_by_key(|agent| Reverse(agent.last_write)),
        Some("recall") => agents.sort_by_key(|agent| Reverse(agent.last_recall)),
        _ => {}
    }
}

#[component]
fn Table(agents: Vec<AgentSummary>, query: Query) -> impl IntoView {
    let sum = |part: fn(&AgentSummary) -> i64| agents.iter().map(part).sum::<i64>();
    let totals = format!(
        "{} and the shared memories (commons) · {} live · {} deleted",
        text::count(agents.iter().map(|a| i64::from(a.kind == AgentKind::Agent)).sum(), "agent", "agents"),
        text::count(sum(|a| a.live), "memory", "memories"),
        text::number(sum(|a| a.deleted))
    );
    let mut agents = agents;
    sort(&mut agents, query.get("sort"));
    let rows = agents.into_iter().map(|agent| view! { <Row agent /> }).collect_view();
    let head = |key, name, class| sorting("/agents", &query, key, (name, class));
    let heads = (
        columns([("Agent", "")]),
        head("live", "Live", "number"),
        head("deleted", "Deleted", "number hidden @md:table-cell"),
        head("new", "New this week", "number hidden @md:table-cell"),
        columns([("Written, 28 days (UTC)", "hidden @4xl:table-cell")]),
        head("write", "Last write", "hidden @2xl:table-cell"),
        head("recall", "Last recall", "hidden @2xl:table-cell"),
    );
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{totals}</p>
        <TableCard label="Agents" class="data" rows heads />
    }
}

#[component]
fn Row(agent: AgentSummary) -> impl IntoView {
    let (page, here) = (format!("/agents/{}", agent.id), format!("/memories?agent={}", agent.id));
    let live = format!("{} of {}", text::count(agent.live, "live memory", "live memories"), agent.slug);
    let blocked = agent.blocked.then(|| view! { <Badge tone=Tone::Danger text="blocked" title="Its keys are refused." /> });
    let retired =
        agent.retired.then(|| view! { <Badge tone=Tone::Plain text="retired" title="It has no keys, and nobody can choose it." /> });
    // A name that differs from the slug only by case says nothing more.
    let name = (!agent.name.eq_ignore_ascii_case(&agent.slug)).then(|| text::visible(&agent.name));
    let commons = (agent.kind == AgentKind::Commons)
        .then(|| view! { <Badge tone=Tone::Accent text="shared" title="The memory that all agents of the organisation share." /> });
    let deleted = match agent.deleted {
        0 => view! { <span class="text-soft">"0"</span> }.into_any(),
        n => {
            let label = format!("{} of {}", text::count(n, "deleted memory", "deleted memories"), agent.slug);
            view! { <a href=format!("{here}&deleted=true") aria-label=label>{text::number(n)}</a> }.into_any()
        }
    };
    let added = text::number(agent.added_7d);
    let narrow = format!(" · {added} new this week · {} deleted", text::number(agent.deleted));
    view! {
        <tr data-testid="agent">
            <th scope="row" class="font-normal! whitespace-normal! text-ink!">
                <a class="text-base font-medium" href=page>{agent.slug}</a>
                <span class="ml-2 inline-flex gap-1">{commons} {blocked} {retired}</span>
                {name.map(|name| view! { <span class="block text-sm text-soft">{name}</span> })}
                <span class="mt-1 block text-xs text-soft @2xl:hidden">
                    "Last write " {when(agent.last_write)} <span class="@md:hidden">{narrow}</span>
                </span>
            </th>
            <td class="number font-medium"><a href=here aria-label=live>{text::number(agent.live)}</a></td>
            <td class="number hidden @md:table-cell">{deleted}</td>
            <td class="number hidden @md:table-cell" class:text-soft=agent.added_7d == 0>{added}</td>
            <td class="hidden @4xl:table-cell"><Spark days=agent.activity /></td>
            <td class="hidden @2xl:table-cell">{when(agent.last_write)}</td>
            <td class="hidden @2xl:table-cell">{when(agent.last_recall)}</td>
        </tr>
    }
}

pub fn when(at: Option<DateTime<Utc>>) -> impl IntoView {
    match at {
        Some(at) => view! { <Time at /> }.into_any(),
        None => view! { <span class="text-soft">"never"</span> }.into_any(),
    }
}

#[component]
fn NoAgents(is_admin: bool) -> impl IntoView {
    let says = match is_admin {
        true => "Make one below. Then make a key for it, with which it calls this server.",
        false => "An admin makes agents here, and a key for each.",
    };
    view! { <Empty shape=Shape::Agents title="No agents yet"><p>{says}</p></Empty> }
}

/// The form for a new agent, and the way to connect one that is there.
#[component]
fn Add(connects: bool, flash: Option<Flash>) -> impl IntoView {
    let typed = flash.as_ref().map(|flash| Query::parse(&flash.typed)).unwrap_or_default();
    let error = move |field: &str| flash.as_ref().and_then(|flash| flash.field(field));
    let link = connects.then(|| view! { <IconLink href="/agents/connect" shape=Shape::Add text="Connect an agent" /> });
    view! {
        <div class="mt-6 max-w-xl space-y-4">
            {link}
            <PostForm class="card space-y-3 p-4" id="new-agent" action="/console/api/create_agent" label="New agent">
                <h2>"New agent"</h2>
                <TextField name="slug" label="Slug" required=true hint="atlas" value=typed.text("slug") error=error("slug") />
                <TextField name="name" label="Name" optional=true hint="same as the slug" value=typed.text("name") error=error("name") />
                <p class="text-xs text-soft">
                    "The slug is its name for programs and never changes: 1 to 63 characters (a-z, 0-9 and -). You can change the name later."
                </p>
                <button class="button button-primary" type="submit">"Make agent"</button>
            </PostForm>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::AgentId;

    #[test]
    fn agents_are_sorted_by_the_column_of_the_url() {
        let agent = |slug: &str, live, day: Option<i64>| AgentSummary {
            id: AgentId(uuid::Uuid::nil()),
            kind: AgentKind::Agent,
            slug: slug.to_owned(),
            name: String::new(),
            blocked: false,
            retired: false,
            live,
            deleted: 0,
            added_7d: 0,
            last_write: day.and_then(|day| DateTime::from_timestamp(day * 86_400, 0)),
            last_recall: None,
            activity: vec![],
        };
        let agents = [agent("atlas", 2, None), agent("binky", 9, Some(1)), agent("mole", 2, Some(2))];
        let sorted = |by: Option<&str>| {
            let mut agents = agents.to_vec();
            sort(&mut agents, by);
            agents.into_iter().map(|agent| agent.slug).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            [None, Some("live"), Some("write"), Some("nonsense")].map(sorted),
            ["atlas binky mole", "binky atlas mole", "mole binky atlas", "atlas binky mole"]
        );
    }
}
