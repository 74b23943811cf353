//! The agents page: how much each agent remembers, and when it last did.

use crate::api::{ActivityDay, AgentName, AgentSummary, OperatorRole};
use crate::engine::Engine;
use crate::error::Error;
use crate::identity::{self, store};
use crate::memories::store as memories;
use crate::op::OpContext;
use async_recursion::async_recursion as boxed;
use chrono::Duration;
use std::collections::HashMap;
use tracing::instrument;

/// Days that the activity chart shows.
const ACTIVITY_DAYS: i64 = 28;

/// Every agent of the tenant with its counts, the commons first.
///
/// # Errors
/// `Forbidden` without the role `viewer`.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn agents(engine: &Engine, ctx: &OpContext) -> Result<Vec<AgentSummary>, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    let now = engine.clock().now();
    let mut control = engine.db().control.begin(ctx.tenancy()).await?;
    let agents = store::agents(&mut control, ctx.tenant_id).await?;
    control.commit().await?;

    let first_day = now.date_naive() - Duration::days(ACTIVITY_DAYS - 1);
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let mut counts: HashMap<_, _> =
        memories::counts(&mut tx, ctx.tenant_id, now).await?.into_iter().map(|counts| (counts.agent_id, counts)).collect();
    let written: HashMap<_, _> = memories::written_by_day(&mut tx, ctx.tenant_id, first_day)
        .await?
        .into_iter()
        .map(|(agent, day, written)| ((agent, day), written))
        .collect();
    tx.commit().await?;

    let summary = |agent: identity::Agent| {
        let counts = counts.remove(&agent.id);
        let activity = (0..ACTIVITY_DAYS).map(|offset| {
            let day = first_day + Duration::days(offset);
            ActivityDay { day, written: written.get(&(agent.id, day)).copied().unwrap_or(0) }
        });
        AgentSummary {
            id: agent.id,
            kind: agent.kind,
            live: counts.as_ref().map_or(0, |counts| counts.live),
            deleted: counts.as_ref().map_or(0, |counts| counts.deleted),
            added_7d: counts.as_ref().map_or(0, |counts| counts.added_7d),
            last_write: counts.as_ref().and_then(|counts| counts.last_write),
            last_recall: counts.as_ref().and_then(|counts| counts.last_recall),
            activity: activity.collect(),
            slug: agent.slug,
            name: agent.name,
        }
    };
    Ok(agents.into_iter().map(summary).collect())
}

/// The names of every agent of the tenant, the commons first, then by slug.
///
/// # Errors
/// `Forbidden` without the role `viewer`.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn agent_names(engine: &Engine, ctx: &OpContext) -> Result<Vec<AgentName>, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let agents = store::agents(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    Ok(agents.into_iter().map(|agent| AgentName { id: agent.id, slug: agent.slug, name: agent.name }).collect())
}
