//! Numbers for the console, gathered from the three databases.

mod agents;
mod audit_log;
mod places;

pub use agents::{agent, agent_names, agents};
pub use audit_log::{audit_log, export_audit_log};
pub use places::places;

use crate::api::{AgentKind, DocumentFilter, HealthFilter, OperatorRole, Overview, ProposalFilter, Silence, TermFilter};
use crate::engine::Engine;
use crate::error::Error;
use crate::op::OpContext;
use crate::recall::store::Grouped;
use crate::{audit, jobs, knowledge, recall, vocabulary};
use async_recursion::async_recursion as boxed;
use chrono::{NaiveDate, NaiveTime};
use std::collections::BTreeMap;
use tracing::instrument;

/// Days of the small chart, and how many of them the tile sums up.
const DAYS: u32 = 14;
const WEEK: usize = 7;

/// How the memory of a tenant is doing.
///
/// # Errors
/// `Forbidden` without the role `viewer`; any error of the databases.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn overview(engine: &Engine, ctx: &OpContext) -> Result<Overview, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    let (tenant, now) = (ctx.tenant_id, engine.clock().now());
    let agents = agents(engine, ctx).await?;
    let mut kb = engine.db().kb.begin(ctx.tenancy()).await?;
    let terms = vocabulary::store::count_terms(&mut kb, tenant, &TermFilter::default()).await?;
    let proposals = vocabulary::store::count_proposals(&mut kb, tenant, &ProposalFilter::default()).await?;
    let documents = knowledge::store::count_documents(&mut kb, tenant, &DocumentFilter::default()).await?;
    let ingest_failures = knowledge::store::last_failures(&mut kb, tenant).await?;
    let (kb_outbox, kb_oldest) = audit::store::lag_of(&mut kb, tenant).await?;
    let kb_jobs = jobs::store::depth_of(&mut kb, tenant).await?;
    kb.commit().await?;

    let (first, today) = recall::last_days(now, DAYS);
    let mut memory = engine.db().memory.begin(ctx.tenancy()).await?;
    let since = first.and_time(NaiveTime::MIN).and_utc();
    let recalls = recall::store::grouped(&mut memory, tenant, since, &HealthFilter::default()).await?;
    let recanonicalising = jobs::store::unfiled(&mut memory, tenant).await?;
    let (outbox, oldest) = audit::store::lag_of(&mut memory, tenant).await?;
    memory.commit().await?;

    let days = by_day(first, today, &recalls);
    let silence = agents::sum(days.iter().rev().take(WEEK));
    let oldest = oldest.into_iter().chain(kb_oldest).min();
    Ok(Overview {
        agents: i64::try_from(agents.iter().filter(|agent| agent.kind == AgentKind::Agent).count()).unwrap_or(i64::MAX),
        memories: agents.iter().map(|agent| agent.live).sum(),
        added: agents.iter().map(|agent| agent.added_7d).sum(),
        terms,
        proposals,
        recanonicalising,
        documents,
        ingest_failures,
        silence,
        days,
        outbox: outbox + kb_outbox,
        outbox_seconds: oldest.map_or(0, |oldest| (now - oldest).num_seconds().max(0)),
        knowledge_dead: kb_jobs.iter().filter(|(state, _)| state == "dead").map(|(_, count)| count).sum(),
    })
}

fn by_day(first: NaiveDate, today: NaiveDate, recalls: &[Grouped]) -> Vec<(NaiveDate, Silence)> {
    let mut days: BTreeMap<NaiveDate, Silence> =
        first.iter_days().take_while(|day| *day <= today).map(|day| (day, Silence::default())).collect();
    for row in recalls {
        recall::add(days.entry(row.day).or_default(), &row.counted);
    }
    days.into_iter().collect()
}
