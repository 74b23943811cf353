//! Users: the organisation's own references to them, and who may name the user of a call.

use super::model::{Agent, User};
use super::{finish, settle, store};
use crate::audit::NewEntry;
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::idempotency::Once;
use crate::intake::{self, Admitted};
use crate::op::{Actor, OpContext};
use async_recursion::async_recursion as boxed;
use db::DbError;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use uuid::Uuid;
use verb::verb;
use wire::{AdminUser, AdminUsers, OperatorRole, USER_REF_MAX, UserId, UserRef, UserSettings};

/// Longest name of a user, in characters.
const NAME_MAX: usize = 200;
/// Most users that the text of a filter stands for.
const NAMED_MAX: i64 = 200;
/// Most users that a search by the beginning of a text finds.
const FOUND_MAX: i64 = 20;
/// At most this many users of one name are listed, so that the caller can choose one by reference.
const CALLED_MAX: i64 = 10;
/// Users on a page of their list.
const PAGE: i64 = 500;
/// Why a text means nobody.
pub(super) const NOBODY: &str = "is not a user's id, and no user has this reference or name";

/// The user that a reference means. A reference that is new gets an id, which stays the same from then on; for an operation that only reads
/// it gets an id that nobody has.
#[verb]
pub async fn user(engine: &Engine, ctx: &OpContext, reference: &UserRef) -> Result<UserId, Error> {
    let reference = match reference {
        UserRef::Id(id) => return Ok(*id),
        UserRef::External(reference) => reference,
    };
    let (pool, tenant) = (engine.db().control.system(), ctx.tenant_id);
    if let Some(known) = store::user_by_reference(pool, tenant, reference).await? {
        return Ok(known);
    }
    if ctx.only_reads {
        return Ok(stranger(ctx, reference));
    }
    intake::check_id("user_id", reference)?;
    // Two calls may meet a new user at the same moment: the first row wins.
    let mut tx = engine.db().control.begin_system().await?;
    store::insert_user(&mut tx, tenant, UserId(engine.clock().id()), reference, None, engine.clock().now()).await?;
    tx.commit().await?;
    store::user_by_reference(pool, tenant, reference).await?.ok_or_else(|| Error::internal("a user that was just added is not there"))
}

/// The id of nobody that stands for an unknown reference in one request.
fn stranger(ctx: &OpContext, reference: &str) -> UserId {
    let hash = Sha256::new().chain_update(ctx.request_id.to_string()).chain_update(reference).finalize();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    UserId(Uuid::from_bytes(bytes))
}

/// The user that a reference means, if there is one; a new reference is not stored. For an operator a user's name means the user, too.
///
/// # Errors
/// `Invalid` for a name that several users have, with their references.
pub async fn known_user(engine: &Engine, ctx: &OpContext, reference: &UserRef) -> Result<Option<UserId>, Error> {
    let text = match reference {
        UserRef::Id(id) => return Ok(Some(*id)),
        UserRef::External(text) => text,
    };
    let known = store::user_by_reference(engine.db().control.system(), ctx.tenant_id, text).await?;
    match (known, &ctx.actor) {
        // A model must not guess whom a name means.
        (known, Actor::Agent { .. }) | (known @ Some(_), _) => Ok(known),
        (None, _) => called(engine, ctx, text).await,
    }
}

/// The one user who has this name.
async fn called(engine: &Engine, ctx: &OpContext, name: &str) -> Result<Option<UserId>, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let users = store::users_called(&mut tx, ctx.tenant_id, name, CALLED_MAX + 1).await?;
    tx.commit().await?;
    match users.as_slice() {
        [] => Ok(None),
        [user] => Ok(Some(user.id)),
        several => Err(Error::invalid("user", ambiguous(several))),
    }
}

/// What to enter in place of a name that several users have.
fn ambiguous(users: &[User]) -> String {
    let most = usize::try_from(CALLED_MAX).unwrap_or(usize::MAX);
    let references: Vec<&str> = users.iter().take(most).map(|user| user.external_ref.as_str()).collect();
    let more = if users.len() > most { ", …" } else { "" };
    format!("is the name of several people: enter the reference of one of them, {}{more}", references.join(", "))
}

/// The user whom an operator means by an id, a reference or a name, if one is named.
///
/// # Errors
/// `Invalid` for a text that is nobody's reference or name, and as [`known_user`].
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn person(engine: &Engine, ctx: &OpContext, named: Option<&UserRef>) -> Result<Option<UserId>, Error> {
    let Some(named) = named else { return Ok(None) };
    known_user(engine, ctx, named).await?.map(Some).ok_or_else(|| Error::invalid("user_id", NOBODY))
}

/// The user that a call of an agent would act for, under the rules of the agent's keys, when an operator tries that call. Nothing is stored.
///
/// # Errors
/// `Invalid` for a user that is missing or unknown, and as [`known_user`].
pub async fn user_of_agent(engine: &Engine, ctx: &OpContext, agent: &Agent, named: Option<&UserRef>) -> Result<Option<UserId>, Error> {
    let Some(reference) = named else {
        return if agent.require_user { Err(Error::invalid("user_id", "is required for this agent")) } else { Ok(None) };
    };
    person(engine, ctx, Some(reference)).await
}

/// The same operation in the name of the user that its arguments name ([`OpContext::in_the_name_of`]).
///
/// # Errors
/// As [`OpContext::in_the_name_of`].
pub async fn acting_for(engine: &Engine, ctx: &OpContext, named: Option<&UserRef>) -> Result<OpContext, Error> {
    match (named, &ctx.actor) {
        (Some(reference), Actor::Agent { .. }) if ctx.user().is_some() => {
            let same = named_by_caller(engine, ctx.clone(), reference).await;
            same.map_err(|error| match error {
                Error::Forbidden(_) => Error::Forbidden("user_id differs from the user of this key or of the header X-Remembrancer-User: leave user_id out, or name the same user".into()),
                error => error,
            })
        }
        (Some(reference), Actor::Agent { .. }) => {
            // A caller that may not choose its user is refused before a row is written for the name.
            ctx.may_name_a_user()?;
            ctx.in_the_name_of(Some(user(engine, ctx, reference).await?))
        }
        _ => ctx.in_the_name_of(None),
    }
}

/// The context of a call whose user the caller's runtime names, where no model can write.
///
/// # Errors
/// `Forbidden` when the key is bound to another user, or was given to a client for nobody.
#[boxed]
pub async fn named_by_caller(engine: &Engine, ctx: OpContext, named: &UserRef) -> Result<OpContext, Error> {
    match (ctx.user(), named) {
        (None, _) if matches!(ctx.actor, Actor::Agent { is_granted: true, .. }) => {
            Err(Error::Forbidden("this access was given without a person: leave the user out, or give access again for a person".into()))
        }
        (None, named) => Ok(OpContext { users: Some(user(engine, &ctx, named).await?).into(), ..ctx }),
        // A name that will be refused is not stored.
        (Some(bound), UserRef::Id(id)) if *id == bound => Ok(ctx),
        (Some(bound), UserRef::External(reference))
            if store::user_by_reference(engine.db().control.system(), ctx.tenant_id, reference).await? == Some(bound) =>
        {
            Ok(ctx)
        }
        (Some(bound), UserRef::External(reference)) if ctx.only_reads && stranger(&ctx, reference) == bound => Ok(ctx),
        _ => Err(Error::Forbidden("this key is bound to another user".into())),
    }
}

/// Gives a user a reference and a name; `id` is the id that memories carry already, if there is one.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid` for a reference that has the form of an id or is too long; `Conflict` when the
/// organisation has the reference or the id already.
#[verb(role = Admin)]
pub async fn add_user(engine: &Engine, ctx: &OpContext, reference: &str, name: Option<&str>, id: Option<UserId>) -> Result<User, Error> {
    let reference = &*Admitted::id("external_ref", reference)?;
    let name = name.map(|name| Admitted::text("name", name.to_owned())).transpose()?;
    let name = name.as_ref().map(|name| name.as_str());
    let mut checks = Checks::default();
    check(&mut checks, reference, name, id);
    checks.done()?;
    let id = id.unwrap_or_else(|| UserId(engine.clock().id()));
    let mut tx = engine.db().control.begin_system().await?;
    if !store::insert_user(&mut tx, ctx.tenant_id, id, reference, name, engine.clock().now()).await? {
        return Err(Error::Conflict("a user with this reference or this id exists already".into()));
    }
    // The reference may be an e-mail address: it stays out of the audit log.
    let entry = NewEntry::new(engine, ctx, "user.added", "user", id, "user added");
    finish(engine, tx, ctx, entry).await?;
    Ok(User { id, external_ref: reference.clone(), name: name.map(str::to_owned) })
}

/// Adds the user with an id or a reference, or changes the reference and the name: what `settings` leaves out keeps its value, and an empty
/// name is removed. A reference that nobody has, with a new one that somebody has, means that user. Returns the user, and whether it is new.
/// What is so already writes no audit entry. Entries name the fields that changed and not their words, which may be a person's name or
/// address.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid` for the name or the reference, and for a new id without a reference; `Conflict` for a
/// reference that another user has.
#[verb(role = Admin)]
pub async fn put_user(engine: &Engine, ctx: &OpContext, user: &UserRef, settings: UserSettings) -> Result<(AdminUser, bool), Error> {
    let (id, named) = match user {
        UserRef::Id(id) => (Some(*id), None),
        UserRef::External(reference) => (None, Some(reference.as_str())),
    };
    for reference in [named, settings.external_ref.as_deref()].into_iter().flatten() {
        intake::check_id("external_ref", reference)?;
    }
    let request = Admitted::id("user", &user.to_string())?.with(Admitted::new(settings)?);
    let once = Once::new(engine, ctx, "admin.put_user", &request)?;
    let (_, UserSettings { name, external_ref }) = request.into_inner();
    let mut checks = Checks::default();
    for reference in [named, external_ref.as_deref()].into_iter().flatten() {
        check(&mut checks, reference, None, id);
    }
    let name = name.map(|name| Some(name).filter(|name| !name.trim().is_empty()));
    checks.optional_text("name", name.as_ref().and_then(Option::as_deref), NAME_MAX).done()?;
    let mut tx = engine.db().control.begin_system().await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let (tenant, now) = (ctx.tenant_id, engine.clock().now());
    let (mut known, mut is_new) = (store::user_to_change(&mut tx, tenant, id, named).await?, false);
    if known.is_none() {
        // A repeated request names the user by the reference from before: the user has the new one by now.
        let reference = external_ref.as_deref().or(named).ok_or_else(|| Error::invalid("external_ref", "is required for a new user"))?;
        let new_id = id.unwrap_or_else(|| UserId(engine.clock().id()));
        is_new = store::insert_user(&mut tx, tenant, new_id, reference, name.as_ref().and_then(Option::as_deref), now).await?;
        known = store::user_to_change(&mut tx, tenant, id, id.is_none().then_some(reference)).await?;
    }
    // A user with another id has the reference.
    let before = known.ok_or_else(|| reference_conflict(external_ref.as_deref().unwrap_or_default()))?;
    let after = AdminUser {
        id: before.id,
        external_ref: external_ref.unwrap_or_else(|| before.external_ref.clone()),
        name: name.unwrap_or_else(|| before.name.clone()),
    };
    if after != before {
        store::update_user(&mut tx, tenant, &after).await.map_err(|error| match error {
            DbError::Unique { .. } => reference_conflict(&after.external_ref),
            error => error.into(),
        })?;
    }
    let entry = match (is_new, after != before) {
        (true, _) => Some(NewEntry::new(engine, ctx, "user.added", "user", after.id, "user added")),
        (false, true) => Some(changed_entry(engine, ctx, &before, &after)),
        (false, false) => None,
    };
    let answer = (after, is_new);
    settle(engine, ctx, tx, &once, entry.as_slice(), &answer).await?;
    Ok(answer)
}

/// Why a user cannot have a reference.
fn reference_conflict(reference: &str) -> Error {
    Error::Conflict(format!("another user has the reference {reference}"))
}

/// The entry of a user who was changed. The reference may be an e-mail address: neither it nor the name is in the audit log.
fn changed_entry(engine: &Engine, ctx: &OpContext, before: &AdminUser, after: &AdminUser) -> NewEntry {
    let fields = [("external_ref", before.external_ref != after.external_ref), ("name", before.name != after.name)];
    let fields: Vec<&str> = fields.into_iter().filter_map(|(field, differs)| differs.then_some(field)).collect();
    let entry = NewEntry::new(engine, ctx, "user.changed", "user", after.id, format!("user changed: {}", fields.join(", ")));
    entry.changes(serde_json::json!({ "fields": fields }))
}

/// A page of the organisation's users by their reference, and the reference after which the next page begins.
///
/// # Errors
/// `Forbidden` without the role `admin`.
#[verb(role = Admin)]
pub async fn list_users(engine: &Engine, ctx: &OpContext, after: Option<&str>) -> Result<AdminUsers, Error> {
    let after = after.map(|after| Admitted::id("after", after)).transpose()?;
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let mut users = store::users_after(&mut tx, ctx.tenant_id, after.as_ref().map(|after| after.as_str()), PAGE + 1).await?;
    tx.commit().await?;
    let page = usize::try_from(PAGE).unwrap_or(usize::MAX);
    let more = users.len() > page;
    users.truncate(page);
    let next = users.last().filter(|_| more).map(|user| user.external_ref.clone());
    Ok(AdminUsers { users, next })
}

/// What a user's reference, name and id may be.
pub fn check(checks: &mut Checks, reference: &str, name: Option<&str>, id: Option<UserId>) {
    let is_reference = matches!(reference.parse(), Ok(UserRef::External(_)));
    checks
        .that(is_reference, "external_ref", format!("must have 1 to {USER_REF_MAX} printable characters and must not look like an id"))
        .that(id.is_none_or(|id| !id.0.is_max()), "id", "is not the id of a user")
        .optional_text("name", name, NAME_MAX);
}

/// Adds a user with the id that it had elsewhere; repeating it changes nothing. The import that brings the user writes the audit row.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Conflict` when the id or the reference went to another user meanwhile.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn adopt_user(engine: &Engine, ctx: &OpContext, user: &User) -> Result<(), Error> {
    ctx.require_role(OperatorRole::Admin)?;
    let mut tx = engine.db().control.begin_system().await?;
    let User { id, external_ref, name } = user;
    store::insert_user(&mut tx, ctx.tenant_id, *id, external_ref, name.as_deref(), engine.clock().now()).await?;
    tx.commit().await?;
    match store::user_by_reference(engine.db().control.system(), ctx.tenant_id, external_ref).await? {
        Some(there) if there == *id => Ok(()),
        _ => Err(Error::Conflict(format!("the user {id} was added meanwhile under another reference: import again"))),
    }
}

/// The organisation's users, by their reference.
#[verb(role = Admin)]
pub async fn users(engine: &Engine, ctx: &OpContext) -> Result<Vec<User>, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let users = store::users(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    Ok(users)
}

/// The users whose reference or name begins with a text, at most 200: for a filter of a list.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn users_named(engine: &Engine, ctx: &OpContext, text: &str) -> Result<Vec<UserId>, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let users = store::users_named(&mut tx, ctx.tenant_id, text, NAMED_MAX).await?;
    tx.commit().await?;
    Ok(users)
}

/// What some users are called: their name, or else the organisation's reference to them. Users that it never named are left out.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn user_names(engine: &Engine, ctx: &OpContext, ids: &[UserId]) -> Result<HashMap<UserId, String>, Error> {
    let users = users_with(engine, ctx, ids).await?;
    Ok(users.into_iter().map(|user| (user.id, user.name.unwrap_or(user.external_ref))).collect())
}

/// The users with some ids, as far as the organisation named them.
#[verb(role = Viewer)]
pub async fn users_by_id(engine: &Engine, ctx: &OpContext, ids: &[UserId]) -> Result<Vec<User>, Error> {
    users_with(engine, ctx, ids).await
}

/// The same where another check came before: an admin who erases somebody need not be a viewer.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn users_with(engine: &Engine, ctx: &OpContext, ids: &[UserId]) -> Result<Vec<User>, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let users = store::users_by_id(&mut tx, ctx.tenant_id, ids).await?;
    tx.commit().await?;
    Ok(users)
}

/// The users whom an operator may mean by a text: those whose id it is, or whose reference or name begins with it, at most 20.
///
/// # Errors
/// `Forbidden` without the role `viewer`; `Invalid` for an empty or too long text.
#[verb(role = Viewer)]
pub async fn find_users(engine: &Engine, ctx: &OpContext, text: &str) -> Result<Vec<User>, Error> {
    Checks::default().text("user", text, USER_REF_MAX).done()?;
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let mut ids = store::users_named(&mut tx, ctx.tenant_id, text, FOUND_MAX).await?;
    ids.extend(text.parse::<UserId>());
    let mut users = store::users_by_id(&mut tx, ctx.tenant_id, &ids).await?;
    tx.commit().await?;
    users.sort_by(|one, other| one.external_ref.cmp(&other.external_ref));
    Ok(users)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_shares_a_name_is_told_apart_by_reference() {
        let user = |n: i64| User { id: UserId(Uuid::nil()), external_ref: format!("crm-{n}"), name: Some("Vera".into()) };
        let users: Vec<User> = (1..=CALLED_MAX + 1).map(user).collect();
        assert!(ambiguous(&users[..2]).ends_with("crm-1, crm-2"));
        let many = ambiguous(&users);
        assert!(many.ends_with("crm-10, …") && !many.contains("crm-11"), "{many}");
    }
}
