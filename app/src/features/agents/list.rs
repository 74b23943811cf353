use super::agents;
use crate::{
    layout::PageHead,
    ui::{Badge, Empty, Shape, Spark, TableCard, Time, Tone, awaited, columns, or_error, reading, text},
};
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use wire::{AgentKind, AgentSummary};

/// The agents page: counts and activity of each agent.
#[component]
pub fn AgentsPage() -> impl IntoView {
    let list = reading(agents());
    view! {
        <PageHead title="Agents">"Each agent has its own memories. The commons holds the memories that all agents share."</PageHead>
        {awaited(async move {
            or_error(list.await, |agents| match untouched(&agents) {
                true => view! { <div class="card"><NoAgents /></div> }.into_any(),
                false => view! { <Table agents /> }.into_any(),
            })
        })}
    }
}

/// Whether there is nothing but an empty commons.
fn untouched(agents: &[AgentSummary]) -> bool {
    agents.iter().all(|agent| agent.kind == AgentKind::Commons && agent.live == 0 && agent.deleted == 0)
}

#[component]
fn Table(agents: Vec<AgentSummary>) -> impl IntoView {
    let sum = |part: fn(&AgentSummary) -> i64| agents.iter().map(part).sum::<i64>();
    let totals = format!(
        "{} and the shared memories (commons) · {} live · {} deleted",
        text::count(agents.iter().map(|a| i64::from(a.kind == AgentKind::Agent)).sum(), "agent", "agents"),
        text::count(sum(|a| a.live), "memory", "memories"),
        text::number(sum(|a| a.deleted))
    );
    let rows = agents.into_iter().map(|agent| view! { <Row agent /> }).collect_view();
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{totals}</p>
        <TableCard label="Agents" class="data" rows heads=columns([
            ("Agent", ""), ("Live", "number"), ("Deleted", "number hidden sm:table-cell"),
            ("New this week", "number hidden sm:table-cell"), ("Written, 28 days", "hidden lg:table-cell"),
            ("Last write", "hidden md:table-cell"), ("Last recall", "hidden md:table-cell"),
        ]) />
    }
}

#[component]
fn Row(agent: AgentSummary) -> impl IntoView {
    let (page, here) = (format!("/agents/{}", agent.id), format!("/memories?agent={}", agent.id));
    let live = format!("{} of {}", text::count(agent.live, "live memory", "live memories"), agent.slug);
    let blocked = agent.blocked.then(|| view! { <Badge tone=Tone::Danger text="blocked" title="Its keys are refused." /> });
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
                <span class="ml-2 inline-flex gap-1">{commons} {blocked}</span>
                {name.map(|name| view! { <span class="block text-sm text-soft">{name}</span> })}
                <span class="mt-1 block text-xs text-soft md:hidden">
                    "Last write " {when(agent.last_write)} <span class="sm:hidden">{narrow}</span>
                </span>
            </th>
            <td class="number font-medium"><a href=here aria-label=live>{text::number(agent.live)}</a></td>
            <td class="number hidden sm:table-cell">{deleted}</td>
            <td class="number hidden sm:table-cell" class:text-soft=agent.added_7d == 0>{added}</td>
            <td class="hidden lg:table-cell"><Spark days=agent.activity /></td>
            <td class="hidden md:table-cell">{when(agent.last_write)}</td>
            <td class="hidden md:table-cell">{when(agent.last_recall)}</td>
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
fn NoAgents() -> impl IntoView {
    view! {
        <Empty shape=Shape::Agents title="No agents yet">
            <p class="mb-3">
                "Create an agent on the server. Replace acme with the slug of your organisation:"
            </p>
            <pre class="overflow-x-auto rounded-md bg-sunken px-3 py-2 text-left font-mono text-xs text-ink" tabindex="0">
                "remembrancer agent create atlas --tenant acme --name Atlas\n"
                "remembrancer key create atlas --tenant acme --name first \\\n  --scopes memory:read,memory:write,memory:forget"
            </pre>
        </Empty>
    }
}
