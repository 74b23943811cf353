//! Tenants, agents, API keys, operators with their saved views, sessions: who exists and who asks.

mod keys;
mod model;
mod password;
pub mod store;
mod views;

use async_recursion::async_recursion as boxed;
pub(crate) use keys::same as same_hash;
use model::KeyRecord;
pub use model::{Agent, Tenant};
use tracing::instrument;
pub use views::{delete_view, rename_view, save_view, views};

use crate::api::{AgentId, AgentKind, Discipline, ErrorCode, KeyId, OperatorId, OperatorProfile, OperatorRole, RequestId, Scope, TenantId};
use crate::audit::{self, NewEntry};
use crate::db::DbError;
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::op::{Access, Actor, OpContext};
use chrono::{DateTime, Utc};

/// Shortest password an operator may have.
const PASSWORD_MIN: usize = 12;

/// The context of a request that carries an API key.
///
/// # Errors
/// `Unauthenticated` for a key that is malformed, unknown, expired or revoked; all read the same.
#[boxed]
pub async fn authenticate(engine: &Engine, key: &str, request_id: RequestId) -> Result<OpContext, Error> {
    const REFUSED: Error = Error::Unauthenticated("this API key is not valid");
    let prefix = keys::prefix_of(key).ok_or(REFUSED)?;
    let pool = engine.db().control.system();
    let record = store::key_by_prefix(pool, prefix).await?.ok_or(REFUSED)?;
    if !keys::same(&record.secret_hash, &keys::hash(key)) {
        return Err(REFUSED);
    }
    admit(engine, record, request_id).await
}

/// The context that a key gives to whoever proved by other means that it acts with it, as a bot does.
///
/// # Errors
/// `Unauthenticated` for a key that is unknown, expired or revoked.
#[tracing::instrument(skip_all, fields(%tenant))]
pub(crate) async fn context_of_key(engine: &Engine, tenant: TenantId, key: KeyId, request_id: RequestId) -> Result<OpContext, Error> {
    let record = store::key_by_id(engine.db().control.system(), tenant, key).await?;
    admit(engine, record.ok_or(Error::Unauthenticated("this API key is not valid"))?, request_id).await
}

async fn admit(engine: &Engine, record: KeyRecord, request_id: RequestId) -> Result<OpContext, Error> {
    let now = engine.clock().now();
    if record.revoked_at.is_some() || record.expires_at.is_some_and(|expires| expires <= now) {
        return Err(Error::Unauthenticated("this API key is not valid"));
    }
    store::key_used(engine.db().control.system(), record.tenant_id, record.key_id, now).await?;
    Ok(OpContext {
        tenant_id: record.tenant_id,
        commons_id: record.commons_id,
        actor: Actor::Agent { id: record.agent_id, slug: record.agent_slug, key_id: record.key_id, require_user: record.require_user },
        access: Access::Scopes(record.scopes),
        request_id,
    })
}

/// Makes a tenant with its commons. Its context may do everything: tenants are made on the command line.
///
/// # Errors
/// `Invalid` for a slug that is not `a-z 0-9 -`, `Conflict` when it is taken.
#[boxed]
pub async fn create_tenant(engine: &Engine, slug: &str, name: &str) -> Result<OpContext, Error> {
    check_slug(slug)?;
    let now = engine.clock().now();
    let tenant =
        Tenant { id: TenantId(engine.clock().id()), slug: slug.into(), name: name.into(), commons_id: AgentId(engine.clock().id()) };
    store::insert_tenant(engine.db().control.system(), &tenant, now).await.map_err(|error| name_conflict(error, "tenant", slug))?;
    let ctx = OpContext::system(tenant.id, tenant.commons_id, RequestId(engine.clock().id()));
    let entry = NewEntry::new(engine, &ctx, "tenant.created", "tenant", tenant.id, format!("tenant {slug} created"));
    audit::append(engine, tenant.id, entry).await?;
    Ok(ctx)
}

/// The context of the command line for an existing tenant.
///
/// # Errors
/// `NotFound`.
#[boxed]
pub async fn open_tenant(engine: &Engine, slug: &str) -> Result<OpContext, Error> {
    let tenant = store::tenant(engine.db().control.system(), slug).await?.ok_or(Error::NotFound("tenant"))?;
    Ok(OpContext::system(tenant.id, tenant.commons_id, RequestId(engine.clock().id())))
}

/// Makes an agent.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid`, `Conflict` for its slug.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn create_agent(engine: &Engine, ctx: &OpContext, slug: &str, name: &str, require_user: bool) -> Result<Agent, Error> {
    ctx.require_role(OperatorRole::Admin)?;
    check_slug(slug)?;
    let agent = Agent {
        id: AgentId(engine.clock().id()),
        kind: AgentKind::Agent,
        slug: slug.into(),
        name: name.into(),
        require_user,
        discipline: Discipline::Aggressive,
    };
    store::insert_agent(engine.db().control.system(), ctx.tenant_id, &agent, engine.clock().now())
        .await
        .map_err(|error| name_conflict(error, "agent", slug))?;
    let entry = NewEntry::new(engine, ctx, "agent.created", "agent", agent.id, format!("agent {slug} created")).agent(agent.id);
    audit::append(engine, ctx.tenant_id, entry).await?;
    Ok(agent)
}

/// Chooses how eagerly an agent writes: which text `GET /api/prompts` gives it.
///
/// # Errors
/// `Forbidden` without the role `admin`, `NotFound` for a foreign agent.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn set_discipline(engine: &Engine, ctx: &OpContext, agent: AgentId, discipline: Discipline) -> Result<(), Error> {
    ctx.require_role(OperatorRole::Admin)?;
    if !store::set_discipline(engine.db().control.system(), ctx.tenant_id, agent, discipline).await? {
        return Err(Error::NotFound("agent"));
    }
    let entry = NewEntry::new(engine, ctx, "agent.discipline_set", "agent", agent, format!("writes by the discipline {discipline}"));
    Ok(audit::append(engine, ctx.tenant_id, entry.agent(agent)).await?)
}

/// An agent of the tenant by its slug.
///
/// # Errors
/// `NotFound`.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn agent_by_slug(engine: &Engine, ctx: &OpContext, slug: &str) -> Result<Agent, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let agents = store::agents(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    agents.into_iter().find(|agent| agent.slug == slug).ok_or(Error::NotFound("agent"))
}

/// Every agent of the tenant, commons first, then by slug.
///
/// # Errors
/// When the database is out of reach.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn all_agents(engine: &Engine, ctx: &OpContext) -> Result<Vec<Agent>, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let agents = store::agents(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    Ok(agents)
}

/// Whose agent an id is, among all tenants, and its slug.
///
/// # Errors
/// When the database is out of reach.
pub(crate) async fn agent_holder(engine: &Engine, id: AgentId) -> Result<Option<(TenantId, String)>, Error> {
    Ok(store::agent_holder(engine.db().control.system(), id).await?)
}

/// Makes an agent with the id that it had elsewhere, once however often; the import that brings it writes the audit row.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Conflict` when the slug went to another agent meanwhile.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn adopt_agent(engine: &Engine, ctx: &OpContext, agent: &Agent) -> Result<(), Error> {
    ctx.require_role(OperatorRole::Admin)?;
    store::adopt_agent(engine.db().control.system(), ctx.tenant_id, agent, engine.clock().now()).await?;
    match agent_holder(engine, agent.id).await? {
        Some((tenant, slug)) if tenant == ctx.tenant_id && slug == agent.slug => Ok(()),
        _ => Err(Error::Conflict(format!("the agent {} was made meanwhile, with another id: import again", agent.slug))),
    }
}

/// Makes an API key for an agent and returns it: the only time it can be read.
///
/// # Errors
/// `Forbidden` without the role `admin`, `NotFound` for a foreign agent, `Invalid` without a scope or with an end in the past.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn create_key(
    engine: &Engine,
    ctx: &OpContext,
    agent: AgentId,
    name: &str,
    scopes: &[Scope],
    expires_at: Option<DateTime<Utc>>,
) -> Result<(KeyId, String), Error> {
    ctx.require_role(OperatorRole::Admin)?;
    let now = engine.clock().now();
    Checks::default()
        .text("name", name, 100)
        .that(!scopes.is_empty(), "scopes", "must hold at least one scope")
        .that(expires_at.is_none_or(|expires| expires > now), "expires_at", "must be in the future")
        .done()?;
    let prefix = engine.clock().secret(keys::PREFIX_LENGTH);
    let key = format!("rmb_{prefix}_{}", engine.clock().secret(keys::SECRET_LENGTH));
    let id = KeyId(engine.clock().id());
    let new = store::NewKey { id, agent_id: agent, prefix: &prefix, secret_hash: &keys::hash(&key), name, scopes, expires_at };
    if !store::insert_key(engine.db().control.system(), ctx.tenant_id, &new, now).await? {
        return Err(Error::NotFound("agent"));
    }
    let entry = NewEntry::new(engine, ctx, "key.created", "key", id, format!("API key {name} created")).agent(agent);
    audit::append(engine, ctx.tenant_id, entry).await?;
    Ok((id, key))
}

/// Revokes an API key at once.
///
/// # Errors
/// `Forbidden` without the role `admin`, `NotFound` for a foreign or already revoked one.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn revoke_key(engine: &Engine, ctx: &OpContext, key: KeyId) -> Result<(), Error> {
    ctx.require_role(OperatorRole::Admin)?;
    if !store::revoke_key(engine.db().control.system(), ctx.tenant_id, key, engine.clock().now()).await? {
        return Err(Error::NotFound("key"));
    }
    let entry = NewEntry::new(engine, ctx, "key.revoked", "key", key, "API key revoked");
    Ok(audit::append(engine, ctx.tenant_id, entry).await?)
}

/// Makes an operator.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid` for an empty login or a password shorter than 12 characters; `Conflict` for a login
/// that anybody has.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn create_operator(
    engine: &Engine,
    ctx: &OpContext,
    login: &str,
    name: &str,
    password: &str,
    roles: &[OperatorRole],
) -> Result<OperatorId, Error> {
    ctx.require_role(OperatorRole::Admin)?;
    Checks::default()
        .text("login", login, 200)
        .text("name", name, 200)
        .that(password.chars().count() >= PASSWORD_MIN, "password", format!("must have at least {PASSWORD_MIN} characters"))
        .that(!roles.is_empty(), "roles", "must hold at least one role")
        .done()?;
    let id = OperatorId(engine.clock().id());
    let password_hash = password::hash(password.to_owned()).await?;
    let new = store::NewOperator { id, login, name, password_hash: &password_hash, roles };
    store::insert_operator(engine.db().control.system(), ctx.tenant_id, &new, engine.clock().now())
        .await
        .map_err(|error| name_conflict(error, "login", login))?;
    let entry = NewEntry::new(engine, ctx, "operator.created", "operator", id, format!("operator {login} created"));
    audit::append(engine, ctx.tenant_id, entry).await?;
    Ok(id)
}

/// An operator of the tenant by what is typed at sign-in.
///
/// # Errors
/// `Forbidden` without the role `admin`, `NotFound`.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn operator_by_login(engine: &Engine, ctx: &OpContext, login: &str) -> Result<OperatorId, Error> {
    ctx.require_role(OperatorRole::Admin)?;
    let record = store::operator_by_login(engine.db().control.system(), login).await?;
    record.filter(|record| record.tenant_id == ctx.tenant_id).map(|record| record.id).ok_or(Error::NotFound("operator"))
}

/// Ends an operator's access at once, sessions included.
///
/// # Errors
/// `Forbidden` without the role `admin`, `NotFound` for a foreign or already disabled one.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn disable_operator(engine: &Engine, ctx: &OpContext, id: OperatorId) -> Result<(), Error> {
    ctx.require_role(OperatorRole::Admin)?;
    if !store::disable_operator(engine.db().control.system(), ctx.tenant_id, id, engine.clock().now()).await? {
        return Err(Error::NotFound("operator"));
    }
    let entry = NewEntry::new(engine, ctx, "operator.disabled", "operator", id, "operator disabled");
    Ok(audit::append(engine, ctx.tenant_id, entry).await?)
}

/// Gives an operator a new password (the command line's way back in).
///
/// # Errors
/// `NotFound`, or `Invalid` for a short password.
#[boxed]
pub async fn reset_password(engine: &Engine, login: &str, password: &str) -> Result<(), Error> {
    Checks::default()
        .that(password.chars().count() >= PASSWORD_MIN, "password", format!("must have at least {PASSWORD_MIN} characters"))
        .done()?;
    let pool = engine.db().control.system();
    let operator = store::operator_by_login(pool, login).await?.ok_or(Error::NotFound("operator"))?;
    store::set_password(pool, operator.id, &password::hash(password.to_owned()).await?).await?;
    let ctx = OpContext::system(operator.tenant_id, operator.commons_id, RequestId(engine.clock().id()));
    let entry = NewEntry::new(engine, &ctx, "operator.password_reset", "operator", operator.id, format!("password of {login} reset"));
    Ok(audit::append(engine, operator.tenant_id, entry).await?)
}

/// Checks a login and a password. An unknown login takes as long as a wrong password.
///
/// # Errors
/// `Unauthenticated`, whatever was wrong; a known operator's failure is in the audit log.
#[boxed]
pub async fn sign_in(engine: &Engine, login: &str, password: &str, request_id: RequestId) -> Result<OperatorProfile, Error> {
    const REFUSED: Error = Error::Unauthenticated("login or password is wrong");
    // Postgres cannot even be asked for a text with NUL; nobody has that login.
    let operator = match login.contains('\0') {
        true => None,
        false => store::operator_by_login(engine.db().control.system(), login).await?,
    };
    let hash = operator.as_ref().map(|operator| operator.password_hash.clone());
    let right = password::verify(password.to_owned(), hash).await?;
    let Some(operator) = operator else { return Err(REFUSED) };
    let admitted = right && operator.disabled_at.is_none();
    let ctx = operator_context(&operator, request_id);
    let (action, message) = if admitted { ("operator.signed_in", "signed in") } else { ("operator.sign_in_failed", "sign-in failed") };
    let entry = NewEntry::new(engine, &ctx, action, "operator", operator.id, message);
    audit::append(engine, operator.tenant_id, entry).await?;
    if admitted { Ok(profile(&operator)) } else { Err(REFUSED) }
}

/// The context and profile of a signed-in operator, with the roles of this moment.
///
/// # Errors
/// `Unauthenticated` when the operator is gone or disabled.
#[boxed]
pub async fn operator(engine: &Engine, id: OperatorId, request_id: RequestId) -> Result<(OpContext, OperatorProfile), Error> {
    let record = store::operator(engine.db().control.system(), id).await?;
    let record = record.filter(|record| record.disabled_at.is_none()).ok_or(Error::Unauthenticated("sign in first"))?;
    Ok((operator_context(&record, request_id), profile(&record)))
}

/// Notes that an operator signed out.
///
/// # Errors
/// When the database is out of reach.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn sign_out(engine: &Engine, ctx: &OpContext) -> Result<(), Error> {
    let entry = NewEntry::new(engine, ctx, "operator.signed_out", "operator", ctx.actor.id(), "signed out");
    Ok(audit::append(engine, ctx.tenant_id, entry).await?)
}

/// A session's data and end, if it is there and not over.
///
/// # Errors
/// When the database is out of reach.
#[boxed]
pub async fn session_load(engine: &Engine, id: &str) -> Result<Option<(serde_json::Value, DateTime<Utc>)>, Error> {
    Ok(store::session(engine.db().control.system(), id, engine.clock().now()).await?)
}

/// Starts a session; false when the id is taken.
///
/// # Errors
/// When the database is out of reach.
#[boxed]
pub async fn session_create(engine: &Engine, id: &str, data: &serde_json::Value, expires: DateTime<Utc>) -> Result<bool, Error> {
    Ok(store::insert_session(engine.db().control.system(), id, data, expires).await?)
}

/// Writes a session that exists; one that was deleted meanwhile stays deleted.
///
/// # Errors
/// When the database is out of reach.
#[boxed]
pub async fn session_save(engine: &Engine, id: &str, data: &serde_json::Value, expires: DateTime<Utc>) -> Result<bool, Error> {
    Ok(store::save_session(engine.db().control.system(), id, data, expires).await?)
}

/// Ends a session.
///
/// # Errors
/// When the database is out of reach.
#[boxed]
pub async fn session_delete(engine: &Engine, id: &str) -> Result<(), Error> {
    Ok(store::delete_session(engine.db().control.system(), id, engine.clock().now()).await?)
}

fn operator_context(record: &model::OperatorRecord, request_id: RequestId) -> OpContext {
    OpContext {
        tenant_id: record.tenant_id,
        commons_id: record.commons_id,
        actor: Actor::Operator { id: record.id, name: record.name.clone() },
        access: Access::Roles(record.roles.clone()),
        request_id,
    }
}

fn profile(record: &model::OperatorRecord) -> OperatorProfile {
    OperatorProfile {
        id: record.id,
        tenant_id: record.tenant_id,
        tenant_name: record.tenant_name.clone(),
        login: record.login.clone(),
        name: record.name.clone(),
        roles: record.roles.clone(),
    }
}

/// 1 to 63 of a-z, 0-9 and '-'.
pub(crate) fn check_slug(slug: &str) -> Result<(), Error> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let well_formed = slug.starts_with(plain) && slug.len() <= 63 && slug.chars().all(|c| plain(c) || c == '-');
    Checks::default().that(well_formed, "slug", "is 1 to 63 of a-z, 0-9 and '-', and starts with a letter or digit").done()
}

fn name_conflict(error: DbError, what: &str, name: &str) -> Error {
    let error = Error::from(error);
    match &error {
        Error::Db(DbError::Unique { .. }) => Error::Conflict(format!("the {what} {name} exists already")),
        _ => {
            debug_assert!(error.code() != ErrorCode::Conflict);
            error
        }
    }
}
