//! Tenants, agents, API keys, operators with their saved views, sessions: who exists and who asks.

mod keys;
mod lifecycle;
mod model;
mod password;
mod policy;
pub mod store;
mod users;
mod views;

use async_recursion::async_recursion as boxed;
pub(crate) use keys::same as same_hash;
pub(crate) use lifecycle::{days_with_log, history_days};
pub use lifecycle::{lifecycle, lifecycle_policy, set_lifecycle};
use model::KeyRecord;
pub use model::{Admission, Agent, Tenant, User};
pub use policy::{
    SearchSettings, capture_policy, knowledge_categories, policy, search_policy, set_keeps_context_texts, set_knowledge_categories,
    set_policy, set_search_policy,
};
pub(crate) use policy::{keeps_context_texts, search_settings};
use tracing::instrument;
pub(crate) use users::{acting_for, adopt_user, check as check_user, known_user, user_names, user_of_agent, users_named};
pub use users::{add_user, named_by_caller, user, users};
pub use views::{delete_view, rename_view, save_view, views};

use crate::api::{
    AgentId, AgentKind, Discipline, ErrorCode, KeyId, OperatorId, OperatorProfile, OperatorRole, REASON_MAX, RequestId, Scope, TenantId,
    UserRef,
};
use crate::audit::{self, NewEntry};
use crate::db::{DbError, Tx, Users};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::op::{Access, Actor, OpContext};
use chrono::{DateTime, TimeDelta, Utc};

/// Shortest password an operator may have.
const PASSWORD_MIN: usize = 12;
/// Longest name of an agent, in characters.
pub(crate) const AGENT_NAME_MAX: usize = 500;
/// How often the use of a key is noted: a busy key costs no write per request.
const USE_NOTED_EVERY: TimeDelta = TimeDelta::minutes(1);

/// The context of a request that carries an API key.
///
/// # Errors
/// `Unauthenticated` for a key that is malformed, unknown, expired or revoked; all read the same. `Forbidden` while its agent is blocked.
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

/// The context of a key, for a caller that has proved by other means that it acts with the key, as a bot does.
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
    // Not `Unauthenticated`: the key is right, and the gate must not remember it as a wrong one.
    if record.blocked {
        return Err(Error::Forbidden(format!("the agent {} is blocked; an administrator can unblock it", record.agent_slug)));
    }
    if record.last_used_at.is_none_or(|last| last + USE_NOTED_EVERY < now) {
        store::key_used(engine.db().control.system(), record.tenant_id, record.key_id, now).await?;
    }
    Ok(OpContext {
        tenant_id: record.tenant_id,
        commons_id: record.commons_id,
        actor: Actor::Agent { id: record.agent_id, slug: record.agent_slug, key_id: record.key_id, require_user: record.require_user },
        access: Access::Scopes(record.scopes),
        users: record.user_id.into(),
        idempotency: None,
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
    let ctx = OpContext::system(tenant.id, tenant.commons_id, RequestId(engine.clock().id()));
    let entry = NewEntry::new(engine, &ctx, "tenant.created", "tenant", tenant.id, format!("organisation {slug} created"));
    let mut tx = engine.db().control.begin_system().await?;
    store::insert_tenant(&mut tx, &tenant, now).await.map_err(|error| name_conflict(error, "tenant", slug))?;
    finish(engine, tx, &ctx, entry).await?;
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
    Checks::default().text("name", name, AGENT_NAME_MAX).done()?;
    let agent = Agent {
        id: AgentId(engine.clock().id()),
        kind: AgentKind::Agent,
        slug: slug.into(),
        name: name.into(),
        require_user,
        discipline: Discipline::Aggressive,
        blocked_at: None,
    };
    let mut tx = engine.db().control.begin_system().await?;
    store::insert_agent(&mut tx, ctx.tenant_id, &agent, engine.clock().now()).await.map_err(|error| name_conflict(error, "agent", slug))?;
    let entry = NewEntry::new(engine, ctx, "agent.created", "agent", agent.id, format!("agent {slug} created")).agent(agent.id);
    finish(engine, tx, ctx, entry).await?;
    Ok(agent)
}

/// An agent of the tenant, or its commons.
///
/// # Errors
/// `NotFound` for another tenant's agent.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn agent(engine: &Engine, ctx: &OpContext, id: AgentId) -> Result<Agent, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let agents = store::agents(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    agents.into_iter().find(|agent| agent.id == id).ok_or(Error::NotFound("agent"))
}

/// Chooses how eagerly an agent writes: which text `GET /api/prompts` gives it.
///
/// # Errors
/// `Forbidden` without the role `admin`, `NotFound` for a foreign agent.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn set_discipline(engine: &Engine, ctx: &OpContext, agent: AgentId, discipline: Discipline) -> Result<(), Error> {
    ctx.require_role(OperatorRole::Admin)?;
    let mut tx = engine.db().control.begin_system().await?;
    if !store::set_discipline(&mut tx, ctx.tenant_id, agent, discipline).await? {
        return Err(Error::NotFound("agent"));
    }
    let entry = NewEntry::new(engine, ctx, "agent.discipline_set", "agent", agent, format!("discipline set to {discipline}"));
    finish(engine, tx, ctx, entry.agent(agent)).await
}

/// Blocks an agent: its keys are refused from the next request on. With `blocked` false the same keys work again. Whether it changed.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid` without a reason; `NotFound` for a foreign agent and for the commons.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor, %agent))]
pub async fn set_blocked(engine: &Engine, ctx: &OpContext, agent: AgentId, blocked: bool, reason: &str) -> Result<bool, Error> {
    ctx.require_role(OperatorRole::Admin)?;
    Checks::default().text("reason", reason, REASON_MAX).done()?;
    let mut tx = engine.db().control.begin_system().await?;
    let agents = store::agents(&mut tx, ctx.tenant_id).await?;
    let known = agents.iter().find(|one| one.id == agent && one.kind == AgentKind::Agent).ok_or(Error::NotFound("agent"))?;
    if !store::set_blocked(&mut tx, ctx.tenant_id, agent, blocked.then(|| engine.clock().now())).await? {
        tx.commit().await?;
        return Ok(false);
    }
    let (action, word) = if blocked { ("agent.blocked", "blocked") } else { ("agent.unblocked", "unblocked") };
    let entry = NewEntry::new(engine, ctx, action, "agent", agent, format!("agent {} {word}", known.slug));
    finish(engine, tx, ctx, entry.agent(agent).reason(Some(reason.trim()))).await?;
    Ok(true)
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

/// What the usable keys of an agent may do, together.
///
/// # Errors
/// When the database is out of reach.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn scopes_of(engine: &Engine, ctx: &OpContext, agent: AgentId) -> Result<Vec<Scope>, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let scopes = store::scopes_of(&mut tx, ctx.tenant_id, agent, engine.clock().now()).await?;
    tx.commit().await?;
    Ok(scopes)
}

/// The tenant and the slug of the agent that has an id, among all tenants.
///
/// # Errors
/// When the database is out of reach.
pub(crate) async fn agent_holder(engine: &Engine, id: AgentId) -> Result<Option<(TenantId, String)>, Error> {
    Ok(store::agent_holder(engine.db().control.system(), id).await?)
}

/// Makes an agent with the id that it had elsewhere; repeating it changes nothing.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Conflict` when the slug went to another agent meanwhile.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn adopt_agent(engine: &Engine, ctx: &OpContext, agent: &Agent) -> Result<(), Error> {
    ctx.require_role(OperatorRole::Admin)?;
    let mut tx = engine.db().control.begin_system().await?;
    if store::adopt_agent(&mut tx, ctx.tenant_id, agent, engine.clock().now()).await? {
        let message = format!("agent {} created by an import", agent.slug);
        finish(engine, tx, ctx, NewEntry::new(engine, ctx, "agent.created", "agent", agent.id, message).agent(agent.id)).await?;
    }
    match agent_holder(engine, agent.id).await? {
        Some((tenant, slug)) if tenant == ctx.tenant_id && slug == agent.slug => Ok(()),
        _ => Err(Error::Conflict(format!("the agent {} was made meanwhile, with another id: import again", agent.slug))),
    }
}

/// Makes an API key for an agent and returns it: the only time it can be read. With a `user` it acts for that one user only.
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
    user: Option<&UserRef>,
    expires_at: Option<DateTime<Utc>>,
) -> Result<(KeyId, String), Error> {
    ctx.require_role(OperatorRole::Admin)?;
    let now = engine.clock().now();
    Checks::default()
        .text("name", name, 100)
        .that(!scopes.is_empty(), "scopes", "must hold at least one scope")
        .that(expires_at.is_none_or(|expires| expires > now), "expires_at", "must be in the future")
        .done()?;
    let user_id = match user {
        Some(reference) => Some(users::user(engine, ctx, reference).await?),
        None => None,
    };
    let prefix = engine.clock().secret(keys::PREFIX_LENGTH);
    let key = format!("rmb_{prefix}_{}", engine.clock().secret(keys::SECRET_LENGTH));
    let id = KeyId(engine.clock().id());
    let new = store::NewKey { id, agent_id: agent, prefix: &prefix, secret_hash: &keys::hash(&key), name, scopes, user_id, expires_at };
    let mut tx = engine.db().control.begin_system().await?;
    if !store::insert_key(&mut tx, ctx.tenant_id, &new, now).await? {
        return Err(Error::NotFound("agent"));
    }
    let entry = NewEntry::new(engine, ctx, "key.created", "key", id, format!("API key {name} created")).agent(agent);
    finish(engine, tx, ctx, entry).await?;
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
    let mut tx = engine.db().control.begin_system().await?;
    if !store::revoke_key(&mut tx, ctx.tenant_id, key, engine.clock().now()).await? {
        return Err(Error::NotFound("key"));
    }
    finish(engine, tx, ctx, NewEntry::new(engine, ctx, "key.revoked", "key", key, "API key revoked")).await
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
    let mut tx = engine.db().control.begin_system().await?;
    store::insert_operator(&mut tx, ctx.tenant_id, &new, engine.clock().now())
        .await
        .map_err(|error| name_conflict(error, "login", login))?;
    let entry = NewEntry::new(engine, ctx, "operator.created", "operator", id, format!("operator {login} created"));
    finish(engine, tx, ctx, entry).await?;
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
    let mut tx = engine.db().control.begin_system().await?;
    if !store::disable_operator(&mut tx, ctx.tenant_id, id, engine.clock().now()).await? {
        return Err(Error::NotFound("operator"));
    }
    finish(engine, tx, ctx, NewEntry::new(engine, ctx, "operator.disabled", "operator", id, "operator disabled")).await
}

/// Replaces an operator's roles and ends the sessions, whose pages show what the old roles allowed.
///
/// # Errors
/// `Forbidden` without the role `admin`, `Invalid` without a role, `NotFound` for a foreign operator.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn set_roles(engine: &Engine, ctx: &OpContext, id: OperatorId, roles: &[OperatorRole]) -> Result<(), Error> {
    ctx.require_role(OperatorRole::Admin)?;
    Checks::default().that(!roles.is_empty(), "roles", "must hold at least one role").done()?;
    let mut tx = engine.db().control.begin_system().await?;
    if !store::set_roles(&mut tx, ctx.tenant_id, id, roles).await? {
        return Err(Error::NotFound("operator"));
    }
    let names: Vec<&str> = roles.iter().map(|role| role.as_str()).collect();
    let entry = NewEntry::new(engine, ctx, "operator.roles_set", "operator", id, format!("roles set to {}", names.join(", ")));
    finish(engine, tx, ctx, entry).await
}

/// Gives an operator a new password (the command line's way back in) and ends the sessions.
///
/// # Errors
/// `NotFound`, or `Invalid` for a short password.
#[boxed]
pub async fn reset_password(engine: &Engine, login: &str, password: &str) -> Result<(), Error> {
    Checks::default()
        .that(password.chars().count() >= PASSWORD_MIN, "password", format!("must have at least {PASSWORD_MIN} characters"))
        .done()?;
    let operator = store::operator_by_login(engine.db().control.system(), login).await?.ok_or(Error::NotFound("operator"))?;
    let password_hash = password::hash(password.to_owned()).await?;
    let ctx = OpContext::system(operator.tenant_id, operator.commons_id, RequestId(engine.clock().id()));
    let entry = NewEntry::new(engine, &ctx, "operator.password_reset", "operator", operator.id, format!("password of {login} reset"));
    let mut tx = engine.db().control.begin_system().await?;
    store::set_password(&mut tx, operator.id, &password_hash).await?;
    finish(engine, tx, &ctx, entry).await
}

/// Checks a login and a password, and returns what a session must hold. An unknown login takes as long as a wrong password.
///
/// # Errors
/// `Unauthenticated`, with the same message in every case; a known operator's failure is written to the audit log after the answer.
#[boxed]
pub async fn sign_in(engine: &Engine, login: &str, password: &str, request_id: RequestId) -> Result<Admission, Error> {
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

async fn in_office(engine: &Engine, id: OperatorId) -> Result<model::OperatorRecord, Error> {
    let record = store::operator(engine.db().control.system(), id).await?;
    record.filter(|record| record.disabled_at.is_none()).ok_or(Error::Unauthenticated("sign in first"))
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

/// A session's data and end, if it exists and is not over. The table holds only the hash of the id: whoever reads it can take over no
/// session.
///
/// # Errors
/// When the database is out of reach.
#[boxed]
pub async fn session_load(engine: &Engine, id: &str) -> Result<Option<(serde_json::Value, DateTime<Utc>)>, Error> {
    Ok(store::session(engine.db().control.system(), &keys::hash(id), engine.clock().now()).await?)
}

/// Starts a session; false when the id is taken.
///
/// # Errors
/// When the database is out of reach.
#[boxed]
pub async fn session_create(engine: &Engine, id: &str, data: &serde_json::Value, expires: DateTime<Utc>) -> Result<bool, Error> {
    Ok(store::insert_session(engine.db().control.system(), &keys::hash(id), data, expires).await?)
}

/// Writes a session that exists; one that was deleted meanwhile stays deleted.
///
/// # Errors
/// When the database is out of reach.
#[boxed]
pub async fn session_save(engine: &Engine, id: &str, data: &serde_json::Value, expires: DateTime<Utc>) -> Result<bool, Error> {
    Ok(store::save_session(engine.db().control.system(), &keys::hash(id), data, expires).await?)
}

/// Ends a session.
///
/// # Errors
/// When the database is out of reach.
#[boxed]
pub async fn session_delete(engine: &Engine, id: &str) -> Result<(), Error> {
    Ok(store::delete_session(engine.db().control.system(), &keys::hash(id), engine.clock().now()).await?)
}

fn operator_context(record: &model::OperatorRecord, request_id: RequestId) -> OpContext {
    OpContext {
        tenant_id: record.tenant_id,
        commons_id: record.commons_id,
        actor: Actor::Operator { id: record.id, name: record.name.clone() },
        access: Access::Roles(record.roles.clone()),
        users: Users::Every,
        idempotency: None,
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

/// Commits a change of the control database together with its audit row: both happen or neither does.
async fn finish(engine: &Engine, mut tx: Tx, ctx: &OpContext, entry: NewEntry) -> Result<(), Error> {
    audit::append_in(engine, &mut tx, ctx.tenant_id, &[entry]).await?;
    Ok(tx.commit().await?)
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
