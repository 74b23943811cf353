//! Sessions of agents: what each was given, and how much was captured from it. The host of a coding agent names the session with its calls;
//! an agent that stores messages names it itself.

pub mod store;

use crate::engine::Engine;
use crate::engine::log::Entry;
use crate::error::{Checks, Error};
use crate::identity;
use crate::op::OpContext;
use chrono::{DateTime, Utc};
use db::cursor::{Cursor, Seek};
use db::{DbError, Tx};
use std::collections::HashMap;
use store::{Made, Touch};
use uuid::Uuid;
use verb::verb;
use wire::{AgentId, AgentSession, AgentSessionFilter, Page, TenantId, is_slug};

/// Sessions on one page.
const PAGE: usize = 50;

/// A page of sessions, the last active first: an agent sees its own for the user it acts for and those without a user; an operator sees those
/// of the tenant.
///
/// # Errors
/// `Forbidden` without `memory:read` or the role `viewer`; `Invalid` for a foreign cursor, another agent's sessions, a host that is no slug,
/// or a text that means no person, or several.
#[verb]
pub async fn list(engine: &Engine, ctx: &OpContext, filter: &AgentSessionFilter) -> Result<Page<AgentSession>, Error> {
    ctx.require_reader()?;
    let own = ctx.agent_id().ok();
    let ctx = &identity::acting_for(engine, ctx, filter.user_id.as_ref()).await?;
    Checks::default()
        .that(
            own.is_none() || filter.agent_id.is_none() || filter.agent_id == own,
            "agent_id",
            "names another agent: an agent can list only its own sessions",
        )
        .that(filter.host.as_deref().is_none_or(is_slug), "host", "must have 1 to 63 characters of a-z, 0-9 and '-', such as claude-code")
        .done()?;
    let seek = Seek::from_parameters(filter.after.as_deref(), filter.before.as_deref())?;
    // An agent's own user is in its context.
    let user_id = identity::person(engine, ctx, filter.user_id.as_ref().filter(|_| own.is_none())).await?.map(Into::into);
    let filter = &AgentSessionFilter { agent_id: own.or(filter.agent_id), user_id, ..filter.clone() };
    let slugs = slugs(engine, ctx).await?;
    let mut tx = engine.db().memory.begin_snapshot(ctx.tenancy()).await?;
    let total = store::count(&mut tx, ctx.tenancy(), filter).await?;
    let rows = store::list(&mut tx, ctx.tenancy(), filter, &seek, PAGE).await?;
    let page = seek.page(rows, PAGE, total, |row: &AgentSession| Cursor { key: row.last_at, id: row.id });
    let made = made(&mut tx, ctx, page.rows.iter().map(|row| row.id).collect()).await?;
    tx.commit().await?;
    Ok(page.map(|row| whole(row, &slugs, &made)))
}

/// One session.
///
/// # Errors
/// `Forbidden` without the role `viewer`; `NotFound` for another tenant's session.
#[verb(role = Viewer)]
pub async fn session(engine: &Engine, ctx: &OpContext, id: Uuid) -> Result<AgentSession, Error> {
    let slugs = slugs(engine, ctx).await?;
    let mut tx = engine.db().memory.begin_snapshot(ctx.tenancy()).await?;
    let row = store::session(&mut tx, ctx.tenancy(), id).await?.ok_or(Error::NotFound("session"))?;
    let made = made(&mut tx, ctx, vec![id]).await?;
    tx.commit().await?;
    Ok(whole(row, &slugs, &made))
}

async fn slugs(engine: &Engine, ctx: &OpContext) -> Result<HashMap<AgentId, String>, Error> {
    Ok(identity::all_agents(engine, ctx).await?.into_iter().map(|agent| (agent.id, agent.slug)).collect())
}

async fn made(tx: &mut Tx, ctx: &OpContext, ids: Vec<Uuid>) -> Result<HashMap<Uuid, Made>, Error> {
    Ok(store::made(tx, ctx.tenancy(), &ids).await?.into_iter().map(|one| (one.session_id, one)).collect())
}

/// A row with what it does not hold itself.
fn whole(row: AgentSession, slugs: &HashMap<AgentId, String>, made: &HashMap<Uuid, Made>) -> AgentSession {
    let agent_slug = slugs.get(&row.agent_id).cloned().unwrap_or_else(|| row.agent_id.to_string());
    let (candidates, memories) = made.get(&row.id).map_or((0, 0), |made| (made.candidates, made.memories));
    AgentSession { agent_slug, candidates, memories, ..row }
}

/// Adds messages that are captured to the session that the operation belongs to, if it belongs to one. `said` is when they were said, as far
/// as that is known.
///
/// # Errors
/// When the database is out of reach.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn add_messages(
    tx: &mut Tx,
    ctx: &OpContext,
    agent: AgentId,
    messages: usize,
    said: &[DateTime<Utc>],
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    let Some((id, session)) = ctx.agent_session(agent) else { return Ok(()) };
    // A clock of another machine may be ahead.
    let past = || said.iter().copied().filter(move |at| *at <= now);
    let touch = Touch {
        user: ctx.user(),
        messages: i64::try_from(messages).unwrap_or(i64::MAX),
        from: past().min().unwrap_or(now),
        until: past().max().unwrap_or(now),
        ..Touch::of(agent, id, &session, now)
    };
    store::touch(tx, ctx.tenant_id, &touch).await
}

/// Adds recalls of the log to the sessions that they were made in. Rows are locked in the order of their ids, so two writers never deadlock.
///
/// # Errors
/// When the database is out of reach.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, entries = entries.len()))]
pub async fn add_recalls(tx: &mut Tx, tenant: TenantId, entries: &[Entry]) -> Result<(), DbError> {
    let mut given: Vec<_> = entries.iter().filter_map(|entry| Some((entry.session.as_ref()?, entry))).collect();
    given.sort_by_key(|((id, _), _)| *id);
    for ((id, session), entry) in given {
        let touch = Touch {
            user: entry.user_id,
            recalls: i64::from(!entry.for_context),
            contexts: i64::from(entry.for_context),
            ..Touch::of(entry.agent_id, *id, session, entry.at)
        };
        store::touch(tx, tenant, &touch).await?;
    }
    Ok(())
}
