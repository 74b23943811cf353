//! Forgetting a leaf: it is hidden at once, its narrative is thrown away, and the same value at the same place does not come back.

use super::apply::lock_profile;
use super::model::{Diff, LeafState, Subject};
use super::store::{self, StoredVersion};
use crate::api::{ForgetLeafRequest, ForgetLeafResponse, REASON_MAX, Scope};
use crate::audit::{self, NewEntry};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::idempotency::Once;
use crate::identity::acting_for;
use crate::op::OpContext;
use async_recursion::async_recursion as boxed;
use sqlx::types::Json;
use tracing::instrument;

/// Forgets one leaf of a user's profile. Forgetting twice is no error. Memories stay: forget them to forget what they say.
///
/// # Errors
/// `Forbidden` without `memory:forget`; `NotFound` for a leaf of another agent, user or organisation.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn forget_leaf(engine: &Engine, ctx: &OpContext, request: ForgetLeafRequest) -> Result<ForgetLeafResponse, Error> {
    let agent_id = ctx.agent_id()?;
    ctx.require(Scope::MemoryForget)?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    Checks::default().optional_text("reason", request.reason.as_deref(), REASON_MAX).done()?;
    let once = Once::new(engine, ctx, "forget_profile_leaf", &request)?;
    let (subject, tenancy, now) = (Subject { agent_id, user_id: ctx.user() }, ctx.tenancy(), engine.clock().now());
    let mut tx = engine.db().memory.begin(tenancy).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    lock_profile(&mut tx, subject).await?;
    let found = store::leaves(&mut tx, tenancy, subject).await?.into_iter().find(|leaf| leaf.id == request.leaf_id.0);
    let mut leaf = found.ok_or(Error::NotFound("leaf of the profile"))?;
    let already_forgotten = leaf.state == LeafState::Forgotten;
    if !already_forgotten {
        leaf.state = LeafState::Forgotten;
        store::put_leaf(&mut tx, tenancy, subject, &leaf).await?;
        store::put_narrative(&mut tx, tenancy, subject, (engine.clock().id(), None), now).await?;
        let version = store::next_version(&mut tx, tenancy, subject).await?;
        let diff = Json(Diff { forgotten: vec![leaf.id], ..Diff::default() });
        let version = StoredVersion { version, diff, event_ids: Vec::new(), narrated: false, created_at: now };
        store::insert_version(&mut tx, tenancy, subject, engine.clock().id(), &version).await?;
        let entry = NewEntry::new(engine, ctx, "profile.leaf_forgotten", "profile_leaf", request.leaf_id, "forgotten")
            .agent(agent_id)
            .reason(request.reason.as_deref());
        audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    }
    let answer = ForgetLeafResponse { leaf_id: request.leaf_id, already_forgotten };
    once.commit(tx, &answer, &[]).await?;
    engine.relay().wake();
    Ok(answer)
}
