//! The pages of agents: how much each agent remembers, when it last did, and everything about one of them.

use crate::memories::store::{self as memories, Counts};
use crate::recall::period::Span;
use crate::recall::store::Recalls;
use crate::{profile, recall};
use chrono::{Duration, NaiveDate};
use foundation::identity::{self, Agent, store};
use foundation::{Engine, Error, OpContext};
use std::collections::HashMap;
use verb::verb;
use wire::{ActivityDay, AgentDetail, AgentId, AgentName, AgentSummary, BarUnit, HealthFilter};

/// Days that the activity chart shows.
const ACTIVITY_DAYS: i64 = 28;
/// Days of recalls on an agent's page, and how many of them are a week.
const DAYS: u32 = 30;
const WEEK: usize = 7;
/// Keys and users on an agent's page.
const KEYS: i64 = 50;
const USERS: i64 = 10;

type Written = HashMap<(AgentId, NaiveDate), i64>;

/// Every agent of the tenant with its counts, the commons first.
#[verb(role = Viewer)]
pub async fn agents(engine: &Engine, ctx: &OpContext) -> Result<Vec<AgentSummary>, Error> {
    let now = engine.clock().now();
    let mut control = engine.db().control.begin(ctx.tenancy()).await?;
    let agents = store::agents(&mut control, ctx.tenant_id).await?;
    control.commit().await?;

    let first_day = now.date_naive() - Duration::days(ACTIVITY_DAYS - 1);
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let ids: Vec<AgentId> = agents.iter().map(|agent| agent.id).collect();
    let counts = memories::counts(&mut tx, ctx.tenant_id, &ids, now).await?;
    let written = memories::written_by_day(&mut tx, ctx.tenant_id, None, first_day).await?;
    tx.commit().await?;
    let mut counts: HashMap<_, _> = counts.into_iter().map(|counts| (counts.agent_id, counts)).collect();
    let written = written.into_iter().map(|(agent, day, written)| ((agent, day), written)).collect();
    let summary = |agent: Agent| {
        let counts = counts.remove(&agent.id);
        summary(agent, counts, first_day, &written)
    };
    Ok(agents.into_iter().map(summary).collect())
}

fn summary(agent: Agent, counts: Option<Counts>, first_day: NaiveDate, written: &Written) -> AgentSummary {
    let activity: Vec<_> = (0..ACTIVITY_DAYS)
        .map(|offset| {
            let day = first_day + Duration::days(offset);
            ActivityDay { day, written: written.get(&(agent.id, day)).copied().unwrap_or(0) }
        })
        .collect();
    AgentSummary {
        id: agent.id,
        kind: agent.kind,
        blocked: agent.blocked_at.is_some(),
        retired: agent.retired_at.is_some(),
        live: counts.as_ref().map_or(0, |counts| counts.live),
        deleted: counts.as_ref().map_or(0, |counts| counts.deleted),
        added_7d: activity.iter().rev().take(WEEK).map(|day| day.written).sum(),
        last_write: counts.as_ref().and_then(|counts| counts.last_write),
        last_recall: counts.as_ref().and_then(|counts| counts.last_recall),
        activity,
        slug: agent.slug,
        name: agent.name,
    }
}

/// Everything about one agent, or about the commons.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `NotFound` for another tenant's agent.
#[verb(role = Viewer, agent = %id)]
pub async fn agent(engine: &Engine, ctx: &OpContext, id: AgentId) -> Result<AgentDetail, Error> {
    let (tenant, now) = (ctx.tenant_id, engine.clock().now());
    let agent = identity::agent(engine, ctx, id).await?;
    let policy = identity::lifecycle(engine, ctx, Some(id)).await?;
    let mut control = engine.db().control.begin(ctx.tenancy()).await?;
    let keys = store::keys_of(&mut control, tenant, id, KEYS).await?;
    control.commit().await?;

    let first_day = now.date_naive() - Duration::days(ACTIVITY_DAYS - 1);
    let span = Span::last_days(now, DAYS, ctx.zone);
    let filter = HealthFilter { agent_id: Some(id), ..HealthFilter::default() };
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let counts = memories::counts(&mut tx, tenant, &[id], now).await?.pop();
    let written = memories::written_by_day(&mut tx, tenant, Some(id), first_day).await?;
    let statuses = memories::status_counts(&mut tx, tenant, id).await?;
    let users = memories::user_counts(&mut tx, tenant, id, USERS).await?;
    let (profiles, connections) = profile::store::counts(&mut tx, tenant, id).await?;
    let recalls = recall::store::by_bar(&mut tx, Recalls { tenant, span, filter: &filter }, BarUnit::Day).await?;
    tx.commit().await?;

    let ids: Vec<_> = users.iter().map(|(user, ..)| *user).collect();
    let names = identity::user_names(engine, ctx, &ids).await?;
    let days: Vec<_> = recalls.into_iter().map(|(from, counts)| (from.with_timezone(&ctx.zone).date_naive(), counts)).collect();
    let written = written.into_iter().map(|(agent, day, written)| ((agent, day), written)).collect();
    Ok(AgentDetail {
        now,
        require_user: agent.require_user,
        discipline: agent.discipline,
        blocked_at: agent.blocked_at,
        summary: summary(agent, counts, first_day, &written),
        keys,
        statuses,
        week: days.iter().rev().take(WEEK).map(|(_, counts)| *counts).sum(),
        month: days.iter().map(|(_, counts)| *counts).sum(),
        days,
        users_total: users.first().map_or(0, |(_, _, total)| *total),
        users: users.into_iter().map(|(user, memories, _)| (user, names.get(&user).cloned(), memories)).collect(),
        profiles,
        connections,
        policy,
    })
}

/// The names of every agent of the tenant, the commons first, then by slug.
#[verb(role = Viewer)]
pub async fn agent_names(engine: &Engine, ctx: &OpContext) -> Result<Vec<AgentName>, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let agents = store::agents(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    let name = |Agent { id, slug, name, retired_at, .. }| AgentName { id, slug, name, retired: retired_at.is_some() };
    Ok(agents.into_iter().map(name).collect())
}
