//! Numbers for the console, gathered from the three databases.

mod agents;
mod audit_log;
mod places;
mod review;

pub use agents::{agent, agent_names, agents};
pub use audit_log::{audit_log, export_audit_log};
pub use places::places;
pub use review::review_numbers;

use crate::recall::period::Span;
use crate::recall::store::Recalls;
use crate::{context, erasure, knowledge, memories, profile, recall, vocabulary};
use chrono::{DateTime, TimeDelta, Utc};
use db::{DbError, Planned, Tx};
use foundation::identity::{self, Agent};
use foundation::{Engine, Error, OpContext, audit, jobs, usage};
use verb::verb;
use wire::{
    AgentKind, Attention, BarUnit, ContextFilter, DocumentFilter, HealthFilter, NewMemory, Overview, PeopleFilter, TenantId, TermFilter,
};

/// Days whose recalls can need attention.
const WEEK: u32 = 7;
/// The newest memories that the page shows.
const NEWEST: i64 = 5;

/// What needs attention in a tenant's memory, what happened in the last 24 hours, and how much there is. Memories and recalls are not
/// counted as a whole.
///
/// # Errors
/// `Forbidden` without the role `viewer`; any error of the databases.
#[verb(role = Viewer)]
pub async fn overview(engine: &Engine, ctx: &OpContext) -> Result<Overview, Error> {
    let now = engine.clock().now();
    let mut overview = Overview::default();
    let agents = of_control(engine, ctx, &mut overview).await?;
    let kb_oldest = of_knowledge(engine, ctx, &mut overview).await?;
    let (agents, before) = (&agents, &overview);
    let read = |tx: Tx| of_memory(engine, ctx, agents, before.clone(), tx);
    let (mut overview, oldest) = ctx.read(&engine.db().memory, Planned::ByPostgres, read).await?;
    let oldest = oldest.into_iter().chain(kb_oldest).min();
    overview.attention.outbox_seconds = oldest.map_or(0, |oldest| (now - oldest).num_seconds().max(0));
    Ok(overview)
}

/// Agents, limits and erasures; the agents, with the commons.
async fn of_control(engine: &Engine, ctx: &OpContext, overview: &mut Overview) -> Result<Vec<Agent>, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let agents = identity::store::agents(&mut tx, ctx.tenant_id).await?;
    let now = engine.clock().now();
    overview.attention.exhausted_accounts = usage::exhausted(&mut tx, ctx.tenant_id, now).await?;
    let Attention { refused_agents, silent_agents, .. } = &mut overview.attention;
    (*refused_agents, *silent_agents) = identity::troubled(&mut tx, ctx.tenant_id, now).await?;
    overview.attention.erasures = erasure::waiting(engine, ctx, &mut tx).await?;
    tx.commit().await?;
    let count = |agents: &mut dyn Iterator<Item = &Agent>| i64::try_from(agents.count()).unwrap_or(i64::MAX);
    overview.attention.blocked_agents = count(&mut agents.iter().filter(|agent| agent.blocked_at.is_some()));
    overview.inventory.agents = count(&mut agents.iter().filter(|agent| agent.kind == AgentKind::Agent));
    Ok(agents)
}

/// Vocabulary and documents; when the oldest row that waits for delivery was written.
async fn of_knowledge(engine: &Engine, ctx: &OpContext, overview: &mut Overview) -> Result<Option<DateTime<Utc>>, DbError> {
    let tenant = ctx.tenant_id;
    let Overview { attention, inventory, .. } = overview;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    inventory.terms = vocabulary::store::count_terms(&mut tx, tenant, &TermFilter::default()).await?;
    inventory.documents = knowledge::store::count_documents(&mut tx, tenant, &DocumentFilter::default()).await?;
    attention.ingest_failures = knowledge::store::last_failures(&mut tx, tenant).await?;
    attention.knowledge_dead = dead(&mut tx, tenant).await?;
    let (outbox, oldest) = audit::store::lag_of(&mut tx, tenant).await?;
    attention.outbox += outbox;
    tx.commit().await?;
    Ok(oldest)
}

/// How many jobs of a database failed in every attempt.
async fn dead(tx: &mut Tx, tenant: TenantId) -> Result<i64, DbError> {
    let jobs = jobs::store::depth_of(tx, tenant).await?;
    Ok(jobs.iter().filter(|(state, _)| state == "dead").map(|(_, count)| count).sum())
}

/// Recalls, contexts and memories; when the oldest row that waits for delivery was written.
async fn of_memory(
    engine: &Engine,
    ctx: &OpContext,
    agents: &[Agent],
    mut overview: Overview,
    mut tx: Tx,
) -> Result<(Overview, Option<DateTime<Utc>>), Error> {
    let (tenant, now) = (ctx.tenant_id, engine.clock().now());
    let Overview { attention, last_day, inventory } = &mut overview;
    let span = Span::last_day(now, ctx.zone);
    let recalls = Recalls { tenant, span, filter: &HealthFilter::default() };
    let slug = |id| agents.iter().find(|agent| agent.id == id).map(|agent| agent.slug.clone()).unwrap_or_default();
    let week = Recalls { span: Span::last_days(now, WEEK, ctx.zone), ..recalls };
    attention.week = recall::store::by_bar(&mut tx, week, BarUnit::Day).await?.into_iter().map(|(_, counts)| counts).sum();
    last_day.bars = recall::by_bar(&mut tx, recalls, BarUnit::Hour).await?;
    let since = ContextFilter { from: Some(span.from), ..ContextFilter::default() };
    last_day.contexts = context::store::count_contexts(&mut tx, ctx.tenancy(), &since, None).await?;
    let newest = memories::store::newest(&mut tx, tenant, NEWEST).await?;
    last_day.newest = newest
        .into_iter()
        .map(|one| NewMemory { id: one.id, topic: one.topic, content: one.content, agent_slug: slug(one.agent_id), at: one.created_at })
        .collect();
    last_day.p95_ms = recall::store::slow(&mut tx, recalls, wire::LastDay::MEASURED).await?;
    let ids: Vec<_> = agents.iter().map(|agent| agent.id).collect();
    attention.late_vectors = memories::store::late_vectors(&mut tx, tenant, &ids, now - TimeDelta::minutes(1)).await?;
    inventory.memories = memories::store::in_reach(&mut tx, tenant, ctx.users, &ids, now).await?;
    inventory.profiles = profile::store::count_people(&mut tx, tenant, &PeopleFilter::default(), &[]).await?;
    attention.memory_dead = dead(&mut tx, tenant).await?;
    inventory.recanonicalising = jobs::store::unfiled(&mut tx, tenant).await?;
    let (outbox, oldest) = audit::store::lag_of(&mut tx, tenant).await?;
    attention.outbox += outbox;
    tx.commit().await?;
    Ok((overview, oldest))
}
