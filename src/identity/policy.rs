//! What a tenant lets become memory without a person.

use super::{finish, store};
use crate::api::{CapturePolicy, OperatorRole};
use crate::audit::NewEntry;
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::op::OpContext;
use async_recursion::async_recursion as boxed;
use tracing::instrument;

/// The policy of the caller's tenant, for background work.
///
/// # Errors
/// When the database is out of reach.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn capture_policy(engine: &Engine, ctx: &OpContext) -> Result<CapturePolicy, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let policy = store::capture_policy(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    Ok(policy.unwrap_or_default())
}

/// The policy, for an operator.
///
/// # Errors
/// `Forbidden` without the role `viewer`.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn policy(engine: &Engine, ctx: &OpContext) -> Result<CapturePolicy, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    capture_policy(engine, ctx).await
}

/// Sets the policy. It holds for everything that is extracted from then on.
///
/// # Errors
/// `Forbidden` without the role `admin`, `Invalid` for a confidence outside 0 to 1.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn set_policy(engine: &Engine, ctx: &OpContext, policy: CapturePolicy) -> Result<(), Error> {
    ctx.require_role(OperatorRole::Admin)?;
    let message = "is a number from 0 to 1";
    Checks::default().that((0.0..=1.0).contains(&policy.confidence_min), "confidence_min", message).done()?;
    let now = engine.clock().now();
    let mut tx = engine.db().control.begin_system().await?;
    store::set_capture_policy(&mut tx, ctx.tenant_id, &policy, ctx.actor.name(), now).await?;
    let changes = serde_json::to_value(policy).map_err(Error::failed("a policy cannot be serialised"))?;
    let entry = NewEntry::new(engine, ctx, "policy.changed", "tenant", ctx.tenant_id, "capture policy changed").changes(changes);
    finish(engine, tx, ctx, entry).await
}
