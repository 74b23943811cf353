//! The agents of a tenant.

use super::model::Agent;
use super::{AGENT_NAME_MAX, check_slug, finish, name_conflict, store};
use crate::audit::NewEntry;
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::intake::{Admitted, Reason};
use crate::op::{Access, Actor, OpContext};
use db::{DbError, EVERY_AGENT, Users};
use uuid::Uuid;
use verb::verb;
use wire::{AgentId, AgentKind, Discipline, KeyId, KeyScope, OperatorRole, REASON_MAX, TenantId};

/// Makes an agent with a new id.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid`, `Conflict` for its slug.
#[verb]
pub async fn create_agent(engine: &Engine, ctx: &OpContext, slug: &str, name: &str, require_user: bool) -> Result<Agent, Error> {
    create_agent_with_id(engine, ctx, AgentId(engine.clock().id()), slug, name, require_user).await
}

/// Makes an agent with the id that it has elsewhere. Ids are unique among all organisations, so that an export can name agents by them.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid` for its slug or an id that no agent can have; `Conflict` for its slug or id.
#[verb(role = Admin)]
pub async fn create_agent_with_id(
    engine: &Engine,
    ctx: &OpContext,
    id: AgentId,
    slug: &str,
    name: &str,
    require_user: bool,
) -> Result<Agent, Error> {
    check_slug(slug)?;
    let name = &*Admitted::text("name", name.to_owned())?;
    let mut checks = Checks::default();
    check_id(checks.text("name", name, AGENT_NAME_MAX), id).done()?;
    match agent_holder(engine, id).await? {
        None => {}
        Some((tenant, holder)) if tenant == ctx.tenant_id => return Err(id_conflict(id, &format!("the agent {holder}"))),
        Some(_) => return Err(id_conflict(id, "an agent of another organisation")),
    }
    let agent = Agent {
        id,
        kind: AgentKind::Agent,
        slug: slug.into(),
        name: name.clone(),
        require_user,
        discipline: Discipline::Aggressive,
        blocked_at: None,
        retired_at: None,
    };
    let mut tx = engine.db().control.begin_system().await?;
    store::insert_agent(&mut tx, ctx.tenant_id, &agent, engine.clock().now()).await.map_err(|error| match error {
        // Somebody made it meanwhile.
        DbError::Unique { constraint } if constraint == "agents_pkey" => id_conflict(id, "another agent"),
        error => name_conflict(error, "agent", slug),
    })?;
    let entry = NewEntry::new(engine, ctx, "agent.created", "agent", agent.id, format!("agent {slug} created")).agent(agent.id);
    finish(engine, tx, ctx, entry).await?;
    Ok(agent)
}

/// Refuses the two ids that stand for no agent and for every agent.
pub fn check_id(checks: &mut Checks, id: AgentId) -> &mut Checks {
    checks.that(id != EVERY_AGENT && !id.0.is_nil(), "id", "must not be all zeros or all ones: no agent can have such an id")
}

fn id_conflict(id: AgentId, holder: &str) -> Error {
    Error::Conflict(format!("the id {id} belongs to {holder} already"))
}

/// An agent of the tenant, or its commons.
///
/// # Errors
/// `NotFound` for another tenant's agent.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn agent(engine: &Engine, ctx: &OpContext, id: AgentId) -> Result<Agent, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let agents = store::agents(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    agents.into_iter().find(|agent| agent.id == id).ok_or(Error::NotFound("agent"))
}

/// Blocks an agent: its keys are refused from the next request on. With `blocked` false the same keys work again. Whether it changed.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid` without a reason; `NotFound` for a foreign agent and for the commons.
#[verb(role = Admin, %agent)]
pub async fn set_blocked(engine: &Engine, ctx: &OpContext, agent: AgentId, blocked: bool, reason: &str) -> Result<bool, Error> {
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
    finish(engine, tx, ctx, entry.agent(agent).reason(Some(&Reason::new(reason)))).await?;
    Ok(true)
}

/// An agent of the tenant by its slug.
///
/// # Errors
/// `NotFound`.
#[verb]
pub async fn agent_by_slug(engine: &Engine, ctx: &OpContext, slug: &str) -> Result<Agent, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let agents = store::agents(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    agents.into_iter().find(|agent| agent.slug == slug).ok_or(Error::NotFound("agent"))
}

/// Every agent of the tenant, commons first, then by slug.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn all_agents(engine: &Engine, ctx: &OpContext) -> Result<Vec<Agent>, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let agents = store::agents(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    Ok(agents)
}

/// What the usable keys of an agent may do, together.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn scopes_of(engine: &Engine, ctx: &OpContext, agent: AgentId) -> Result<Vec<KeyScope>, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let scopes = store::scopes_of(&mut tx, ctx.tenant_id, agent, engine.clock().now()).await?;
    tx.commit().await?;
    Ok(scopes)
}

/// The same operation with the reach of an agent's keys together.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor, agent = %agent.id))]
pub async fn acting_as(engine: &Engine, ctx: &OpContext, agent: Agent, users: Users) -> Result<OpContext, Error> {
    let scopes = scopes_of(engine, ctx, agent.id).await?;
    let actor =
        Actor::Agent { id: agent.id, slug: agent.slug, key_id: KeyId(Uuid::nil()), require_user: agent.require_user, is_granted: false };
    Ok(OpContext { actor, access: Access::KeyScopes(scopes), users, ..ctx.clone() })
}

/// The tenant and the slug of the agent that has an id, among all tenants.
pub async fn agent_holder(engine: &Engine, id: AgentId) -> Result<Option<(TenantId, String)>, Error> {
    Ok(store::agent_holder(engine.db().control.system(), id).await?)
}

/// Makes an agent with the id that it had elsewhere; repeating it changes nothing.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Conflict` when the slug went to another agent meanwhile.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn adopt_agent(engine: &Engine, ctx: &OpContext, agent: &Agent) -> Result<(), Error> {
    ctx.require_role(OperatorRole::Admin)?;
    let mut tx = engine.db().control.begin_system().await?;
    if store::adopt_agent(&mut tx, ctx.tenant_id, agent, engine.clock().now()).await? {
        let message = format!("agent {} created by an import", agent.slug);
        finish(engine, tx, ctx, NewEntry::new(engine, ctx, "agent.created", "agent", agent.id, message).agent(agent.id)).await?;
    }
    match agent_holder(engine, agent.id).await? {
        Some((tenant, slug)) if tenant == ctx.tenant_id && slug == agent.slug => Ok(()),
        _ => Err(Error::Conflict(format!("the agent {} was created meanwhile with another id: import again", agent.slug))),
    }
}
