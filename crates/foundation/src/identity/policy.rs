//! The policies of a tenant: what becomes memory without a person, and how `search_my_memories` ranks.

use super::{finish, store};
use crate::audit::{self, NewEntry};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::intake::Admitted;
use crate::op::OpContext;
use serde_json::json;
use verb::verb;
use wire::{AgentId, CATEGORY_MAX, CapturePolicy, MATTER_DAYS_MAX, Matter, SearchPolicy};

/// The policy of the caller's tenant, for background work.
#[verb]
pub async fn capture_policy(engine: &Engine, ctx: &OpContext) -> Result<CapturePolicy, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let policy = store::capture_policy(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    Ok(policy.unwrap_or_default())
}

/// The policy, for an operator.
#[verb(role = Viewer)]
pub async fn policy(engine: &Engine, ctx: &OpContext) -> Result<CapturePolicy, Error> {
    capture_policy(engine, ctx).await
}

/// Sets the policy. It holds for everything that is extracted from then on. Of two callers at once the later one's policy holds, and each
/// has an entry in the audit log with what was before; so it is with every setting here.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid` for a confidence outside 0 to 1, or a number of days that is too large.
#[verb(role = Admin)]
pub async fn set_policy(engine: &Engine, ctx: &OpContext, policy: CapturePolicy) -> Result<(), Error> {
    let mut checks = Checks::default();
    checks.that((0.0..=1.0).contains(&policy.confidence_min), "confidence_min", "must be a number from 0 to 1");
    for matter in Matter::ALL {
        let fits = policy.sensitive.days(*matter).is_none_or(|days| (0..=MATTER_DAYS_MAX).contains(&days));
        checks.that(fits, matter.as_str(), format!("must be a number of days from 0 to {MATTER_DAYS_MAX}"));
    }
    checks.done()?;
    let now = engine.clock().now();
    let mut tx = engine.db().control.begin_system().await?;
    store::lock_policies(&mut tx, ctx.tenant_id).await?;
    let before = store::capture_policy(&mut tx, ctx.tenant_id).await?.unwrap_or_default();
    store::set_capture_policy(&mut tx, ctx.tenant_id, &policy, ctx.actor.name(), now).await?;
    let entry = changed(engine, ctx, &before, &policy)?;
    finish(engine, tx, ctx, entry).await
}

/// The entry of a policy that was changed.
pub(super) fn changed(engine: &Engine, ctx: &OpContext, before: &CapturePolicy, after: &CapturePolicy) -> Result<NewEntry, Error> {
    let entry = NewEntry::new(engine, ctx, "policy.changed", "tenant", ctx.tenant_id, "capture policy changed");
    Ok(entry.changes(audit::differences(Some(before), after)?))
}

/// Most categories of knowledge that an agent may have.
pub(super) const CATEGORIES_MAX: usize = 50;

/// What a search over all sources follows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchSettings {
    pub policy: SearchPolicy,
    /// The documents that are relevant to the agent, by kind or collection; all of them if empty.
    pub knowledge_categories: Vec<String>,
}

/// The settings of the caller's tenant and agent, for a search.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn search_settings(engine: &Engine, ctx: &OpContext) -> Result<SearchSettings, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let policy = store::search_policy(&mut tx, ctx.tenant_id).await?.unwrap_or_default();
    let knowledge_categories = store::knowledge_categories(&mut tx, ctx.tenant_id, ctx.agent_id()?).await?;
    tx.commit().await?;
    Ok(SearchSettings { policy, knowledge_categories })
}

/// How `search_my_memories` ranks, for an operator.
#[verb(role = Viewer)]
pub async fn search_policy(engine: &Engine, ctx: &OpContext) -> Result<SearchPolicy, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let policy = store::search_policy(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    Ok(policy.unwrap_or_default())
}

/// Sets how `search_my_memories` ranks, from the next search on.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid` for a weight or a threshold outside 0 to 1, or if all weights are 0.
#[verb(role = Admin)]
pub async fn set_search_policy(engine: &Engine, ctx: &OpContext, policy: SearchPolicy) -> Result<(), Error> {
    check_search_policy(&policy)?;
    let mut tx = engine.db().control.begin_system().await?;
    store::lock_policies(&mut tx, ctx.tenant_id).await?;
    let before = store::search_policy(&mut tx, ctx.tenant_id).await?.unwrap_or_default();
    store::set_search_policy(&mut tx, ctx.tenant_id, &policy, ctx.actor.name(), engine.clock().now()).await?;
    let entry = NewEntry::new(engine, ctx, "policy.changed", "tenant", ctx.tenant_id, "search policy changed");
    finish(engine, tx, ctx, entry.changes(audit::differences(Some(&before), &policy)?)).await
}

/// Refuses weights or a threshold outside 0 to 1, and weights that are all 0.
///
/// # Errors
/// `Invalid`, naming the field.
pub fn check_search_policy(policy: &SearchPolicy) -> Result<(), Error> {
    let (weights, message) = (policy.weights, "must be a number from 0 to 1");
    let all = [weights.similarity, weights.recency, weights.importance, weights.source_priority];
    let names = ["similarity", "recency", "importance", "source_priority"];
    let mut checks = Checks::default();
    for (name, weight) in names.into_iter().zip(all) {
        checks.that((0.0..=1.0).contains(&weight), &format!("weights.{name}"), message);
    }
    checks
        .that(all.iter().any(|weight| *weight != 0.0), "weights", "must not all be 0")
        .that(policy.similarity_min.is_none_or(|least| (0.0..=1.0).contains(&least)), "similarity_min", message)
        .done()
}

/// The documents that are relevant to an agent, by kind or collection, for an operator; none means all. Nothing without an agent.
#[verb(role = Viewer)]
pub async fn knowledge_categories(engine: &Engine, ctx: &OpContext, agent: Option<AgentId>) -> Result<Vec<String>, Error> {
    let Some(agent) = agent else { return Ok(vec![]) };
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let categories = store::knowledge_categories(&mut tx, ctx.tenant_id, agent).await?;
    tx.commit().await?;
    Ok(categories)
}

/// Whether the context log keeps the texts of an agent's contexts.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn keeps_context_texts(engine: &Engine, ctx: &OpContext, agent: AgentId) -> Result<bool, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let keeps = store::keeps_context_texts(&mut tx, ctx.tenant_id, agent).await?;
    tx.commit().await?;
    Ok(keeps)
}

/// Sets whether the context log keeps the texts of an agent's contexts, from the next one on.
///
/// # Errors
/// `Forbidden` without the role `admin`, `NotFound` for a foreign agent.
#[verb(role = Admin)]
pub async fn set_keeps_context_texts(engine: &Engine, ctx: &OpContext, agent: AgentId, keeps: bool) -> Result<(), Error> {
    let mut tx = engine.db().control.begin_system().await?;
    store::lock_policies(&mut tx, ctx.tenant_id).await?;
    let before = store::keeps_context_texts(&mut tx, ctx.tenant_id, agent).await?;
    if !store::set_keeps_context_texts(&mut tx, ctx.tenant_id, agent, keeps).await? {
        return Err(Error::NotFound("agent"));
    }
    let message = if keeps { "texts of contexts are kept" } else { "texts of contexts are not kept" };
    let (before, after) = (json!({ "keeps_context_texts": before }), json!({ "keeps_context_texts": keeps }));
    let entry = NewEntry::new(engine, ctx, "agent.context_texts_set", "agent", agent, message);
    finish(engine, tx, ctx, entry.agent(agent).changes(audit::differences(Some(&before), &after)?)).await
}

/// Sets the documents that are relevant to an agent, by kind or collection; none means all.
///
/// # Errors
/// `Forbidden` without the role `admin`, `NotFound` for a foreign agent, `Invalid` for a category that is empty or too long, or too many.
#[verb(role = Admin)]
pub async fn set_knowledge_categories(engine: &Engine, ctx: &OpContext, agent: AgentId, categories: &[String]) -> Result<(), Error> {
    let categories = &*Admitted::new(categories.to_vec())?;
    let message = format!("has {} entries; at most {CATEGORIES_MAX} are allowed", categories.len());
    let mut checks = Checks::default();
    checks.that(categories.len() <= CATEGORIES_MAX, "categories", message);
    for category in categories {
        checks.text("categories", category, CATEGORY_MAX);
    }
    checks.done()?;
    let mut tx = engine.db().control.begin_system().await?;
    store::lock_policies(&mut tx, ctx.tenant_id).await?;
    let before = store::knowledge_categories(&mut tx, ctx.tenant_id, agent).await?;
    if !store::set_knowledge_categories(&mut tx, ctx.tenant_id, agent, categories).await? {
        return Err(Error::NotFound("agent"));
    }
    let message = if categories.is_empty() {
        "all knowledge is relevant".to_owned()
    } else {
        format!("relevant knowledge: {}", categories.join(", "))
    };
    let (before, after) = (json!({ "knowledge_categories": before }), json!({ "knowledge_categories": categories }));
    let entry = NewEntry::new(engine, ctx, "agent.knowledge_set", "agent", agent, message);
    finish(engine, tx, ctx, entry.agent(agent).changes(audit::differences(Some(&before), &after)?)).await
}
