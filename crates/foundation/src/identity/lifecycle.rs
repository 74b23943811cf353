//! How the memories of a tenant and of its agents age.

use super::{finish, store};
use crate::audit::{self, NewEntry};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::op::OpContext;
use tracing::instrument;
use uuid::Uuid;
use verb::verb;
use wire::{AgentId, HistoryDays, LifecyclePolicy, RetentionDays};

/// Longest retention, in days: a century.
const DAYS_MAX: u32 = 36_500;
/// Most episodes and memories that a policy may allow an agent.
const LIMIT_MAX: u32 = 100_000_000;
/// Stands for the tenant, whose policy holds for agents without one.
const EVERY: AgentId = AgentId(Uuid::nil());

/// The policy for the memories of an agent: its own, or that of its tenant, or the defaults. It may be some seconds old.
pub async fn lifecycle_policy(engine: &Engine, ctx: &OpContext, agent: AgentId) -> Result<LifecyclePolicy, Error> {
    if let Some(policy) = engine.lifecycle_policies().get(&(ctx.tenant_id, agent)).await {
        return Ok(policy);
    }
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let policy = store::lifecycle_policy(&mut tx, ctx.tenant_id, agent).await?.unwrap_or_default();
    tx.commit().await?;
    engine.lifecycle_policies().insert((ctx.tenant_id, agent), policy).await;
    Ok(policy)
}

/// The days after which versions and moments end: as long as the log, if it is kept longer; `None` if it has no end.
pub fn days_with_log(engine: &Engine, days: u32) -> Option<u32> {
    engine.settings().retrieval_log_days.map(|log| days.max(log.get()))
}

/// For how many days back the memories of an agent and the commons can be asked about; `None` without a limit.
#[instrument(level = "debug", skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor, %agent))]
pub async fn history_days(engine: &Engine, ctx: &OpContext, agent: AgentId) -> Result<Option<u32>, Error> {
    let own = lifecycle_policy(engine, ctx, agent).await?;
    let shared = lifecycle_policy(engine, ctx, ctx.commons_id).await?;
    let days = [own, shared].into_iter().map(|policy| policy.history_days.versions.min(policy.history_days.moments));
    Ok(days_with_log(engine, days.min().unwrap_or(DAYS_MAX)))
}

/// The policy of one agent, or without an agent that of the tenant, for an operator.
#[verb(role = Viewer)]
pub async fn lifecycle(engine: &Engine, ctx: &OpContext, agent: Option<AgentId>) -> Result<LifecyclePolicy, Error> {
    lifecycle_policy(engine, ctx, agent.unwrap_or(EVERY)).await
}

/// Sets the policy of one agent, or without an agent that of the tenant. It holds for what is written or swept from then on; memories keep
/// the expiry that they have.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid` with every field that is wrong; `NotFound` for another tenant's agent.
#[verb(role = Admin)]
pub async fn set_lifecycle(engine: &Engine, ctx: &OpContext, agent: Option<AgentId>, policy: LifecyclePolicy) -> Result<(), Error> {
    check(&policy)?;
    let now = engine.clock().now();
    let mut tx = engine.db().control.begin_system().await?;
    if let Some(agent) = agent {
        let agents = store::agents(&mut tx, ctx.tenant_id).await?;
        agents.iter().find(|one| one.id == agent).ok_or(Error::NotFound("agent"))?;
    }
    let whose = agent.unwrap_or(EVERY);
    store::lock_policies(&mut tx, ctx.tenant_id).await?;
    let before = store::lifecycle_policy(&mut tx, ctx.tenant_id, whose).await?.unwrap_or_default();
    store::set_lifecycle_policy(&mut tx, ctx.tenant_id, whose, &policy, ctx.actor.name(), now).await?;
    let (kind, target) = agent.map_or(("tenant", ctx.tenant_id.0), |agent| ("agent", agent.0));
    let entry = NewEntry::new(engine, ctx, "lifecycle.changed", kind, target, "lifecycle policy changed");
    finish(engine, tx, ctx, entry.changes(audit::differences(Some(&before), &policy)?)).await?;
    engine.lifecycle_policies().invalidate_all();
    Ok(())
}

fn check(policy: &LifecyclePolicy) -> Result<(), Error> {
    let mut checks = Checks::default();
    let RetentionDays { routine, task, decision, error } = policy.retention_days;
    for (name, days) in [("routine", routine), ("task", task), ("decision", decision), ("error", error)] {
        let field = format!("retention_days.{name}");
        checks.that((1..=DAYS_MAX).contains(&days), &field, format!("is {days}; it may be 1 to {DAYS_MAX} days"));
    }
    let HistoryDays { versions, moments, events, quarantine } = policy.history_days;
    for (name, days) in [("versions", versions), ("moments", moments), ("events", events), ("quarantine", quarantine)] {
        let field = format!("history_days.{name}");
        checks.that((1..=DAYS_MAX).contains(&days), &field, format!("is {days}; it may be 1 to {DAYS_MAX} days"));
    }
    let weights = &policy.importance;
    let named = [
        ("base", weights.base),
        ("decision", weights.decision),
        ("action", weights.action),
        ("amount", weights.amount),
        ("approval", weights.approval),
        ("small_talk", weights.small_talk),
    ];
    for (name, weight) in named {
        checks.that((-1.0..=1.0).contains(&weight), &format!("importance.{name}"), "must be a number from -1 to 1");
    }
    let (archived, cleaned_up) = (policy.archived_below, policy.cleaned_up_below);
    checks
        .that((0.0..=1.0).contains(&archived), "archived_below", "must be a number from 0 to 1")
        .that((0.0..=1.0).contains(&cleaned_up), "cleaned_up_below", "must be a number from 0 to 1")
        .that(cleaned_up >= archived, "cleaned_up_below", "must not be less than archived_below")
        .that((1..=LIMIT_MAX).contains(&policy.episodes_max), "episodes_max", format!("must be from 1 to {LIMIT_MAX}"))
        .that((1..=LIMIT_MAX).contains(&policy.memories_max), "memories_max", format!("must be from 1 to {LIMIT_MAX}"))
        .that(policy.memories_max >= policy.episodes_max, "memories_max", "must not be less than episodes_max")
        .done()
}

#[cfg(test)]
mod tests {
    use super::check;
    use wire::{HistoryDays, ImportanceWeights, LifecyclePolicy, RetentionDays};

    #[test]
    fn wrong_policies_name_the_field() {
        let policy = LifecyclePolicy::default();
        assert!(check(&policy).is_ok());
        let wrong = [
            (LifecyclePolicy { retention_days: RetentionDays { task: 0, ..policy.retention_days }, ..policy }, "retention_days.task"),
            (LifecyclePolicy { history_days: HistoryDays { moments: 36_501, ..policy.history_days }, ..policy }, "history_days.moments"),
            (LifecyclePolicy { importance: ImportanceWeights { base: f32::NAN, ..policy.importance }, ..policy }, "importance.base"),
            (LifecyclePolicy { archived_below: f32::INFINITY, ..policy }, "archived_below"),
            (LifecyclePolicy { archived_below: -0.1, ..policy }, "archived_below"),
            (LifecyclePolicy { cleaned_up_below: 0.05, ..policy }, "cleaned_up_below"),
            (LifecyclePolicy { episodes_max: 0, ..policy }, "episodes_max"),
            (LifecyclePolicy { memories_max: 5, ..policy }, "memories_max"),
        ];
        for (policy, field) in wrong {
            let error = check(&policy).unwrap_err();
            assert!(error.fields().iter().any(|wrong| wrong.field == field), "{field}: {error:?}");
        }
    }
}
