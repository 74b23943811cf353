//! One-time links: a person becomes an operator with one, or chooses a new password. Only the hash of the token in a link is stored.

use super::model::Admission;
use super::operators::{PASSWORD_MIN, check_issuer, check_passwords, end_access};
use super::staff::{NAME_MAX, in_order, may_make, to_change};
use super::store::Invited;
use super::{keys, password, settle, store};
use crate::audit::{self, NewEntry};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::idempotency::Once;
use crate::intake::Admitted;
use crate::op::{Actor, OpContext};
use async_recursion::async_recursion as boxed;
use chrono::TimeDelta;
use db::{DbError, Tx};
use verb::verb;
use wire::{
    INVITATION_HOURS_MAX, INVITATION_PAGE, Invitation, InvitationId, InvitationKind, MadeInvitation, NewInvitation, OperatorId, RequestId,
};

/// Longest login, in characters.
const LOGIN_MAX: usize = 200;
/// How a token begins. A secret follows.
const TOKEN: &str = "rmi_";
/// One answer for every link that is not valid: who guesses learns nothing.
const NOT_VALID: Error = Error::Unauthenticated(
    "this link is not valid: it was used, withdrawn or replaced, or it has expired; ask an administrator for a new one",
);

/// Invites a person to become an operator: the link of the answer is shown only once. It replaces an earlier one for the same login.
///
/// # Errors
/// `Forbidden` without the role `admin`, for the role `admin` if a key asks, also where it would replace the link of an admin, and where
/// passwords are switched off; `Invalid` for the login, the name or the hours, or without a role; `Conflict` for a login that an operator
/// has, in any organisation, also one who was disabled; `Unauthenticated` if the password or the roles of the operator who asks changed
/// meanwhile.
#[verb(role = Admin)]
pub async fn invite(engine: &Engine, ctx: &OpContext, new: NewInvitation) -> Result<MadeInvitation, Error> {
    check_passwords(engine)?;
    let login = Admitted::id("login", &new.login)?;
    let new = login.with(Admitted::new(new)?);
    let NewInvitation { login, name, roles, hours } = &new.1;
    may_make(ctx, roles)?;
    check_hours(Checks::default().text("login", login, LOGIN_MAX).text("name", name, NAME_MAX), *hours)
        .that(!roles.is_empty(), "roles", "must hold at least one role")
        .done()?;
    let once = Once::new(engine, ctx, "admin.invite", &new)?;
    let (_, NewInvitation { login, name, roles, hours }) = new.into_inner();
    let mut tx = engine.db().control.begin_system().await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    store::lock_operators(&mut tx, ctx.tenant_id).await?;
    match store::operator_by_login(engine.db().control.system(), &login).await? {
        None => {}
        // With an invitation, a key could bring an admin back, whom it may not restore.
        Some(holder) if holder.tenant_id == ctx.tenant_id && holder.disabled_at.is_some() => {
            return Err(Error::Conflict(format!("the login {login} belongs to a disabled operator: restore the operator instead")));
        }
        Some(_) => return Err(login_conflict(&login)),
    }
    let open = store::invitations(&mut tx, ctx.tenant_id, engine.clock().now()).await?;
    if let Some(replaced) = open.iter().find(|link| link.kind == InvitationKind::Invite && link.login == login) {
        may_make(ctx, &replaced.roles)?;
    }
    let invitation = draft(engine, ctx, InvitationKind::Invite, (login, name, in_order(roles)), hours);
    let entry = NewEntry::new(engine, ctx, "operator.invited", "invitation", invitation.id, format!("{} invited", invitation.login));
    let entry = entry.changes(audit::differences(None, &invitation)?);
    hand_out(engine, ctx, tx, &once, entry, (invitation, None)).await
}

/// Makes a link with which an operator chooses a new password; it is shown only once, and replaces an earlier one. The old password and the
/// sessions hold until then: [`super::end_sessions`] ends the latter at once.
///
/// # Errors
/// `Forbidden` without the role `admin`, for a key, which would sign in as somebody else, and where passwords are switched off; `Invalid`
/// for the hours; `NotFound` for a foreign or disabled operator; `Conflict` for one who signs in with an identity provider.
#[verb(role = Admin)]
pub async fn offer_password(engine: &Engine, ctx: &OpContext, id: OperatorId, hours: u32) -> Result<MadeInvitation, Error> {
    check_passwords(engine)?;
    if ctx.is_key() {
        return Err(Error::Forbidden("a key cannot make a link for a new password: an operator with the role admin can".into()));
    }
    check_hours(&mut Checks::default(), hours).done()?;
    let once = Once::new(engine, ctx, "admin.offer_password", &Admitted::new((id, hours))?)?;
    let mut tx = engine.db().control.begin_system().await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let operator = to_change(&mut tx, ctx, id).await?;
    check_issuer(&operator.login, operator.issuer.as_deref())?;
    let message = format!("link for a new password of {} made", operator.login);
    let invitation = draft(engine, ctx, InvitationKind::Reset, (operator.login, operator.name, vec![]), hours);
    let entry = NewEntry::new(engine, ctx, "operator.password_offered", "operator", id, message);
    hand_out(engine, ctx, tx, &once, entry, (invitation, Some(id))).await
}

/// The links that nobody has used yet, the newest first.
///
/// # Errors
/// `Forbidden` without the role `admin`.
#[verb(role = Admin)]
pub async fn list_invitations(engine: &Engine, ctx: &OpContext) -> Result<Vec<Invitation>, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let invitations = store::invitations(&mut tx, ctx.tenant_id, engine.clock().now()).await?;
    tx.commit().await?;
    Ok(invitations)
}

/// Withdraws a link that nobody has used yet.
///
/// # Errors
/// `Forbidden` without the role `admin`, and for the link of an admin if a key asks; `NotFound` for a foreign one, and for one that was used
/// or withdrawn.
#[verb(role = Admin)]
pub async fn withdraw_invitation(engine: &Engine, ctx: &OpContext, id: InvitationId) -> Result<(), Error> {
    let once = Once::new(engine, ctx, "admin.withdraw_invitation", &Admitted::new(id)?)?;
    let mut tx = engine.db().control.begin_system().await?;
    if once.claim::<bool>(&mut tx).await?.is_some() {
        return Ok(());
    }
    let open = store::invitations(&mut tx, ctx.tenant_id, engine.clock().now()).await?;
    if let Some(link) = open.iter().find(|link| link.id == id) {
        may_withdraw(&mut tx, ctx, link).await?;
    }
    let login = store::delete_invitation(&mut tx, ctx.tenant_id, id).await?.ok_or(Error::NotFound("invitation"))?;
    let message = format!("link for {login} withdrawn");
    let entry = NewEntry::new(engine, ctx, "operator.invitation_withdrawn", "invitation", id, message);
    settle(engine, ctx, tx, &once, &[entry], &true).await
}

/// What a link is for, before it is used.
///
/// # Errors
/// `Unauthenticated` for a link that is not valid.
#[boxed]
#[tracing::instrument(skip_all)]
pub async fn invitation(engine: &Engine, token: &str) -> Result<Invitation, Error> {
    let invited = store::invitation_by_token(engine.db().control.system(), &keys::hash(token), engine.clock().now()).await?;
    invited.map(|invited| invited.invitation).ok_or(NOT_VALID)
}

/// Uses a link: the person has this password from now on, and what is returned opens a session. A link can be used once, also by two at the
/// same time. A new password ends the sessions that the operator had.
///
/// # Errors
/// `Forbidden` where passwords are switched off; `Invalid` for a password shorter than 12 characters, which leaves the link valid;
/// `Unauthenticated` for a link that is not valid; `Conflict` if somebody got the login meanwhile.
#[boxed]
#[tracing::instrument(skip_all)]
pub async fn accept_invitation(engine: &Engine, token: &str, password: &str, request_id: RequestId) -> Result<Admission, Error> {
    check_passwords(engine)?;
    let message = format!("must have at least {PASSWORD_MIN} characters");
    Checks::default().that(password.chars().count() >= PASSWORD_MIN, "password", message).done()?;
    // A hash takes a processor for a while: nobody gets one for a link that they made up.
    let hash = keys::hash(token);
    let seen = store::invitation_by_token(engine.db().control.system(), &hash, engine.clock().now()).await?.ok_or(NOT_VALID)?;
    let password_hash = password::hash(password.to_owned()).await?;
    let now = engine.clock().now();
    let mut tx = engine.db().control.begin_system().await?;
    // Before the row of the link, as everybody who withdraws links: nobody waits for the other in a circle.
    store::lock_operators(&mut tx, seen.tenant_id).await?;
    let invited = store::take_invitation(&mut tx, &hash, now).await?.ok_or(NOT_VALID)?;
    let (tenant, login) = (invited.tenant_id, invited.invitation.login.clone());
    let ctx = OpContext::system(tenant, invited.commons_id, request_id);
    let entries = match invited.operator_id {
        Some(id) => set_password(engine, &mut tx, &ctx, id, &password_hash).await?,
        None => join(engine, &mut tx, &ctx, invited, &password_hash).await?,
    };
    audit::append_in(engine, &mut tx, tenant, &entries).await?;
    tx.commit().await?;
    let operator = store::operator_by_login(engine.db().control.system(), &login).await?.ok_or(NOT_VALID)?;
    Ok(Admission { operator: operator.id, epoch: operator.access_epoch, at: now })
}

/// Gives an invited person access.
async fn join(engine: &Engine, tx: &mut Tx, ctx: &OpContext, invited: Invited, password_hash: &str) -> Result<Vec<NewEntry>, Error> {
    let Invitation { login, name, roles, created_by, .. } = &invited.invitation;
    let id = OperatorId(engine.clock().id());
    let new = store::NewOperator { id, login, name, password_hash, roles };
    store::insert_operator(tx, ctx.tenant_id, &new, engine.clock().now()).await.map_err(|error| match error {
        DbError::Unique { .. } => login_conflict(login),
        error => error.into(),
    })?;
    let there = store::operators(tx, ctx.tenant_id, Some(id)).await?.pop();
    let there = there.ok_or_else(|| Error::internal("an operator who was just added is not there"))?;
    let message = format!("operator {login} created: accepted the invitation of {created_by}");
    let entry = NewEntry::new(engine, ctx, "operator.created", "operator", id, message);
    let mut entries = vec![entry.changes(audit::differences(None, &there)?)];
    entries.extend(end_access(engine, tx, ctx, id).await?);
    Ok(entries)
}

/// Gives an operator with access a new password.
async fn set_password(engine: &Engine, tx: &mut Tx, ctx: &OpContext, id: OperatorId, password_hash: &str) -> Result<Vec<NewEntry>, Error> {
    let operator = to_change(tx, ctx, id).await.map_err(|error| if matches!(error, Error::NotFound(_)) { NOT_VALID } else { error })?;
    store::set_password(tx, id, password_hash).await?;
    let message = format!("password of {} reset with a link", operator.login);
    let mut entries = vec![NewEntry::new(engine, ctx, "operator.password_reset", "operator", id, message)];
    entries.extend(end_access(engine, tx, ctx, id).await?);
    Ok(entries)
}

/// Keeps keys away from the links of admins: an invitation with the role, and a new password of an operator with it.
async fn may_withdraw(tx: &mut Tx, ctx: &OpContext, link: &Invitation) -> Result<(), Error> {
    may_make(ctx, &link.roles)?;
    if link.kind == InvitationKind::Reset {
        let operators = store::operators(tx, ctx.tenant_id, None).await?;
        for operator in operators.iter().filter(|operator| operator.login == link.login) {
            may_make(ctx, &operator.roles)?;
        }
    }
    Ok(())
}

fn check_hours(checks: &mut Checks, hours: u32) -> &mut Checks {
    let message = format!("must be 1 to {INVITATION_HOURS_MAX} hours");
    checks.that((1..=INVITATION_HOURS_MAX).contains(&hours), "hours", message)
}

fn login_conflict(login: &str) -> Error {
    Error::Conflict(format!("the login {login} is taken: choose another one"))
}

/// A link for a person with a login, a name and roles.
fn draft(
    engine: &Engine,
    ctx: &OpContext,
    kind: InvitationKind,
    (login, name, roles): (String, String, Vec<wire::OperatorRole>),
    hours: u32,
) -> Invitation {
    let now = engine.clock().now();
    Invitation {
        id: InvitationId(engine.clock().id()),
        kind,
        login,
        name,
        roles,
        created_by: ctx.actor.name().to_owned(),
        created_at: now,
        expires_at: now + TimeDelta::hours(hours.into()),
    }
}

/// Commits a link. Only this answer has it; the stored one has not.
async fn hand_out(
    engine: &Engine,
    ctx: &OpContext,
    mut tx: Tx,
    once: &Once<'_>,
    entry: NewEntry,
    (invitation, operator_id): (Invitation, Option<OperatorId>),
) -> Result<MadeInvitation, Error> {
    let token = format!("{TOKEN}{}", engine.clock().secret(keys::SECRET_LENGTH));
    let inviter_id = match ctx.actor {
        // A change of the inviter withdraws only the links that are there: one that was begun with the old rights must not come after it.
        Actor::Operator { id, epoch, .. } => {
            if !store::lock_operator(&mut tx, ctx.tenant_id, id, epoch).await? {
                return Err(Error::Unauthenticated("sign in again"));
            }
            Some(id)
        }
        Actor::Agent { .. } | Actor::System => None,
    };
    let new = store::NewInvitation { invitation: &invitation, token_hash: &keys::hash(&token), operator_id, inviter_id };
    store::insert_invitation(&mut tx, ctx.tenant_id, &new).await?;
    let stored = MadeInvitation { invitation, link: None };
    settle(engine, ctx, tx, once, &[entry], &stored).await?;
    Ok(MadeInvitation { link: Some(format!("{INVITATION_PAGE}?token={token}")), ..stored })
}
