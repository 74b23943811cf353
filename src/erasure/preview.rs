//! What an erasure would remove.

use super::{mentions, rows, store};
use foundation::{Checks, Engine, Error, OpContext, identity};
use verb::verb;
use wire::{ERASURE_NAME_MAX, ERASURE_NAMES_MAX, ErasurePreview, UserId, UserRef, erasure_name_min};

/// The rows of a person by table, and rows of others that mention the person by one of the names, or by id or reference. It changes
/// nothing.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid` for a name that is too short or too long, or too many; `NotFound` for an unknown
/// reference.
#[verb(role = Admin)]
pub async fn preview(engine: &Engine, ctx: &OpContext, user: &UserRef, names: &[String]) -> Result<ErasurePreview, Error> {
    let mut checks = Checks::default();
    check_names(&mut checks, names);
    checks.done()?;
    let user = identity::known_user(engine, ctx, user).await?.ok_or(Error::NotFound("user"))?;
    of_user(engine, ctx, user, names).await
}

/// What names may be.
pub(super) fn check_names(checks: &mut Checks, names: &[String]) {
    checks.that(names.len() <= ERASURE_NAMES_MAX, "names", format!("has {} entries; at most {ERASURE_NAMES_MAX} are allowed", names.len()));
    for name in names {
        let least = erasure_name_min(name);
        let long = name.trim().chars().count() >= least;
        checks.text("names", name, ERASURE_NAME_MAX).that(long, "names", format!("must have at least {least} characters each"));
    }
}

/// The preview for a known user.
pub(super) async fn of_user(engine: &Engine, ctx: &OpContext, user: UserId, names: &[String]) -> Result<ErasurePreview, Error> {
    let mut tables = rows::counts(engine, ctx, user).await?;
    tables.retain(|table| table.rows > 0);
    let known = known(engine, ctx, user).await?;
    let (mentions, more) = mentions::search(engine, ctx, user, &mentions::searched(names, user, &known), None).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let hold = store::hold_of(&mut tx, ctx.tenant_id, &[user]).await?;
    tx.commit().await?;
    Ok(ErasurePreview { user_id: user, external_ref: known.external_ref, name: known.name, hold, tables, mentions, more })
}

/// What the organisation calls a user.
pub(super) async fn known(engine: &Engine, ctx: &OpContext, user: UserId) -> Result<store::Known, Error> {
    let mut tx = engine.db().control.begin_erasure(ctx.tenant_id).await?;
    let known = store::known(&mut tx, ctx.tenant_id, user).await?;
    tx.commit().await?;
    Ok(known)
}
