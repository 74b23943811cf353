//! Forgetting a leaf: it is hidden at once, its working memory is thrown away, and the same value at the same place does not come back. An operator
//! can undo it.

use super::apply::{Drawn, apply, lock_profile};
use super::documents::index_leaves;
use super::model::{Citation, Diff, Leaf, LeafState, NewLeaf, Subject};
use super::store::{self, StoredVersion};
use db::Tx;
use foundation::audit::{self, NewEntry};
use foundation::idempotency::Once;
use foundation::identity::{self, acting_for};
use foundation::intake::{Admitted, Reason};
use foundation::{Checks, Engine, Error, OpContext};
use sqlx::types::Json;
use uuid::Uuid;
use verb::verb;
use wire::{ForgetLeafRequest, ForgetLeafResponse, KeyScope, LeafId, REASON_MAX};

/// Forgets one leaf of a user's profile: the agent's own, or one of the commons' profile if the policy shares it. Forgetting twice is no
/// error. Memories stay: forget them to forget what they say.
///
/// # Errors
/// `Forbidden` without `memory:forget`, and without `commons:write` for a leaf of the commons; `NotFound` for a leaf of another agent, user
/// or organisation.
#[verb]
pub async fn forget_leaf(engine: &Engine, ctx: &OpContext, request: ForgetLeafRequest) -> Result<ForgetLeafResponse, Error> {
    let agent_id = ctx.agent_id()?;
    ctx.require(KeyScope::MemoryForget)?;
    let request = Admitted::new(request)?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    Checks::default().optional_text("reason", request.reason.as_deref(), REASON_MAX).done()?;
    let once = Once::new(engine, ctx, "forget_profile_leaf", &request)?;
    let shares = identity::capture_policy(engine, ctx).await?.shared_profiles;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let mut subject = Subject { agent_id, user_id: ctx.user() };
    let mut found = find(&mut tx, ctx, subject, request.leaf_id).await?;
    if found.is_none() && shares {
        subject.agent_id = ctx.commons_id;
        found = find(&mut tx, ctx, subject, request.leaf_id).await?;
        if found.is_some() {
            ctx.require(KeyScope::CommonsWrite)?;
        }
    }
    let leaf = found.ok_or(Error::NotFound("leaf of the profile"))?;
    let already_forgotten = !forget(engine, ctx, &mut tx, (subject, leaf), request.reason.as_deref().map(Reason::new)).await?;
    let answer = ForgetLeafResponse { leaf_id: request.leaf_id, already_forgotten };
    once.commit(tx, &answer, &[]).await?;
    engine.relay().wake();
    Ok(answer)
}

/// Forgets one leaf of any profile of the organisation, for an operator. Forgetting twice is no error.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `Invalid` for an empty or too long reason; `NotFound`.
#[verb(role = Reviewer)]
pub async fn forget_leaf_of(engine: &Engine, ctx: &OpContext, subject: Subject, leaf: LeafId, reason: &str) -> Result<(), Error> {
    Checks::default().text("reason", reason, REASON_MAX).done()?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let leaf = find(&mut tx, ctx, subject, leaf).await?.ok_or(Error::NotFound("leaf of the profile"))?;
    forget(engine, ctx, &mut tx, (subject, leaf), Some(Reason::new(reason))).await?;
    tx.commit().await?;
    engine.relay().settle().await;
    Ok(())
}

/// Takes back that a leaf was forgotten. A leaf whose memory was forgotten stays hidden. Restoring twice is no error.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `NotFound`.
#[verb(role = Reviewer)]
pub async fn restore_leaf(engine: &Engine, ctx: &OpContext, subject: Subject, leaf: LeafId) -> Result<(), Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let mut leaf = find(&mut tx, ctx, subject, leaf).await?.ok_or(Error::NotFound("leaf of the profile"))?;
    if leaf.state == LeafState::Forgotten {
        leaf.state = if leaf.superseded_at.is_some() { LeafState::Superseded } else { LeafState::Shown };
        let diff = Diff { restored: vec![leaf.id], ..Diff::default() };
        change(engine, ctx, &mut tx, subject, &leaf, diff).await?;
        // It has no document if it was imported as a forgotten one.
        index_leaves(engine, ctx, &mut tx, subject).await?;
        let entry = NewEntry::new(engine, ctx, "profile.leaf_restored", "profile_leaf", LeafId(leaf.id), "restored");
        audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry.agent(subject.agent_id)).await?;
    }
    tx.commit().await?;
    engine.jobs().wake();
    engine.relay().settle().await;
    Ok(())
}

/// Replaces a leaf by what a correction says, and returns the id of the leaf that says it now. It may have been there before.
///
/// # Errors
/// `Conflict` if the leaf says the same, or if somebody forgot what the correction says.
pub(crate) async fn replace_leaf(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    (subject, old): (Subject, Uuid),
    (new_leaf, cite): (NewLeaf, Citation),
) -> Result<LeafId, Error> {
    let drawn = Drawn { new_leaves: vec![NewLeaf { cites: vec![cite], ..new_leaf }], ..Drawn::default() };
    apply(engine, ctx, tx, subject, drawn).await?;
    let leaves = store::leaves(tx, ctx.tenancy(), subject).await?;
    let says_it = |leaf: &&Leaf| leaf.id != old && leaf.is_visible() && leaf.source_ids.contains(&cite.source_id.0);
    let id = leaves.iter().find(says_it).map(|leaf| LeafId(leaf.id));
    let id = id.ok_or_else(|| Error::Conflict("the entry says the same, or somebody forgot this value: restore it instead".into()))?;
    // One sentence of a list need not contradict the other.
    if let Some(old) = leaves.into_iter().find(|leaf| leaf.id == old && leaf.state == LeafState::Shown) {
        let old = Leaf { state: LeafState::Superseded, superseded_at: Some(cite.at), ..old };
        change(engine, ctx, tx, subject, &old, Diff { superseded: vec![old.id], ..Diff::default() }).await?;
    }
    Ok(id)
}

/// Locks a profile and finds one of its leaves.
pub(crate) async fn find(tx: &mut Tx, ctx: &OpContext, subject: Subject, id: LeafId) -> Result<Option<Leaf>, Error> {
    lock_profile(tx, subject).await?;
    Ok(store::leaves(tx, ctx.tenancy(), subject).await?.into_iter().find(|leaf| leaf.id == id.0))
}

/// Forgets a leaf of a locked profile; false if it was forgotten before.
async fn forget(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    (subject, mut leaf): (Subject, Leaf),
    reason: Option<Reason>,
) -> Result<bool, Error> {
    if leaf.state == LeafState::Forgotten {
        return Ok(false);
    }
    leaf.state = LeafState::Forgotten;
    let diff = Diff { forgotten: vec![leaf.id], ..Diff::default() };
    change(engine, ctx, tx, subject, &leaf, diff).await?;
    let entry = NewEntry::new(engine, ctx, "profile.leaf_forgotten", "profile_leaf", LeafId(leaf.id), "forgotten");
    audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry.agent(subject.agent_id).reason(reason.as_ref())).await?;
    Ok(true)
}

/// Stores a leaf whose state changed, throws the working memory away and records the change.
async fn change(engine: &Engine, ctx: &OpContext, tx: &mut Tx, subject: Subject, leaf: &Leaf, diff: Diff) -> Result<(), Error> {
    let (tenancy, now) = (ctx.tenancy(), engine.clock().now());
    store::put_leaf(tx, tenancy, subject, leaf).await?;
    store::put_working_memory(tx, tenancy, subject, engine.clock().id(), None, now).await?;
    let version = store::next_version(tx, tenancy, subject).await?;
    let version = StoredVersion { version, diff: Json(diff), event_ids: Vec::new(), narrated: false, created_at: now };
    Ok(store::insert_version(tx, tenancy, subject, engine.clock().id(), &version).await?)
}
