//! Legal holds: while one is open, nothing of a user is erased, archived or swept.

use super::store;
use foundation::audit::{self, NewEntry};
use foundation::intake::Reason;
use foundation::{Checks, Engine, Error, OpContext, identity};
use verb::verb;
use wire::{LegalHold, REASON_MAX, UserId, UserRef};

/// Puts a user under a legal hold. An erasure that runs stops before its next step.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid` without a reason; `NotFound` for an unknown reference; `Conflict` if there is a hold.
#[verb(role = Admin)]
pub async fn hold(engine: &Engine, ctx: &OpContext, user: &UserRef, reason: &str) -> Result<UserId, Error> {
    Checks::default().text("reason", reason, REASON_MAX).done()?;
    let reason = &Reason::new(reason);
    let user = identity::known_user(engine, ctx, user).await?.ok_or(Error::NotFound("user"))?;
    let (why, set_by) = (reason.as_str().into(), ctx.actor.name().into());
    let hold = LegalHold { user_id: user, user_name: None, reason: why, set_by, set_at: engine.clock().now() };
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if !store::insert_hold(&mut tx, ctx.tenant_id, ctx.commons_id, engine.clock().id(), &hold).await? {
        return Err(Error::Conflict("this user is already under a legal hold".into()));
    }
    let entry = NewEntry::new(engine, ctx, "hold.set", "user", user, "legal hold set").reason(Some(reason));
    audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    tx.commit().await?;
    engine.relay().settle().await;
    Ok(user)
}

/// Lifts the legal hold of a user. An erasure that was confirmed goes on.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid` without a reason; `NotFound` if there is no hold.
#[verb(role = Admin)]
pub async fn lift_hold(engine: &Engine, ctx: &OpContext, user: &UserRef, reason: &str) -> Result<(), Error> {
    Checks::default().text("reason", reason, REASON_MAX).done()?;
    let reason = &Reason::new(reason);
    let user = identity::known_user(engine, ctx, user).await?.ok_or(Error::NotFound("user"))?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if !store::lift_hold(&mut tx, ctx.tenant_id, user, ctx.actor.name(), reason.as_str(), engine.clock().now()).await? {
        return Err(Error::NotFound("legal hold"));
    }
    let entry = NewEntry::new(engine, ctx, "hold.lifted", "user", user, "legal hold lifted").reason(Some(reason));
    audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    tx.commit().await?;
    super::resume(engine, ctx).await?;
    engine.relay().settle().await;
    Ok(())
}

/// The open legal holds, newest first.
#[verb(role = Admin)]
pub async fn holds(engine: &Engine, ctx: &OpContext) -> Result<Vec<LegalHold>, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let mut holds = store::holds(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    let users: Vec<UserId> = holds.iter().map(|hold| hold.user_id).collect();
    let called = identity::user_names(engine, ctx, &users).await?;
    for hold in &mut holds {
        hold.user_name = called.get(&hold.user_id).cloned();
    }
    Ok(holds)
}
