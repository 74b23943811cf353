//! Agents as admins manage them: made and changed by slug, retired, and brought back.

use super::issuing::retired;
use super::model::Agent;
use super::policy::CATEGORIES_MAX;
use super::{AGENT_NAME_MAX, check_slug, settle, store};
use crate::audit::{self, NewEntry};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::idempotency::Once;
use crate::intake::{Admitted, Reason};
use crate::op::OpContext;
use verb::verb;
use wire::{AdminAgent, AdminAgents, AgentId, AgentKind, AgentSettings, CATEGORY_MAX, Discipline, REASON_MAX};

/// Agents on a page of a list.
const PAGE: usize = 500;

/// A page of the organisation's agents with their settings by slug, those that are retired included, and the slug after which the next page
/// begins.
///
/// # Errors
/// `Forbidden` without the role `admin`.
#[verb(role = Admin)]
pub async fn list_agents(engine: &Engine, ctx: &OpContext, after: Option<&str>) -> Result<AdminAgents, Error> {
    let after = after.map(|after| Admitted::id("after", after)).transpose()?;
    let most = i64::try_from(PAGE + 1).unwrap_or(i64::MAX);
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let mut agents = store::agents_with_settings(&mut tx, ctx.tenant_id, after.as_ref().map(|after| after.as_str()), most).await?;
    tx.commit().await?;
    let more = agents.len() > PAGE;
    agents.truncate(PAGE);
    let next = agents.last().filter(|_| more).map(|agent| agent.slug.clone());
    Ok(AdminAgents { agents, next })
}

/// An agent with its settings, by slug.
///
/// # Errors
/// `Forbidden` without the role `admin`, `NotFound`.
#[verb(role = Admin)]
pub async fn agent_settings(engine: &Engine, ctx: &OpContext, slug: &str) -> Result<AdminAgent, Error> {
    // Postgres cannot even be asked for a text with NUL.
    if slug.contains('\0') {
        return Err(Error::NotFound("agent"));
    }
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let agent = store::agent_with_settings(&mut tx, ctx.tenant_id, slug).await?;
    tx.commit().await?;
    agent.ok_or(Error::NotFound("agent"))
}

/// Makes the agent with a slug, or changes it: what `settings` leaves out keeps its value, or is the default. One that is retired comes
/// back, without its keys. Returns the agent, and whether it is new. If nothing differs, no audit entry is written. Of two concurrent
/// callers, the settings of the later one apply, and each has an entry with the values from before.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid` for the slug, the name or the categories; `Conflict` for the slug of the commons.
#[verb(role = Admin)]
pub async fn put_agent(engine: &Engine, ctx: &OpContext, slug: &str, settings: AgentSettings) -> Result<(AdminAgent, bool), Error> {
    write(engine, ctx, slug, settings, true).await
}

/// Changes an agent in use: what `settings` leaves out keeps its value. Unlike [`put_agent`], it makes no agent and brings none back.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid` for the slug, the name or the categories; `NotFound`; `Conflict` for an agent that is
/// retired.
#[verb(role = Admin)]
pub async fn change_agent(engine: &Engine, ctx: &OpContext, slug: &str, settings: AgentSettings) -> Result<AdminAgent, Error> {
    write(engine, ctx, slug, settings, false).await.map(|(agent, _)| agent)
}

/// Writes the settings of an agent. `puts`: one that is missing is made, and one that is retired comes back.
async fn write(engine: &Engine, ctx: &OpContext, slug: &str, settings: AgentSettings, puts: bool) -> Result<(AdminAgent, bool), Error> {
    check_slug(slug)?;
    let request = Admitted::id("slug", slug)?.with(Admitted::new(settings)?);
    check(&request.1)?;
    let once = Once::new(engine, ctx, if puts { "admin.put_agent" } else { "admin.change_agent" }, &request)?;
    let (slug, settings) = request.into_inner();
    let mut tx = engine.db().control.begin_system().await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let is_new = puts && store::adopt_agent(&mut tx, ctx.tenant_id, &unset(engine, &slug), engine.clock().now()).await?;
    let before = store::agent_to_change(&mut tx, ctx.tenant_id, &slug).await?;
    let before = before.ok_or_else(|| match puts {
        true => Error::Conflict(format!("the slug {slug} is reserved for the memory that all agents share")),
        false => Error::NotFound("agent"),
    })?;
    if !puts && before.retired_at.is_some() {
        return Err(retired(&slug));
    }
    let after = with(before.clone(), settings);
    let mut entries = vec![];
    if after != before {
        store::update_agent(&mut tx, ctx.tenant_id, &after).await?;
    }
    if is_new || after != before {
        entries.push(entry_of(engine, ctx, (!is_new).then_some(&before), &after)?);
    }
    let answer = (after, is_new);
    settle(engine, ctx, tx, &once, &entries, &answer).await?;
    Ok(answer)
}

/// Retires an agent: its keys are revoked and it gets no others, and nobody can choose it. Its memories stay, and operators read them.
/// Returns the agent. Retiring it again changes nothing.
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid` for a reason that is too long; `NotFound`.
#[verb(role = Admin)]
pub async fn retire_agent(engine: &Engine, ctx: &OpContext, slug: &str, reason: Option<&str>) -> Result<AdminAgent, Error> {
    Checks::default().optional_text("reason", reason, REASON_MAX).done()?;
    // A reason that is there is not empty.
    let request = Admitted::id("slug", slug)?.with(Admitted::text("reason", reason.unwrap_or_default().to_owned())?);
    let once = Once::new(engine, ctx, "admin.retire_agent", &request)?;
    let mut tx = engine.db().control.begin_system().await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let mut agent = store::agent_to_change(&mut tx, ctx.tenant_id, slug).await?.ok_or(Error::NotFound("agent"))?;
    let mut entries = vec![];
    if agent.retired_at.is_none() {
        let (now, reason) = (engine.clock().now(), reason.map(Reason::new));
        agent.retired_at = Some(now);
        store::update_agent(&mut tx, ctx.tenant_id, &agent).await?;
        let entry = NewEntry::new(engine, ctx, "agent.retired", "agent", agent.id, format!("agent {slug} retired"));
        entries.push(entry.agent(agent.id).reason(reason.as_ref()));
        for key in store::revoke_keys_of(&mut tx, ctx.tenant_id, agent.id, now).await? {
            let entry = NewEntry::new(engine, ctx, "key.revoked", "key", key, format!("key revoked: the agent {slug} was retired"));
            entries.push(entry.agent(agent.id));
        }
    }
    settle(engine, ctx, tx, &once, &entries, &agent).await?;
    Ok(agent)
}

fn check(settings: &AgentSettings) -> Result<(), Error> {
    let categories = settings.knowledge_categories.as_deref().unwrap_or_default();
    let message = format!("has {} entries; at most {CATEGORIES_MAX} are allowed", categories.len());
    let mut checks = Checks::default();
    checks.optional_text("name", settings.name.as_deref(), AGENT_NAME_MAX);
    checks.that(categories.len() <= CATEGORIES_MAX, "knowledge_categories", message);
    for category in categories {
        checks.text("knowledge_categories", category, CATEGORY_MAX);
    }
    checks.done()
}

/// A new agent with the default of every setting.
fn unset(engine: &Engine, slug: &str) -> Agent {
    Agent {
        id: AgentId(engine.clock().id()),
        kind: AgentKind::Agent,
        slug: slug.to_owned(),
        name: slug.to_owned(),
        require_user: false,
        discipline: Discipline::Aggressive,
        blocked_at: None,
        retired_at: None,
    }
}

/// An agent in use, with settings in place of what it had.
fn with(agent: AdminAgent, settings: AgentSettings) -> AdminAgent {
    AdminAgent {
        name: settings.name.unwrap_or(agent.name),
        discipline: settings.discipline.unwrap_or(agent.discipline),
        require_user: settings.require_user.unwrap_or(agent.require_user),
        knowledge_categories: settings.knowledge_categories.unwrap_or(agent.knowledge_categories),
        keeps_context_texts: settings.keeps_context_texts.unwrap_or(agent.keeps_context_texts),
        retired_at: None,
        ..agent
    }
}

/// The entry of an agent that was made, changed or brought back.
fn entry_of(engine: &Engine, ctx: &OpContext, before: Option<&AdminAgent>, after: &AdminAgent) -> Result<NewEntry, Error> {
    let (action, word) = match before {
        None => ("agent.created", "created"),
        Some(before) if before.retired_at.is_some() => ("agent.restored", "restored"),
        Some(_) => ("agent.changed", "changed"),
    };
    let entry = NewEntry::new(engine, ctx, action, "agent", after.id, format!("agent {} {word}", after.slug));
    Ok(entry.agent(after.id).changes(audit::differences(before, after)?))
}
