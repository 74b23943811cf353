//! What a sweep would archive now, and what the next seven days bring. It changes nothing.

use super::store::{self, Aging};
use super::sweep::agents;
use crate::memories;
use foundation::{Engine, Error, OpContext, identity};
use std::collections::HashMap;
use verb::verb;
use wire::{AgentAging, AgentId, Forecast, LifecyclePolicy};

/// Most sweeps that are listed.
const RUNS: i64 = 20;

/// The forecast for every agent of the tenant, for an operator.
#[verb(role = Viewer)]
pub async fn forecast(engine: &Engine, ctx: &OpContext) -> Result<Forecast, Error> {
    let (now, slugs) = (engine.clock().now(), memories::slugs(engine, ctx).await?);
    let mut policies = Vec::new();
    for agent in agents(engine, ctx).await? {
        policies.push((agent, identity::lifecycle_policy(engine, ctx, agent).await?));
    }
    let ids: Vec<AgentId> = policies.iter().map(|(agent, _)| *agent).collect();
    let floors: Vec<_> = policies.iter().map(|(agent, policy)| (*agent, f64::from(policy.archived_below))).collect();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let aging = store::aging(&mut tx, ctx.tenancy(), &floors, now).await?;
    let mut days = store::expiring(&mut tx, ctx.tenancy(), &ids, now).await?;
    let sweeps = store::sweep_runs(&mut tx, ctx.tenant_id, RUNS).await?;
    tx.commit().await?;
    days.sort_by_key(|one| (one.day, one.retention));
    let aging: HashMap<AgentId, Aging> = aging.into_iter().map(|one| (one.agent_id, one)).collect();
    let mut all: Vec<AgentAging> = policies.iter().map(|(agent, policy)| row(*agent, policy, aging.get(agent), &slugs)).collect();
    all.sort_by(|one, other| one.agent_slug.cmp(&other.agent_slug));
    Ok(Forecast { now, agents: all, days, policy: identity::lifecycle(engine, ctx, None).await?, sweeps })
}

fn row(agent: AgentId, policy: &LifecyclePolicy, aging: Option<&Aging>, slugs: &HashMap<AgentId, String>) -> AgentAging {
    let count = |of: fn(&Aging) -> i64| aging.map_or(0, of);
    AgentAging {
        agent_id: agent,
        agent_slug: slugs.get(&agent).cloned().unwrap_or_else(|| "commons".into()),
        live: count(|aging| aging.live),
        memories_max: i64::from(policy.memories_max),
        episodes: count(|aging| aging.fading),
        episodes_max: i64::from(policy.episodes_max),
        pinned: count(|aging| aging.pinned),
        expired: count(|aging| aging.expired),
        expiring: count(|aging| aging.expiring),
        faded: count(|aging| aging.faded),
        fading_soon: count(|aging| aging.soon_faded),
        archived: count(|aging| aging.archived),
    }
}
