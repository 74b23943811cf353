use super::{
    api::{AgentRead, connects, read_agent},
    block::Block,
    bots::Bots,
    keys::{Keys, is_in_force},
    settings::{self, Change, Retire},
};
use crate::{
    Flash,
    features::{
        memories::NewMemoryLink,
        people::Person,
        recall::{Columns, Legend, rate, recall_columns, spoken},
        session::Viewer,
    },
    guard::by_id,
    layout::{Crumb, ViewerResource},
    query::{Query, use_param, use_query},
    ui::{Badge, CopyText, DataTable, Time, Titled, Tone, Zone, awaited, columns, fact, or_missing, reading, rows_or, text},
};
use extract::transcript::zone::day_start;
use leptos::prelude::*;
use leptos_meta::Title;
use wire::{
    AgentDetail, AgentId, AgentKind, BarUnit, Discipline, HealthBar, MemoryStatus, OperatorProfile, OperatorRole, RecallCounts, UserId,
};

/// The page of one agent: its keys, memories, recalls, users and limits.
#[component]
pub fn AgentPage() -> impl IntoView {
    let id = use_param::<AgentId>("id");
    let detail = reading(by_id(id, read_agent, "No agent has this id."));
    let (who, query) = (ViewerResource::expect(), use_query());
    view! {
        <Crumb href="/agents" text="Agents" />
        {awaited(async move {
            let viewer = who.await.ok();
            let who = viewer.as_ref().map(|viewer| viewer.profile.clone());
            let flash = viewer.and_then(Viewer::refused);
            or_missing("Agent", detail.await, |read| view! { <Whole read who flash query /> })
        })}
    }
}

/// The link to a page that is filtered by the agent.
fn of(path: &str, id: AgentId) -> String {
    Query::default().with("agent", id).href(path)
}

/// The message about a refused form of the page, for the form of this name. A key that could not be revoked or rotated opens none.
fn of_form(flash: &Option<Flash>, form: Option<&str>) -> Option<Flash> {
    let is_it = |flash: &&Flash| {
        let typed = Query::parse(&flash.typed);
        typed.get("form") == form && typed.get("key").is_none()
    };
    flash.as_ref().filter(is_it).cloned()
}

#[component]
fn Whole(read: AgentRead, who: Option<OperatorProfile>, flash: Option<Flash>, query: Query) -> impl IntoView {
    let AgentRead { detail, keeps_context_texts, bots, secret } = read;
    let is_admin = who.as_ref().is_some_and(|who| who.has(OperatorRole::Admin));
    let agent = detail.summary.clone();
    let (id, is_agent, in_use) = (agent.id, agent.kind == AgentKind::Agent, connects(&agent));
    let settings = settings::Settings {
        id,
        name: agent.name.clone(),
        discipline: detail.discipline,
        require_user: detail.require_user,
        keeps_context_texts,
    };
    let in_force = detail.keys.iter().filter(|key| is_in_force(key, detail.now)).count();
    let in_force = i64::try_from(in_force).unwrap_or(i64::MAX);
    let forms = (is_admin && is_agent).then(|| {
        view! {
            {in_use.then(|| view! { <Change settings flash=of_form(&flash, Some("settings")) /> })}
            {in_use.then(|| view! { <Block id blocked=agent.blocked flash=of_form(&flash, None) /> })}
            <Retire id retired=agent.retired keys=in_force memories=agent.live flash=of_form(&flash, Some("retire")) />
        }
    });
    let of_key = of_form(&flash, Some("key"));
    let own: Vec<_> = bots.into_iter().filter(|bot| detail.keys.iter().any(|key| key.id == bot.key_id)).collect();
    // Clients renew the access that they were given by themselves: no bot can hold it.
    let for_bots: Vec<_> = detail.keys.iter().filter(|key| is_in_force(key, detail.now) && key.given_by.is_none()).cloned().collect();
    let has_bots = is_admin && in_use && (!own.is_empty() || !for_bots.is_empty());
    let bots = has_bots.then(|| view! { <Bots agent=id bots=own keys=for_bots flash=of_form(&flash, Some("bot")) /> });
    let secret = secret.map(|secret| {
        let is_key = secret.starts_with("rmb_");
        let (title, says) = match is_key {
            true => ("New key", "Copy it now and store it in a safe place. It is not shown again."),
            false => ("Webhook of the bot", "Copy both lines now and give them to Telegram’s setWebhook. They are not shown again."),
        };
        view! { <CopyText id="new-secret" title says text=secret once=true /> }
    });
    let name = (!agent.name.eq_ignore_ascii_case(&agent.slug)).then(|| agent.name.clone());
    let audit = Query::default().with("target", &agent.slug).href("/audit");
    let links = [("Memories", of("/memories", id)), ("Recalls", of("/recall/log", id)), ("Events", of("/events", id)), ("Audit", audit)];
    view! {
        <Title text=agent.slug.clone() />
        <header class="mb-5">
            <div class="flex flex-wrap items-center gap-2">
                <h1 class="break-words">{agent.slug.clone()}</h1>
                {(!is_agent).then(|| view! { <Badge tone=Tone::Accent text="shared" title="The memory that all agents of the organisation share." /> })}
                {agent.blocked.then(|| view! { <Badge tone=Tone::Danger text="blocked" title="Its keys are refused." /> })}
                {agent.retired.then(|| view! { <Badge tone=Tone::Plain text="retired" title="It has no keys, and nobody can choose it." /> })}
            </div>
            {name.map(|name| view! { <p class="mt-0.5 text-sm text-soft">{text::visible(&name)}</p> })}
            <nav class="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm" aria-label="About this agent">
                {links.into_iter().map(|(text, href)| view! { <a href=href>{text}</a> }).collect_view()}
                {in_use.then(|| view! { <NewMemoryLink agent=id.to_string() /> })}
                {(is_admin && in_use).then(|| view! { <a href=of("/agents/connect", id)>"Connect"</a> })}
            </nav>
        </header>
        {detail.blocked_at.map(|at| view! {
            <p class="mb-5 rounded-md border border-danger bg-danger-wash px-3 py-2 text-sm text-danger" data-testid="blocked">
                <span class="font-medium">"Blocked " <Time at /></span> ". Its keys are refused. Its memories stay."
            </p>
        })}
        <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div class="min-w-0 space-y-6">
                {secret}
                <Recalls id days=detail.days.clone() week=detail.week month=detail.month />
                {is_agent.then(|| view! { <Keys id keys=detail.keys.clone() who now=detail.now query=query.clone() in_use flash=of_key /> })}
                {bots}
                <Users id users=detail.users.clone() total=detail.users_total />
            </div>
            <div class="mt-6 space-y-6 lg:mt-0">
                {forms}
                <Memories detail=detail.clone() />
                <Settings detail />
            </div>
        </div>
    }
}

/// The recalls of the last 30 days, and those that found nothing.
#[component]
fn Recalls(id: AgentId, days: Vec<(chrono::NaiveDate, RecallCounts)>, week: RecallCounts, month: RecallCounts) -> impl IntoView {
    let row = move |days: u32, counts: RecallCounts| {
        let href = Query::default().with("agent", id).with("days", days).href("/recall");
        let share = rate(&counts);
        view! {
            <tr>
                <th scope="row" class="font-normal!"><a href=href>{format!("Last {days} days")}</a></th>
                <td class="number">{text::number(counts.recalls)}</td>
                <td class="number">{text::number(counts.zero_hits)}</td>
                <td class="number">{share}</td>
            </tr>
        }
    };
    let zone = Zone::expect();
    let bar = |(day, recalls)| HealthBar { from: day_start(day, zone.tz()), recalls, stored: 0 };
    let bars: Vec<HealthBar> = days.into_iter().map(bar).collect();
    let (query, label) = (Query::default().with("agent", id), spoken(&bars, BarUnit::Day, zone));
    view! {
        <Titled id="recalls" title="Recalls">
            <div class="card">
                <div class="px-3 pt-2"><Legend /></div>
                <div class="flex flex-row-reverse overflow-x-auto p-2" tabindex="0" role="region" aria-label="Chart of recalls by day">
                    <Columns columns=recall_columns(&bars) unit=BarUnit::Day query height=90.0 label />
                </div>
                <DataTable label="Recalls" class="data border-t border-line" rows=(row(7, week), row(30, month)) heads=columns([
                    ("Period", ""), ("Recalls", "number"), ("Found nothing", "number"), ("Share", "number"),
                ]) />
            </div>
        </Titled>
    }
}

/// The users with the most memories.
#[component]
fn Users(id: AgentId, users: Vec<(UserId, Option<String>, i64)>, total: i64) -> impl IntoView {
    let shown = i64::try_from(users.len()).unwrap_or(i64::MAX);
    let more =
        (total > shown).then(|| view! { <p class="px-4 py-2 text-sm text-soft">{format!("and {} more", text::number(total - shown))}</p> });
    let one = move |(user, name, memories): (UserId, Option<String>, i64)| {
        let href = Query::default().with("agent", id).with("user", user).href("/memories");
        view! {
            <li class="flex flex-wrap items-baseline justify-between gap-x-3 px-4 py-2 text-sm" data-testid="user">
                <span class="min-w-0"><Person id=user name /></span>
                <a class="text-soft" href=href>{text::count(memories, "memory", "memories")}</a>
            </li>
        }
    };
    view! {
        <Titled id="users" title="Users">
            {rows_or("No memories with a user yet. They appear here, grouped by user.", users.into_iter().map(one).collect())}
            {more}
        </Titled>
    }
}

/// The memories by status, each number a link to its list.
#[component]
fn Memories(detail: AgentDetail) -> impl IntoView {
    let agent = detail.summary;
    let list = of("/memories", agent.id);
    let status = |(status, memories): (MemoryStatus, i64)| {
        let href = Query::default().with("agent", agent.id).with("status", status).href("/memories");
        fact(status.as_str(), view! { <a href=href>{text::number(memories)}</a> })
    };
    view! {
        <section class="card" aria-labelledby="memories">
            <h2 class="border-b border-line px-4 py-2" id="memories">"Memories"</h2>
            <dl class="facts p-4" data-testid="memories">
                {fact("live", view! {
                    <a class="underline" href=list.clone()>{text::number(agent.live)}</a>
                    <span class="text-soft">{format!(" of at most {}", text::number(detail.policy.memories_max.into()))}</span>
                })}
                {detail.statuses.into_iter().map(status).collect_view()}
                {fact("deleted", view! { <a href=format!("{list}&deleted=true")>{text::number(agent.deleted)}</a> })}
                {fact("new this week", text::number(agent.added_7d))}
                {fact("profiles", text::number(detail.profiles))}
                {fact("connections", text::number(detail.connections))}
                {fact("last write", agent.last_write.map_or_else(|| "never".into_any(), |at| view! { <Time at /> }.into_any()))}
                {fact("last recall", agent.last_recall.map_or_else(|| "never".into_any(), |at| view! { <Time at /> }.into_any()))}
            </dl>
        </section>
    }
}

/// How the agent writes, and how its memories age.
#[component]
fn Settings(detail: AgentDetail) -> impl IntoView {
    let (id, policy) = (detail.summary.id, detail.policy);
    let (prompt, says) = match detail.discipline {
        Discipline::Aggressive => ("write", "writes without asking"),
        Discipline::Confirming => ("write_confirming", "asks before it writes"),
    };
    view! {
        <section class="card" aria-labelledby="settings">
            <h2 class="border-b border-line px-4 py-2" id="settings">"Settings"</h2>
            <dl class="facts p-4">
                {fact("Discipline", view! { {detail.discipline.as_str()} <span class="text-soft">{format!(": {says}, prompt ")}</span> <a class="underline" href="/prompts">{prompt}</a> })}
                {fact("User", if detail.require_user { "Every write must name a user" } else { "Optional" })}
                {fact("Routine", text::count(policy.retention_days.routine.into(), "day", "days"))}
                {fact("Decisions", text::count(policy.retention_days.decision.into(), "day", "days"))}
                {fact("Maximum episodes", text::number(policy.episodes_max.into()))}
                {fact("Maximum memories", text::number(policy.memories_max.into()))}
            </dl>
            <p class="px-4 pb-4 text-sm"><a href=of("/lifecycle/policy", id)>"Lifecycle policy"</a></p>
        </section>
    }
}
