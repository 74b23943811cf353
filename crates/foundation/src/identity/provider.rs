//! Operators who sign in with an identity provider: the first sign-in makes the account, and each one renews its roles.

use super::model::{Admission, OperatorRecord};
use super::operators::{end_access, operator_context};
use super::staff::{NAME_MAX, in_order, to_change};
use super::{keys, name_conflict, settle, store};
use crate::audit::{self, NewEntry};
use crate::engine::Engine;
use crate::error::Error;
use crate::idempotency::Once;
use crate::intake::Admitted;
use crate::op::OpContext;
use async_recursion::async_recursion as boxed;
use chrono::TimeDelta;
use db::Tx;
use verb::verb;
use wire::{AdminOperator, OperatorId, OperatorRole, RequestId};

/// Longest login that a provider chooses, in characters: something may have to follow it.
const LOGIN_MAX: usize = 150;

/// How long somebody can get an account whose identity was detached.
const ATTACH_LASTS: TimeDelta = TimeDelta::hours(72);

/// What an identity provider says of somebody who signed in there.
#[derive(Clone, Debug)]
pub struct Identity {
    pub issuer: String,
    /// The provider's id of the person, which never passes to somebody else.
    pub subject: String,
    /// How the person is called there. Only a label: whoever changes it does not become somebody else.
    pub login: String,
    pub name: String,
    /// The roles that the person's groups give, each with the slug of its organisation.
    pub roles: Vec<(String, OperatorRole)>,
}

/// Why somebody whom the provider knows is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAdmitted {
    /// No group of the person gives a role in the organisation of the account, or in any.
    NoRole,
    /// The groups of somebody without an account give roles in several organisations.
    SeveralOrganisations,
    /// An admin took the access away.
    Disabled,
}

/// Lets in whom an identity provider vouches for, and returns what a session must hold. The account is found by issuer and subject; the
/// first sign-in makes it. Each sign-in renews its roles: other roles, or none, end the sessions and the access of clients that the operator
/// let in.
///
/// # Errors
/// `Misconfigured` if the organisation of a role does not exist; `Conflict` if somebody gets the same login at the same time.
#[boxed]
#[tracing::instrument(skip_all)]
pub async fn sign_in_with_provider(
    engine: &Engine,
    identity: &Identity,
    request_id: RequestId,
) -> Result<Result<Admission, NotAdmitted>, Error> {
    let system = engine.db().control.system();
    match store::operator_by_subject(system, &identity.issuer, &identity.subject).await? {
        Some(operator) => renew(engine, identity, &operator, request_id).await,
        None => match attach(engine, identity, request_id).await? {
            Some(operator) => renew(engine, identity, &operator, request_id).await,
            None => join(engine, identity, request_id).await,
        },
    }
}

/// Detaches an operator from the identity at the provider, for a person who has another one there. For three days, the first sign-in under
/// the login of the account gets it; afterwards it can be detached again. Ends the sessions, and the access of clients that the operator let
/// in.
///
/// # Errors
/// `Forbidden` without the role `admin`, and for a key that asks about an admin; `NotFound` for a foreign or disabled operator; `Conflict`
/// for one with a password.
#[verb(role = Admin)]
pub async fn detach_identity(engine: &Engine, ctx: &OpContext, id: OperatorId) -> Result<AdminOperator, Error> {
    let once = Once::new(engine, ctx, "admin.detach_identity", &Admitted::new(id)?)?;
    let mut tx = engine.db().control.begin_system().await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let before = to_change(&mut tx, ctx, id).await?;
    let until = engine.clock().now() + ATTACH_LASTS;
    if !store::detach_identity(&mut tx, ctx.tenant_id, id, until).await? {
        return Err(Error::Conflict(format!("{} signs in with a password: there is no identity to detach", before.login)));
    }
    let after = AdminOperator { issuer: None, attach_until: Some(until), ..before.clone() };
    let message = format!("identity of {} detached", before.login);
    let entry = NewEntry::new(engine, ctx, "operator.identity_detached", "operator", id, message);
    let mut entries = vec![entry.changes(audit::differences(Some(&before), &after)?)];
    entries.extend(end_access(engine, &mut tx, ctx, id).await?);
    settle(engine, ctx, tx, &once, &entries, &after).await?;
    Ok(after)
}

/// Gives an account whose identity was detached to somebody who signs in under its login, if there is one.
async fn attach(engine: &Engine, identity: &Identity, request_id: RequestId) -> Result<Option<OperatorRecord>, Error> {
    let login = identity.login.trim();
    // Postgres cannot even be asked for a text with NUL.
    if login.contains('\0') {
        return Ok(None);
    }
    let now = engine.clock().now();
    let found = store::operator_by_login(engine.db().control.system(), login).await?;
    let found = found.filter(|operator| operator.disabled_at.is_none() && operator.attach_until.is_some_and(|until| now < until));
    // Somebody who has no role there does not use up the account.
    let Some(operator) = found.filter(|operator| !roles_in(identity, &operator.tenant_slug).is_empty()) else { return Ok(None) };
    let ctx = OpContext::system(operator.tenant_id, operator.commons_id, request_id);
    let mut tx = engine.db().control.begin_system().await?;
    let before = to_change(&mut tx, &ctx, operator.id).await?;
    // Of two sign-ins of one person at the same time, the second one finds the account by its subject.
    if store::operator_by_subject_in(&mut tx, &identity.issuer, &identity.subject).await?.is_some()
        || !store::attach_identity(&mut tx, operator.tenant_id, operator.id, (&identity.issuer, &identity.subject), now).await?
    {
        return Ok(None);
    }
    let after = AdminOperator { issuer: Some(identity.issuer.clone()), attach_until: None, ..before.clone() };
    let message = format!("identity at {} attached: first sign-in as {}", identity.issuer, operator.login);
    let entry = NewEntry::new(engine, &ctx, "operator.identity_attached", "operator", operator.id, message);
    let mut entries = vec![entry.changes(audit::differences(Some(&before), &after)?)];
    // A link for a password would give the account to somebody else.
    entries.extend(end_access(engine, &mut tx, &ctx, operator.id).await?);
    audit::append_in(engine, &mut tx, operator.tenant_id, &entries).await?;
    tx.commit().await?;
    Ok(Some(operator))
}

/// Renews the roles of an account.
async fn renew(
    engine: &Engine,
    identity: &Identity,
    operator: &OperatorRecord,
    request_id: RequestId,
) -> Result<Result<Admission, NotAdmitted>, Error> {
    let (tenant, now) = (operator.tenant_id, engine.clock().now());
    let (ctx, own) = (OpContext::system(tenant, operator.commons_id, request_id), operator_context(operator, request_id));
    let mut tx = engine.db().control.begin_system().await?;
    let before = match to_change(&mut tx, &ctx, operator.id).await {
        Err(Error::NotFound(_)) => {
            let message = "sign-in refused: the operator is disabled";
            let entry = NewEntry::new(engine, &own, "operator.sign_in_failed", "operator", operator.id, message);
            audit::append_in(engine, &mut tx, tenant, &[entry]).await?;
            tx.commit().await?;
            return Ok(Err(NotAdmitted::Disabled));
        }
        before => before?,
    };
    let roles = roles_in(identity, &operator.tenant_slug);
    let has_none = roles.is_empty();
    let other_roles = roles != in_order(before.roles.clone());
    let mut entries = vec![];
    if has_none {
        let message = "sign-in refused: no group of the person gives a role";
        entries.push(NewEntry::new(engine, &own, "operator.sign_in_failed", "operator", operator.id, message));
    }
    if other_roles {
        let after = AdminOperator { roles, ..before.clone() };
        store::update_operator(&mut tx, tenant, &after, true).await?;
        let names: Vec<&str> = after.roles.iter().map(|role| role.as_str()).collect();
        let given = if has_none { "none".to_owned() } else { names.join(", ") };
        let message = format!("roles set to {given} by the groups at {}", identity.issuer);
        let entry = NewEntry::new(engine, &ctx, "operator.roles_set", "operator", operator.id, message);
        entries.push(entry.changes(audit::differences(Some(&before), &after)?));
        entries.extend(end_access(engine, &mut tx, &ctx, operator.id).await?);
    }
    if !has_none {
        entries.push(signed_in(engine, &own, operator.id, identity));
    }
    audit::append_in(engine, &mut tx, tenant, &entries).await?;
    tx.commit().await?;
    let epoch = operator.access_epoch + i32::from(other_roles);
    Ok(if has_none { Err(NotAdmitted::NoRole) } else { Ok(Admission { operator: operator.id, epoch, at: now }) })
}

/// Makes the account of somebody who signs in for the first time.
async fn join(engine: &Engine, identity: &Identity, request_id: RequestId) -> Result<Result<Admission, NotAdmitted>, Error> {
    let mut slugs: Vec<&str> = identity.roles.iter().map(|(slug, _)| slug.as_str()).collect();
    slugs.sort_unstable();
    slugs.dedup();
    let slug = match slugs[..] {
        [] => return Ok(Err(NotAdmitted::NoRole)),
        [slug] => slug,
        _ => return Ok(Err(NotAdmitted::SeveralOrganisations)),
    };
    let tenant = store::tenant(engine.db().control.system(), slug).await?;
    let tenant = tenant.ok_or_else(|| Error::Misconfigured(format!("OIDC_ROLES names the organisation {slug}, which does not exist")))?;
    let ctx = OpContext::system(tenant.id, tenant.commons_id, request_id);
    let mut tx = engine.db().control.begin_system().await?;
    store::lock_operators(&mut tx, tenant.id).await?;
    // Of two first sign-ins at the same time, the second one finds the account of the first.
    let there = store::operator_by_subject_in(&mut tx, &identity.issuer, &identity.subject).await?;
    if let Some(operator) = there {
        drop(tx);
        return renew(engine, identity, &operator, request_id).await;
    }
    let (login, name) = labels(&mut tx, identity).await?;
    let (id, created_at) = (OperatorId(engine.clock().id()), engine.clock().now());
    let (roles, issuer) = (roles_in(identity, slug), Some(identity.issuer.clone()));
    let new = AdminOperator { id, login, name, roles, created_at, disabled_at: None, issuer, attach_until: None };
    store::insert_operator_of_provider(&mut tx, tenant.id, &new, &identity.issuer, &identity.subject)
        .await
        .map_err(|error| name_conflict(error, "login", &new.login))?;
    let message = format!("operator {} created: first sign-in with {}", new.login, identity.issuer);
    let created = NewEntry::new(engine, &ctx, "operator.created", "operator", id, message);
    let created = created.changes(audit::differences(None, &new)?);
    let mut entries = vec![created, signed_in(engine, &ctx, id, identity)];
    entries.extend(end_access(engine, &mut tx, &ctx, id).await?);
    audit::append_in(engine, &mut tx, tenant.id, &entries).await?;
    tx.commit().await?;
    Ok(Ok(Admission { operator: id, epoch: 0, at: created_at }))
}

fn signed_in(engine: &Engine, ctx: &OpContext, id: OperatorId, identity: &Identity) -> NewEntry {
    NewEntry::new(engine, ctx, "operator.signed_in", "operator", id, format!("signed in with {}", identity.issuer))
}

/// The roles that the person's groups give in an organisation.
fn roles_in(identity: &Identity, slug: &str) -> Vec<OperatorRole> {
    in_order(identity.roles.iter().filter(|(organisation, _)| organisation == slug).map(|(_, role)| *role).collect())
}

/// A login that nobody has and a name for a new account, as near to those at the provider as possible.
async fn labels(tx: &mut Tx, identity: &Identity) -> Result<(String, String), Error> {
    let own = hex::encode(&keys::hash(&format!("{}\n{}", identity.issuer, identity.subject))[..6]);
    let wanted = Admitted::id("login", identity.login.trim()).map(Admitted::into_inner).unwrap_or_default();
    let login = match wanted.chars().count() {
        1..=LOGIN_MAX => wanted,
        _ => own.clone(),
    };
    let holder = store::operator_by_login_in(tx, &login).await?;
    let login = if holder.is_some() { format!("{login} ({own})") } else { login };
    let name: String = identity.name.trim().chars().take(NAME_MAX).collect();
    let name = Admitted::text("name", name).map(Admitted::into_inner).unwrap_or_default();
    let name = if name.trim().is_empty() { login.clone() } else { name };
    Ok((login, name))
}
