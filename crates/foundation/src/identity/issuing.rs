//! API keys as admins manage them: made, replaced by new ones, revoked and listed.

use super::store::KeyPlace;
use super::{finish, keys, managing, settle, store, users};
use crate::audit::{self, NewEntry};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::idempotency::Once;
use crate::intake::Admitted;
use crate::op::{Actor, OpContext};
use chrono::{DateTime, Datelike, TimeDelta, Utc};
use db::Tx;
use db::cursor::Cursor;
use verb::verb;
use wire::{AgentId, ApiKey, ApiKeys, KeyId, KeyScope, MadeApiKey, NewApiKey, OVERLAP_HOURS_MAX, OperatorRole, UserId, UserRef};

/// Longest name of a key, in characters.
const NAME_MAX: usize = 100;
/// Keys on a page of a list.
const PAGE: usize = 1_000;

/// Makes an API key for an agent and returns it: the only time it can be read. With a `user` it acts for that one user only.
///
/// # Errors
/// As [`add_key`]; `NotFound` for a foreign or retired agent.
#[verb(role = Admin)]
pub async fn create_key(
    engine: &Engine,
    ctx: &OpContext,
    agent: AgentId,
    name: &str,
    scopes: &[KeyScope],
    user: Option<&UserRef>,
    expires_at: Option<DateTime<Utc>>,
) -> Result<(KeyId, String), Error> {
    let name = &*Admitted::text("name", name.to_owned())?;
    check(engine, ctx, name, scopes, expires_at)?;
    let user_id = user_of(engine, ctx, user).await?;
    let mut tx = engine.db().control.begin_system().await?;
    let made = insert(engine, ctx, &mut tx, agent, &Draft { name, scopes, user_id, expires_at }).await?;
    let (key, secret) = made.ok_or(Error::NotFound("agent"))?;
    let entry = created(engine, ctx, &mut tx, key).await?;
    finish(engine, tx, ctx, entry).await?;
    Ok((key, secret))
}

/// Makes an API key for an agent, which the request names by slug. Its answer has the secret, which is shown only once: a repeated request
/// gets the same key without it.
///
/// # Errors
/// `Forbidden` without the role `admin`, and for the scope `admin` if a key asks; `NotFound` for the agent; `Conflict` for one that is
/// retired; `Invalid` for the name, without a scope, or with an end in the past.
#[verb(role = Admin)]
pub async fn add_key(engine: &Engine, ctx: &OpContext, new: NewApiKey) -> Result<MadeApiKey, Error> {
    let new = Admitted::new(new)?;
    let scopes = new.all_scopes();
    check(engine, ctx, &new.name, &scopes, new.expires_at)?;
    let once = Once::new(engine, ctx, "admin.add_key", &new)?;
    if let Some(answer) = once.stored_answer(&engine.db().control).await? {
        return Ok(answer);
    }
    let agent = managing::agent_settings(engine, ctx, &new.agent).await?;
    if agent.retired_at.is_some() {
        return Err(retired(&agent.slug));
    }
    let user_id = user_of(engine, ctx, new.user_id.as_ref()).await?;
    let mut tx = engine.db().control.begin_system().await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let draft = Draft { name: &new.name, scopes: &scopes, user_id, expires_at: new.expires_at };
    let (id, secret) = insert(engine, ctx, &mut tx, agent.id, &draft).await?.ok_or_else(|| retired(&agent.slug))?;
    if !new.toolsets.is_empty() {
        store::set_toolsets(&mut tx, ctx.tenant_id, id, &new.toolsets).await?;
    }
    let entry = created(engine, ctx, &mut tx, id).await?;
    let key = one(&mut tx, ctx, id).await?;
    hand_out(engine, ctx, tx, &once, &[entry], MadeApiKey { key, secret: Some(secret) }).await
}

/// Makes a key that replaces another: with the same agent, name, scopes, toolsets and user, and, if the old one has an end, with as long a
/// life. The old one ends after some hours, in which callers change over; bots change over at once. The answer is as for [`add_key`].
///
/// # Errors
/// `Forbidden` without the role `admin`, and for a key with the scope `admin` if a key asks; `NotFound` for a foreign key; `Conflict` for
/// one that has ended or was replaced before, or that a client renews by itself; `Invalid` for more than 720 hours.
#[verb(role = Admin, %key)]
pub async fn rotate_key(engine: &Engine, ctx: &OpContext, key: KeyId, overlap_hours: u32) -> Result<MadeApiKey, Error> {
    let message = format!("must be at most {OVERLAP_HOURS_MAX} hours");
    Checks::default().that(overlap_hours <= OVERLAP_HOURS_MAX, "overlap_hours", message).done()?;
    let once = Once::new(engine, ctx, "admin.rotate_key", &Admitted::new((key, overlap_hours))?)?;
    let mut tx = engine.db().control.begin_system().await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    // The agent before its key, as for whoever retires the agent: nobody waits for the other in a circle.
    let agent = one(&mut tx, ctx, key).await?.agent;
    store::agent_to_change(&mut tx, ctx.tenant_id, &agent).await?.ok_or(Error::NotFound("agent"))?;
    store::lock_key(&mut tx, ctx.tenant_id, key).await?;
    let (old, now) = (one(&mut tx, ctx, key).await?, engine.clock().now());
    may_rotate(ctx, &old, now)?;
    let expires_at = old.expires_at.map(|end| later(end, now - old.created_at));
    let draft = Draft { name: &old.name, scopes: &old.scopes, user_id: old.user_id, expires_at };
    let (id, secret) = insert(engine, ctx, &mut tx, old.agent_id, &draft).await?.ok_or_else(|| retired(&old.agent))?;
    store::set_toolsets(&mut tx, ctx.tenant_id, id, &old.toolsets).await?;
    store::move_bots(&mut tx, ctx.tenant_id, key, id).await?;
    store::replace_key(&mut tx, ctx.tenant_id, key, id, now + TimeDelta::hours(overlap_hours.into())).await?;
    if overlap_hours == 0 {
        store::revoke_key(&mut tx, ctx.tenant_id, key, now).await?;
    }
    let ended = one(&mut tx, ctx, key).await?;
    let entry = NewEntry::new(engine, ctx, "key.rotated", "key", key, format!("key replaced by {id}")).agent(old.agent_id);
    let entries = [created(engine, ctx, &mut tx, id).await?, entry.changes(audit::differences(Some(&old), &ended)?)];
    let made = MadeApiKey { key: one(&mut tx, ctx, id).await?, secret: Some(secret) };
    hand_out(engine, ctx, tx, &once, &entries, made).await
}

/// Revokes an API key: the next request with it is refused. A request that was admitted before runs to its end.
///
/// # Errors
/// `Forbidden` without the role `admin`, unless it is the access that this operator gave to a client; `NotFound` for a foreign or already
/// revoked one.
#[verb]
pub async fn revoke_key(engine: &Engine, ctx: &OpContext, key: KeyId) -> Result<(), Error> {
    let once = Once::new(engine, ctx, "admin.revoke_key", &Admitted::new(key)?)?;
    let mut tx = engine.db().control.begin_system().await?;
    let grant = store::grant_of_key(&mut tx, ctx.tenant_id, key).await?;
    let gave = matches!((&ctx.actor, grant), (Actor::Operator { id, .. }, Some(grant)) if *id == grant.operator_id);
    if !gave {
        ctx.require_role(OperatorRole::Admin)?;
    }
    if once.claim::<bool>(&mut tx).await?.is_some() {
        return Ok(());
    }
    if !store::revoke_key(&mut tx, ctx.tenant_id, key, engine.clock().now()).await? {
        return Err(Error::NotFound("key"));
    }
    let revoked = one(&mut tx, ctx, key).await?;
    let message = format!("API key {} revoked", revoked.name);
    let entry = NewEntry::new(engine, ctx, "key.revoked", "key", key, message).agent(revoked.agent_id);
    settle(engine, ctx, tx, &once, &[entry], &true).await
}

/// A page of the keys of the organisation, or of one agent: those in force first, then the newest; with the `next` of the page before, those
/// that follow.
///
/// # Errors
/// `Forbidden` without the role `admin`, `Invalid` for a foreign cursor, `NotFound` for the agent.
#[verb(role = Admin)]
pub async fn list_keys(engine: &Engine, ctx: &OpContext, agent: Option<&str>, after: Option<&str>) -> Result<ApiKeys, Error> {
    let after = after.map(|after| Cursor::<KeyPlace>::decode("after", after)).transpose()?;
    let agent = match agent {
        Some(slug) => Some(managing::agent_settings(engine, ctx, slug).await?.id),
        None => None,
    };
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let most = i64::try_from(PAGE + 1).unwrap_or(i64::MAX);
    let mut keys = store::api_keys(&mut tx, ctx.tenant_id, agent, None, after.as_ref(), most).await?;
    tx.commit().await?;
    let more = keys.len() > PAGE;
    keys.truncate(PAGE);
    let next = keys.last().filter(|_| more).map(|key| {
        let place = KeyPlace { is_revoked: key.revoked_at.is_some(), created_at: key.created_at };
        Cursor { key: place, id: key.id.0 }.encode()
    });
    Ok(ApiKeys { keys, next })
}

/// A key of the organisation, with its agent and its uses.
///
/// # Errors
/// `Forbidden` without the role `admin`, `NotFound` for a foreign key.
#[verb(role = Admin)]
pub async fn api_key(engine: &Engine, ctx: &OpContext, id: KeyId) -> Result<ApiKey, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let key = one(&mut tx, ctx, id).await?;
    tx.commit().await?;
    Ok(key)
}

/// What a key is made of, besides its agent.
struct Draft<'a> {
    name: &'a str,
    scopes: &'a [KeyScope],
    user_id: Option<UserId>,
    expires_at: Option<DateTime<Utc>>,
}

/// Inserts a key; its id and the whole key. None if the tenant has no such agent, or has retired it.
async fn insert(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    agent: AgentId,
    draft: &Draft<'_>,
) -> Result<Option<(KeyId, String)>, Error> {
    let prefix = engine.clock().secret(keys::PREFIX_LENGTH);
    let key = format!("rmb_{prefix}_{}", engine.clock().secret(keys::SECRET_LENGTH));
    let id = KeyId(engine.clock().id());
    let Draft { name, scopes, user_id, expires_at } = *draft;
    let new = store::NewKey { id, agent_id: agent, prefix: &prefix, secret_hash: &keys::hash(&key), name, scopes, user_id, expires_at };
    let inserted = store::insert_key(tx, ctx.tenant_id, &new, engine.clock().now()).await?;
    Ok(inserted.then_some((id, key)))
}

/// A key of the organisation.
async fn one(tx: &mut Tx, ctx: &OpContext, id: KeyId) -> Result<ApiKey, Error> {
    store::api_keys(tx, ctx.tenant_id, None, Some(id), None, 1).await?.pop().ok_or(Error::NotFound("key"))
}

/// The entry of a new key.
async fn created(engine: &Engine, ctx: &OpContext, tx: &mut Tx, id: KeyId) -> Result<NewEntry, Error> {
    let key = one(tx, ctx, id).await?;
    let entry = NewEntry::new(engine, ctx, "key.created", "key", id, format!("API key {} created", key.name));
    Ok(entry.agent(key.agent_id).changes(audit::differences(None, &key)?))
}

/// Commits a new key. Only this answer has the secret; the stored one has not.
async fn hand_out(
    engine: &Engine,
    ctx: &OpContext,
    tx: Tx,
    once: &Once<'_>,
    entries: &[NewEntry],
    made: MadeApiKey,
) -> Result<MadeApiKey, Error> {
    let stored = MadeApiKey { key: made.key.clone(), secret: None };
    settle(engine, ctx, tx, once, entries, &stored).await?;
    Ok(made)
}

fn check(engine: &Engine, ctx: &OpContext, name: &str, scopes: &[KeyScope], expires_at: Option<DateTime<Utc>>) -> Result<(), Error> {
    let now = engine.clock().now();
    may_give(ctx, scopes)?;
    Checks::default()
        .text("name", name, NAME_MAX)
        .that(!scopes.is_empty(), "scopes", "must hold at least one scope")
        .time("expires_at", expires_at)
        .that(expires_at.is_none_or(|expires| expires > now), "expires_at", "must be in the future")
        .done()
}

/// Lets no key give the scope `admin`: a stolen key must be worthless once it is revoked, so it makes no other of its kind.
fn may_give(ctx: &OpContext, scopes: &[KeyScope]) -> Result<(), Error> {
    match ctx.is_key() && scopes.contains(&KeyScope::Admin) {
        true => Err(Error::Forbidden("a key cannot make a key with the scope admin: an operator with the role admin can".into())),
        false => Ok(()),
    }
}

fn may_rotate(ctx: &OpContext, old: &ApiKey, now: DateTime<Utc>) -> Result<(), Error> {
    may_give(ctx, &old.scopes)?;
    if old.is_granted {
        return Err(Error::Conflict("a client renews this key by itself: revoke it to end the access".into()));
    }
    if let Some(by) = old.replaced_by {
        return Err(Error::Conflict(format!("this key was replaced by {by} already: rotate that one")));
    }
    match old.revoked_at.is_some() || old.expires_at.is_some_and(|end| end <= now) {
        true => Err(Error::Conflict("this key has ended: make a new one".into())),
        false => Ok(()),
    }
}

/// An end that is later by some time, as far as a time can be.
fn later(end: DateTime<Utc>, by: TimeDelta) -> DateTime<Utc> {
    end.checked_add_signed(by).filter(|later| later.year() <= 9999).unwrap_or(end)
}

pub(super) fn retired(agent: &str) -> Error {
    Error::Conflict(format!("the agent {agent} is retired: restore it first"))
}

async fn user_of(engine: &Engine, ctx: &OpContext, user: Option<&UserRef>) -> Result<Option<UserId>, Error> {
    match user {
        Some(reference) => Ok(Some(users::user(engine, ctx, reference).await?)),
        None => Ok(None),
    }
}
