//! What a sweep would archive now, and what the next seven days bring. It changes nothing.

use super::store::{self, Aging};
use super::sweep::agents;
use crate::api::{AgentAging, ExpiringDay, Forecast, OperatorRole};
use crate::engine::Engine;
use crate::error::Error;
use crate::identity;
use crate::memories;
use crate::op::OpContext;
use async_recursion::async_recursion as boxed;
use std::collections::BTreeMap;
use tracing::instrument;

/// Most sweeps that are listed.
const RUNS: i64 = 20;

/// The forecast for every agent of the tenant, for an operator.
///
/// # Errors
/// `Forbidden` without the role `viewer`.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn forecast(engine: &Engine, ctx: &OpContext) -> Result<Forecast, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    let (now, slugs) = (engine.clock().now(), memories::slugs(engine, ctx).await?);
    let (mut all, mut days) = (Vec::new(), BTreeMap::new());
    for agent in agents(engine, ctx).await? {
        let policy = identity::lifecycle_policy(engine, ctx, agent).await?;
        let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
        let Aging { live, fading, pinned, expired, expiring, faded, soon_faded, archived } =
            store::aging(&mut tx, ctx.tenancy(), agent, f64::from(policy.archived_below), now).await?;
        for ExpiringDay { day, retention, memories } in store::expiring(&mut tx, ctx.tenancy(), agent, now).await? {
            *days.entry((day, retention)).or_insert(0) += memories;
        }
        tx.commit().await?;
        all.push(AgentAging {
            agent_id: agent,
            agent_slug: slugs.get(&agent).cloned().unwrap_or_else(|| "commons".into()),
            live,
            memories_max: i64::from(policy.memories_max),
            episodes: fading,
            episodes_max: i64::from(policy.episodes_max),
            pinned,
            expired,
            expiring,
            faded,
            fading_soon: soon_faded,
            archived,
        });
    }
    all.sort_by(|one, other| one.agent_slug.cmp(&other.agent_slug));
    let days = days.into_iter().map(|((day, retention), memories)| ExpiringDay { day, retention, memories }).collect();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let sweeps = store::sweep_runs(&mut tx, ctx.tenant_id, RUNS).await?;
    tx.commit().await?;
    Ok(Forecast { now, agents: all, days, policy: identity::lifecycle(engine, ctx, None).await?, sweeps })
}
