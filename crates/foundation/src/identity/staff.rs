//! Operators as admins manage them: their names, roles, sessions and access. An organisation that has an admin keeps one.

use super::operators::end_access;
use super::{settle, store};
use crate::audit::{self, NewEntry};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::idempotency::Once;
use crate::intake::Admitted;
use crate::op::OpContext;
use db::Tx;
use verb::verb;
use wire::{AdminOperator, OperatorId, OperatorRole, OperatorSettings};

/// Longest name of an operator, in characters.
pub(super) const NAME_MAX: usize = 200;

/// Every operator of the organisation by login, those without access included.
///
/// # Errors
/// `Forbidden` without the role `admin`.
#[verb(role = Admin)]
pub async fn list_operators(engine: &Engine, ctx: &OpContext) -> Result<Vec<AdminOperator>, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let operators = store::operators(&mut tx, ctx.tenant_id, None).await?;
    tx.commit().await?;
    Ok(operators)
}

/// Changes the name and the roles of an operator; what `settings` leaves out stays. Other roles end the sessions, whose pages show what the
/// old roles allowed, and the access of clients that the operator let in with the old roles. If nothing differs, nothing changes.
///
/// # Errors
/// `Forbidden` without the role `admin`, and for a key that makes or changes an admin; `Invalid` for the name or without a role; `NotFound`
/// for a foreign or disabled operator; `Conflict` if the organisation would be left without an admin.
#[verb(role = Admin)]
pub async fn change_operator(engine: &Engine, ctx: &OpContext, id: OperatorId, settings: OperatorSettings) -> Result<AdminOperator, Error> {
    let request = Admitted::new(id)?.with(Admitted::new(settings)?);
    check(&request.1)?;
    let once = Once::new(engine, ctx, "admin.change_operator", &request)?;
    let (_, OperatorSettings { name, roles }) = request.into_inner();
    let mut tx = engine.db().control.begin_system().await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let before = to_change(&mut tx, ctx, id).await?;
    let after = AdminOperator {
        name: name.unwrap_or_else(|| before.name.clone()),
        roles: roles.map(in_order).filter(|roles| *roles != in_order(before.roles.clone())).unwrap_or_else(|| before.roles.clone()),
        ..before.clone()
    };
    may_make(ctx, &after.roles)?;
    let mut entries = vec![];
    if after != before {
        let other_roles = after.roles != before.roles;
        store::update_operator(&mut tx, ctx.tenant_id, &after, other_roles).await?;
        let names: Vec<&str> = after.roles.iter().map(|role| role.as_str()).collect();
        let (action, message) = match other_roles {
            true => ("operator.roles_set", format!("roles set to {}", names.join(", "))),
            false => ("operator.changed", "name changed".into()),
        };
        let entry = NewEntry::new(engine, ctx, action, "operator", id, message);
        entries.push(entry.changes(audit::differences(Some(&before), &after)?));
        if other_roles {
            entries.extend(end_access(engine, &mut tx, ctx, id).await?);
            keep_an_admin(&mut tx, ctx, &before).await?;
        }
    }
    settle(engine, ctx, tx, &once, &entries, &after).await?;
    Ok(after)
}

/// Replaces an operator's roles, as [`change_operator`].
///
/// # Errors
/// As [`change_operator`].
#[verb(role = Admin)]
pub async fn set_roles(engine: &Engine, ctx: &OpContext, id: OperatorId, roles: &[OperatorRole]) -> Result<(), Error> {
    change_operator(engine, ctx, id, OperatorSettings { name: None, roles: Some(roles.to_vec()) }).await.map(drop)
}

/// Ends an operator's sessions at once, and the access of clients that the operator let in: whoever took one over is out. The operator can
/// sign in again.
///
/// # Errors
/// `Forbidden` without the role `admin`, and for a key that asks about an admin; `NotFound` for a foreign or disabled operator.
#[verb(role = Admin)]
pub async fn end_sessions(engine: &Engine, ctx: &OpContext, id: OperatorId) -> Result<(), Error> {
    let once = Once::new(engine, ctx, "admin.end_sessions", &Admitted::new(id)?)?;
    let mut tx = engine.db().control.begin_system().await?;
    if once.claim::<bool>(&mut tx).await?.is_some() {
        return Ok(());
    }
    let operator = to_change(&mut tx, ctx, id).await?;
    store::update_operator(&mut tx, ctx.tenant_id, &operator, true).await?;
    let message = format!("sessions of {} ended", operator.login);
    let mut entries = vec![NewEntry::new(engine, ctx, "operator.sessions_ended", "operator", id, message)];
    entries.extend(end_access(engine, &mut tx, ctx, id).await?);
    settle(engine, ctx, tx, &once, &entries, &true).await
}

/// Ends an operator's access at once: sessions, what clients may do that the operator let in, and links that the operator made or could
/// use. [`restore_operator`] gives access again; an invitation under the same login is refused.
///
/// # Errors
/// `Forbidden` without the role `admin`, and for a key that asks about an admin; `NotFound` for a foreign or already disabled one;
/// `Conflict` if the organisation would be left without an admin.
#[verb(role = Admin)]
pub async fn disable_operator(engine: &Engine, ctx: &OpContext, id: OperatorId) -> Result<(), Error> {
    let once = Once::new(engine, ctx, "admin.disable_operator", &Admitted::new(id)?)?;
    let mut tx = engine.db().control.begin_system().await?;
    if once.claim::<bool>(&mut tx).await?.is_some() {
        return Ok(());
    }
    let before = to_change(&mut tx, ctx, id).await?;
    store::disable_operator(&mut tx, ctx.tenant_id, id, engine.clock().now()).await?;
    keep_an_admin(&mut tx, ctx, &before).await?;
    let mut entries = vec![NewEntry::new(engine, ctx, "operator.disabled", "operator", id, "operator disabled")];
    entries.extend(end_access(engine, &mut tx, ctx, id).await?);
    settle(engine, ctx, tx, &once, &entries, &true).await
}

/// Gives an operator who was disabled access again, with the roles and the password from before.
///
/// # Errors
/// `Forbidden` without the role `admin`, and for a key that asks about an admin; `NotFound` for a foreign operator and for one with access.
#[verb(role = Admin)]
pub async fn restore_operator(engine: &Engine, ctx: &OpContext, id: OperatorId) -> Result<(), Error> {
    let once = Once::new(engine, ctx, "admin.restore_operator", &Admitted::new(id)?)?;
    let mut tx = engine.db().control.begin_system().await?;
    if once.claim::<bool>(&mut tx).await?.is_some() {
        return Ok(());
    }
    store::lock_operators(&mut tx, ctx.tenant_id).await?;
    let operator = store::operators(&mut tx, ctx.tenant_id, Some(id)).await?.pop().filter(|operator| operator.disabled_at.is_some());
    may_make(ctx, &operator.ok_or(Error::NotFound("disabled operator"))?.roles)?;
    store::enable_operator(&mut tx, ctx.tenant_id, id).await?;
    let mut entries = vec![NewEntry::new(engine, ctx, "operator.restored", "operator", id, "operator has access again")];
    entries.extend(end_access(engine, &mut tx, ctx, id).await?);
    settle(engine, ctx, tx, &once, &entries, &true).await
}

/// An operator with access whom the caller may change. Changes of operators wait for one another from here on.
pub(super) async fn to_change(tx: &mut Tx, ctx: &OpContext, id: OperatorId) -> Result<AdminOperator, Error> {
    store::lock_operators(tx, ctx.tenant_id).await?;
    let operator = store::operators(tx, ctx.tenant_id, Some(id)).await?.pop().filter(|operator| operator.disabled_at.is_none());
    let operator = operator.ok_or(Error::NotFound("operator"))?;
    may_make(ctx, &operator.roles)?;
    Ok(operator)
}

/// Keeps keys away from admins: a stolen key must be worthless once it is revoked, so it makes and changes no admin.
pub(super) fn may_make(ctx: &OpContext, roles: &[OperatorRole]) -> Result<(), Error> {
    match ctx.is_key() && roles.contains(&OperatorRole::Admin) {
        true => Err(Error::Forbidden("a key cannot make or change an admin: an operator with the role admin can".into())),
        false => Ok(()),
    }
}

/// Refuses what took the last admin from an organisation.
async fn keep_an_admin(tx: &mut Tx, ctx: &OpContext, before: &AdminOperator) -> Result<(), Error> {
    let was_admin = before.roles.contains(&OperatorRole::Admin);
    if was_admin && store::admins(tx, ctx.tenant_id).await?.is_empty() {
        let message = format!("{} is the last admin: give somebody else the role admin first", before.login);
        return Err(Error::Conflict(message));
    }
    Ok(())
}

fn check(settings: &OperatorSettings) -> Result<(), Error> {
    Checks::default()
        .optional_text("name", settings.name.as_deref(), NAME_MAX)
        .that(settings.roles.as_ref().is_none_or(|roles| !roles.is_empty()), "roles", "must hold at least one role")
        .done()
}

/// Roles in the order of their declaration, each once.
pub(super) fn in_order(roles: Vec<OperatorRole>) -> Vec<OperatorRole> {
    OperatorRole::ALL.iter().copied().filter(|role| roles.contains(role)).collect()
}
