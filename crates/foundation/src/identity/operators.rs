//! Operators: who they are, how they sign in, and their sessions.

use super::model::{Admin, Admission, OperatorRecord};
use super::staff::may_make;
use super::{keys, name_conflict, password, store, with_key};
use crate::audit::{self, NewEntry};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::intake::Admitted;
use crate::op::{Access, Actor, OpContext};
use async_recursion::async_recursion as boxed;
use chrono::{DateTime, Utc};
use db::{Tx, Users};
use verb::verb;
use wire::{OperatorId, OperatorProfile, OperatorRole, RequestId};

/// Shortest password an operator may have.
pub(super) const PASSWORD_MIN: usize = 12;

/// Refuses what opens a session with a password, where only an identity provider does that.
pub(super) fn check_passwords(engine: &Engine) -> Result<(), Error> {
    match engine.settings().passwords {
        true => Ok(()),
        false => Err(Error::Forbidden("this server takes no passwords: sign in with the identity provider of your organisation".into())),
    }
}

/// Refuses a password for an operator with an identity: a removal at the provider would not end it.
pub(super) fn check_issuer(login: &str, issuer: Option<&str>) -> Result<(), Error> {
    match issuer {
        Some(issuer) => Err(Error::Conflict(format!("{login} signs in with {issuer} and can have no password: detach the identity first"))),
        None => Ok(()),
    }
}

/// Makes an operator.
///
/// # Errors
/// `Forbidden` without the role `admin`, and for the role `admin` if a key asks; `Invalid` for an empty login or a password shorter than 12
/// characters; `Conflict` for a login that anybody has.
#[verb(role = Admin)]
pub async fn create_operator(
    engine: &Engine,
    ctx: &OpContext,
    login: &str,
    name: &str,
    password: &str,
    roles: &[OperatorRole],
) -> Result<OperatorId, Error> {
    let login = &*Admitted::id("login", login)?;
    let name = &*Admitted::text("name", name.to_owned())?;
    may_make(ctx, roles)?;
    Checks::default()
        .text("login", login, 200)
        .text("name", name, 200)
        .that(password.chars().count() >= PASSWORD_MIN, "password", format!("must have at least {PASSWORD_MIN} characters"))
        .that(!roles.is_empty(), "roles", "must hold at least one role")
        .done()?;
    let id = OperatorId(engine.clock().id());
    let password_hash = password::hash(password.to_owned()).await?;
    let new = store::NewOperator { id, login, name, password_hash: &password_hash, roles };
    let mut tx = engine.db().control.begin_system().await?;
    store::lock_operators(&mut tx, ctx.tenant_id).await?;
    store::insert_operator(&mut tx, ctx.tenant_id, &new, engine.clock().now())
        .await
        .map_err(|error| name_conflict(error, "login", login))?;
    let there = store::operators(&mut tx, ctx.tenant_id, Some(id)).await?.pop();
    let there = there.ok_or_else(|| Error::internal("an operator who was just added is not there"))?;
    let entry = NewEntry::new(engine, ctx, "operator.created", "operator", id, format!("operator {login} created"));
    let mut entries = vec![with_key(ctx, entry.changes(audit::differences(None, &there)?))];
    entries.extend(end_access(engine, &mut tx, ctx, id).await?);
    audit::append_in(engine, &mut tx, ctx.tenant_id, &entries).await?;
    tx.commit().await?;
    Ok(id)
}

/// An operator of the tenant by what is typed at sign-in.
///
/// # Errors
/// `Forbidden` without the role `admin`, `NotFound`.
#[verb(role = Admin)]
pub async fn operator_by_login(engine: &Engine, ctx: &OpContext, login: &str) -> Result<OperatorId, Error> {
    // Postgres cannot even be asked for a text with NUL.
    let record = match login.contains('\0') {
        true => None,
        false => store::operator_by_login(engine.db().control.system(), login).await?,
    };
    record.filter(|record| record.tenant_id == ctx.tenant_id).map(|record| record.id).ok_or(Error::NotFound("operator"))
}

/// Who may act as an admin of the organisation, by name: an erasure needs a second one, and others know whom to ask. Operators of any role
/// may see it.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn admins(engine: &Engine, ctx: &OpContext) -> Result<Vec<Admin>, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let admins = store::admins(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    Ok(admins)
}

/// Gives an operator a new password (the command line's way back in). Ends the sessions, and the access of clients that the operator let in.
///
/// # Errors
/// `NotFound`; `Invalid` for a short password; `Conflict` for an operator who signs in with an identity provider.
#[boxed]
pub async fn reset_password(engine: &Engine, login: &str, password: &str) -> Result<(), Error> {
    Checks::default()
        .that(password.chars().count() >= PASSWORD_MIN, "password", format!("must have at least {PASSWORD_MIN} characters"))
        .done()?;
    let operator = store::operator_by_login(engine.db().control.system(), login).await?.ok_or(Error::NotFound("operator"))?;
    check_issuer(login, operator.issuer.as_deref())?;
    let password_hash = password::hash(password.to_owned()).await?;
    let ctx = OpContext::system(operator.tenant_id, operator.commons_id, RequestId(engine.clock().id()));
    let entry = NewEntry::new(engine, &ctx, "operator.password_reset", "operator", operator.id, format!("password of {login} reset"));
    let mut tx = engine.db().control.begin_system().await?;
    store::set_password(&mut tx, operator.id, &password_hash).await?;
    let ended = end_access(engine, &mut tx, &ctx, operator.id).await?;
    audit::append_in(engine, &mut tx, ctx.tenant_id, &[vec![entry], ended].concat()).await?;
    Ok(tx.commit().await?)
}

/// Changes the caller's own password. It ends the sessions, and what is returned opens a new one; and it ends the access of clients that the
/// caller let in, and links that the caller made.
///
/// # Errors
/// `Forbidden` for a caller that is no operator or has no password, and where passwords are switched off; `Invalid` for a wrong current
/// password, and for a new one shorter than 12 characters;
/// `Unauthenticated` if the password or the roles changed meanwhile.
#[verb]
pub async fn change_password(engine: &Engine, ctx: &OpContext, current: &str, new: &str) -> Result<Admission, Error> {
    let Actor::Operator { id, .. } = ctx.actor else {
        return Err(Error::Forbidden("only an operator has a password".into()));
    };
    check_passwords(engine)?;
    let message = format!("must have at least {PASSWORD_MIN} characters");
    Checks::default().that(new.chars().count() >= PASSWORD_MIN, "new", message).done()?;
    let operator = in_office(engine, id).await?;
    if operator.password_hash.is_none() {
        return Err(Error::Forbidden("this account has no password: it signs in with the identity provider".into()));
    }
    if !password::verify(current.to_owned(), operator.password_hash).await? {
        return Err(Error::invalid("current", "is not your password"));
    }
    let password_hash = password::hash(new.to_owned()).await?;
    let mut tx = engine.db().control.begin_system().await?;
    store::lock_operators(&mut tx, ctx.tenant_id).await?;
    // Only the password that was checked may be replaced: somebody may have reset it, or ended the access, in the meantime.
    if !store::lock_operator(&mut tx, ctx.tenant_id, id, operator.access_epoch).await? {
        return Err(Error::Unauthenticated("sign in again"));
    }
    store::set_password(&mut tx, id, &password_hash).await?;
    let mut entries = vec![NewEntry::new(engine, ctx, "operator.password_changed", "operator", id, "own password changed")];
    entries.extend(end_access(engine, &mut tx, ctx, id).await?);
    audit::append_in(engine, &mut tx, ctx.tenant_id, &entries).await?;
    tx.commit().await?;
    Ok(Admission { operator: id, epoch: operator.access_epoch + 1, at: engine.clock().now() })
}

/// Ends what hangs on the access that an operator had: the access of clients that the operator let in, and one-time links that the operator
/// made, or could use. An entry for each, to be committed with the change.
pub(super) async fn end_access(engine: &Engine, tx: &mut Tx, ctx: &OpContext, id: OperatorId) -> Result<Vec<NewEntry>, Error> {
    let mut entries = vec![];
    for (key, agent) in store::revoke_granted(tx, ctx.tenant_id, id, engine.clock().now()).await? {
        let of_key = NewEntry::new(engine, ctx, "key.revoked", "key", key, "access revoked: the rights of its operator changed");
        entries.push(of_key.agent(agent));
    }
    for (invitation, login) in store::withdraw_invitations(tx, ctx.tenant_id, id).await? {
        let message = format!("link for {login} withdrawn: the rights of an operator changed");
        entries.push(NewEntry::new(engine, ctx, "operator.invitation_withdrawn", "invitation", invitation, message));
    }
    Ok(entries)
}

/// Checks a login and a password, and returns what a session must hold. An unknown login takes as long as a wrong password.
///
/// # Errors
/// `Forbidden` where passwords are switched off; otherwise `Unauthenticated`, with the same message in every case; a known operator's failure
/// is written to the audit log after the answer.
#[boxed]
pub async fn sign_in(engine: &Engine, login: &str, password: &str, request_id: RequestId) -> Result<Admission, Error> {
    const REFUSED: Error = Error::Unauthenticated("login or password is wrong");
    check_passwords(engine)?;
    // Postgres cannot even be asked for a text with NUL; nobody has that login.
    let operator = match login.contains('\0') {
        true => None,
        false => store::operator_by_login(engine.db().control.system(), login).await?,
    };
    let hash = operator.as_ref().and_then(|operator| operator.password_hash.clone());
    let right = password::verify(password.to_owned(), hash).await?;
    let Some(operator) = operator else { return Err(REFUSED) };
    let admitted = right && operator.disabled_at.is_none();
    let ctx = operator_context(&operator, request_id);
    let (action, message) = if admitted { ("operator.signed_in", "signed in") } else { ("operator.sign_in_failed", "sign-in failed") };
    let entry = NewEntry::new(engine, &ctx, action, "operator", operator.id, message);
    if admitted {
        audit::append(engine, operator.tenant_id, entry).await?;
        return Ok(Admission { operator: operator.id, epoch: operator.access_epoch, at: engine.clock().now() });
    }
    // Written later: the time that the entry takes would tell known logins from unknown ones.
    let writer = engine.clone();
    engine.defer(async move {
        if let Err(error) = audit::append(&writer, operator.tenant_id, entry).await {
            tracing::error!(%error, operator = %operator.id, "a failed sign-in is missing from the audit log");
        }
    });
    Err(REFUSED)
}

/// The context and profile of an operator, with the roles of this moment.
///
/// # Errors
/// `Unauthenticated` when the operator is gone or disabled.
#[boxed]
pub async fn operator(engine: &Engine, id: OperatorId, request_id: RequestId) -> Result<(OpContext, OperatorProfile), Error> {
    let record = in_office(engine, id).await?;
    Ok((operator_context(&record, request_id), profile(&record)))
}

/// The context and profile of the operator of a session.
///
/// # Errors
/// `Unauthenticated` when the operator is gone or disabled, has another password or other roles since, or signed in too long ago.
#[boxed]
pub async fn resume(engine: &Engine, admission: &Admission, request_id: RequestId) -> Result<(OpContext, OperatorProfile), Error> {
    let record = in_office(engine, admission.operator).await?;
    let age = (engine.clock().now() - admission.at).to_std().unwrap_or_default();
    if record.access_epoch != admission.epoch || age >= engine.settings().session_age {
        return Err(Error::Unauthenticated("sign in again"));
    }
    Ok((operator_context(&record, request_id), profile(&record)))
}

async fn in_office(engine: &Engine, id: OperatorId) -> Result<OperatorRecord, Error> {
    let record = store::operator(engine.db().control.system(), id).await?;
    record.filter(|record| record.disabled_at.is_none()).ok_or(Error::Unauthenticated("sign in first"))
}

/// Notes that an operator signed out.
#[verb]
pub async fn sign_out(engine: &Engine, ctx: &OpContext) -> Result<(), Error> {
    let entry = NewEntry::new(engine, ctx, "operator.signed_out", "operator", ctx.actor.id(), "signed out");
    Ok(audit::append(engine, ctx.tenant_id, entry).await?)
}

/// A session's data and end, if it exists and is not over. The table holds only the hash of the id: whoever reads it can take over no
/// session.
#[boxed]
pub async fn session_load(engine: &Engine, id: &str) -> Result<Option<(serde_json::Value, DateTime<Utc>)>, Error> {
    Ok(store::session(engine.db().control.system(), &keys::hash(id), engine.clock().now()).await?)
}

/// Starts a session; false when the id is taken.
#[boxed]
pub async fn session_create(engine: &Engine, id: &str, data: &serde_json::Value, expires: DateTime<Utc>) -> Result<bool, Error> {
    Ok(store::insert_session(engine.db().control.system(), &keys::hash(id), data, expires).await?)
}

/// Writes a session that exists; one that was deleted meanwhile stays deleted.
#[boxed]
pub async fn session_save(engine: &Engine, id: &str, data: &serde_json::Value, expires: DateTime<Utc>) -> Result<bool, Error> {
    Ok(store::save_session(engine.db().control.system(), &keys::hash(id), data, expires).await?)
}

#[boxed]
pub async fn session_delete(engine: &Engine, id: &str) -> Result<(), Error> {
    Ok(store::delete_session(engine.db().control.system(), &keys::hash(id), engine.clock().now()).await?)
}

pub(super) fn operator_context(record: &OperatorRecord, request_id: RequestId) -> OpContext {
    OpContext {
        tenant_id: record.tenant_id,
        commons_id: record.commons_id,
        actor: Actor::Operator { id: record.id, name: record.name.clone(), epoch: record.access_epoch },
        access: Access::Roles(record.roles.clone()),
        users: Users::Every,
        idempotency: None,
        only_reads: false,
        may_lag: false,
        session: None,
        request_id,
        zone: chrono_tz::Tz::UTC,
    }
}

fn profile(record: &OperatorRecord) -> OperatorProfile {
    OperatorProfile {
        id: record.id,
        tenant_id: record.tenant_id,
        tenant_name: record.tenant_name.clone(),
        login: record.login.clone(),
        name: record.name.clone(),
        roles: record.roles.clone(),
        has_password: record.password_hash.is_some(),
    }
}
