use super::{api::forecast, chart::Week};
use crate::{
    layout::{PageHead, ViewerResource},
    ui::{DataTable, Empty, PostForm, Shape, Time, awaited, chart::share_of, columns, fact, or_error, reading, text},
};
use leptos::prelude::*;
use wire::{AgentAging, Forecast, LifecyclePolicy, OperatorRole, SweepRun};

/// The page of how memories age: what expires and fades, how near agents are to their limits, and the sweeps.
#[component]
pub fn LifecyclePage() -> impl IntoView {
    let ahead = reading(forecast());
    let who = ViewerResource::expect();
    view! {
        <PageHead title="Lifecycle">
            "Messages of sessions expire and fade. A sweep archives them every hour. You can restore archived memories."
        </PageHead>
        {awaited(async move {
            let profile = who.await.ok().map(|viewer| viewer.profile);
            let has = |role| profile.as_ref().is_some_and(|profile| profile.has(role));
            let (may_sweep, may_edit) = (has(OperatorRole::Operator), has(OperatorRole::Admin));
            or_error(ahead.await, |ahead| view! { <Whole ahead may_sweep may_edit /> })
        })}
    }
}

#[component]
fn Whole(ahead: Forecast, may_sweep: bool, may_edit: bool) -> impl IntoView {
    let Forecast { now, agents, days, policy, sweeps } = ahead;
    let due: i64 = agents.iter().map(|agent| agent.expired + agent.faded).sum();
    let next = match due {
        0 => "The next sweep has nothing to archive.".to_owned(),
        due => format!("The next sweep archives {}.", text::count(due, "memory", "memories")),
    };
    view! {
        <div class="mb-4 flex flex-wrap items-center gap-3">
            <p class="text-sm" data-testid="due">{next}</p>
            {may_sweep.then(|| view! {
                <PostForm action="/console/api/sweep">
                    <button class="button" type="submit">"Sweep now"</button>
                </PostForm>
            })}
        </div>
        <Week now days />
        <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div class="min-w-0 space-y-6">
                <Agents agents />
                <Sweeps sweeps />
            </div>
            <div class="mt-6 lg:mt-0"><Policy policy may_edit /></div>
        </div>
    }
}

#[component]
fn Agents(agents: Vec<AgentAging>) -> impl IntoView {
    let rows = agents.into_iter().map(|agent| view! { <Row agent /> }).collect_view();
    view! {
        <section class="card overflow-x-auto" aria-label="Agents" tabindex="0">
            <DataTable label="Agents" class="data" rows heads=columns([
                ("Agent", ""), ("Episodes that may fade", ""), ("Expire in 7 days", "number hidden @lg:table-cell"),
                ("Fade in 7 days", "number hidden @lg:table-cell"), ("Pinned", "number hidden @xl:table-cell"), ("Archived", "number"),
            ]) />
        </section>
    }
}

#[component]
fn Row(agent: AgentAging) -> impl IntoView {
    let here = format!("/memories?agent={}", agent.agent_id);
    let share = share_of(agent.episodes as f64, agent.episodes_max as f64);
    let fill = if share >= 0.9 { "fill-warn" } else { "fill-chart" };
    let number = |n: i64| view! { <span class:text-soft=n == 0>{text::number(n)}</span> };
    let archived = match agent.archived {
        0 => view! { <span class="text-soft">"0"</span> }.into_any(),
        n => {
            let label = format!("{} of {}", text::count(n, "archived memory", "archived memories"), agent.agent_slug);
            view! { <a href=format!("{here}&status=archived") aria-label=label>{text::number(n)}</a> }.into_any()
        }
    };
    view! {
        <tr data-testid="aging">
            <th scope="row" class="font-normal! text-ink!"><a class="text-base font-medium" href=here>{agent.agent_slug}</a></th>
            <td>
                <span class="block text-sm whitespace-nowrap">
                    {text::number(agent.episodes)} <span class="text-soft">" of "{text::number(agent.episodes_max)}</span>
                </span>
                <svg class="mt-1 h-1.5 w-28" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                    <rect class="fill-line" width="100" height="6" rx="2" />
                    <rect class=fill width=format!("{:.1}", share * 100.0) height="6" rx="2" />
                </svg>
            </td>
            <td class="number hidden @lg:table-cell">{number(agent.expiring)}</td>
            <td class="number hidden @lg:table-cell">{number(agent.fading_soon)}</td>
            <td class="number hidden @xl:table-cell">{number(agent.pinned)}</td>
            <td class="number">{archived}</td>
        </tr>
    }
}

#[component]
fn Sweeps(sweeps: Vec<SweepRun>) -> impl IntoView {
    if sweeps.is_empty() {
        return view! {
            <section class="card">
                <Empty shape=Shape::Events title="No sweeps yet">
                    "A sweep runs every hour while the server or a worker runs. Each appears here with what it archived."
                </Empty>
            </section>
        }
        .into_any();
    }
    let rows = sweeps.into_iter().map(|run| {
        let state = match (run.finished_at, run.error) {
            (_, Some(error)) => view! { <span class="text-danger">{error}</span> }.into_any(),
            (Some(at), None) => format!("done in {}", text::duration(at - run.started_at)).into_any(),
            (None, None) => view! { <span class="text-soft">"running"</span> }.into_any(),
        };
        view! {
            <tr data-testid="sweep">
                <td><Time at=run.started_at /></td>
                <td>{state}</td>
                <td class="number">{text::number(run.expired)}</td>
                <td class="number">{text::number(run.faded)}</td>
                <td class="number">{text::number(run.early + run.over_limit)}</td>
                <td class="number">{text::number(run.history)}</td>
            </tr>
        }
    });
    view! {
        <section class="card overflow-x-auto" aria-label="Sweeps" tabindex="0">
            <DataTable label="Sweeps" class="data" rows=rows.collect_view() heads=columns([
                ("Started", ""), ("Outcome", ""), ("Expired", "number"), ("Faded", "number"), ("Over the limit", "number"),
                ("History deleted", "number"),
            ]) />
        </section>
    }
    .into_any()
}

/// The policy of the organisation, and the way to all of it.
#[component]
fn Policy(policy: LifecyclePolicy, may_edit: bool) -> impl IntoView {
    let days = policy.retention_days;
    let rows = [
        ("Routine messages", format!("{} days", days.routine)),
        ("Errors and failures", format!("{} days", days.error)),
        ("Completed tasks", format!("{} days", days.task)),
        ("Decisions and approvals", format!("{} days", days.decision)),
        ("Archived when the importance falls below", format!("{:.2}", policy.archived_below)),
        ("Archived early, near the limit, below", format!("{:.2}", policy.cleaned_up_below)),
        ("Maximum episodes per agent", text::number(policy.episodes_max.into())),
        ("Maximum memories per agent", text::number(policy.memories_max.into())),
    ];
    let rows = rows.into_iter().map(|(name, value)| fact(name, value));
    view! {
        <section class="card" aria-labelledby="policy">
            <h2 class="border-b border-line px-3 py-2" id="policy">"Policy"</h2>
            <dl class="facts p-4">{rows.collect_view()}</dl>
            <p class="border-t border-line px-4 py-3 text-sm text-soft">
                "Pinned memories and memories that a person asked to keep never expire."
            </p>
            <p class="px-4 pb-4">
                <a class="button" href="/lifecycle/policy">{if may_edit { "Change policy" } else { "Show policy" }}</a>
            </p>
        </section>
    }
}
