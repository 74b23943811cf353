//! The messages of a session, in the order in which they were stored.

use super::store;
use db::cursor::{Cursor, Seek};
use foundation::identity::acting_for;
use foundation::{Checks, Engine, Error, OpContext};
use verb::verb;
use wire::{KeyScope, Page, SESSION_MAX, SessionFilter, SessionMessage, StateFilter};

/// Why no agent gets them: no other read by an agent's key finds them either.
const BEYOND_REACH: &str = "only operators read expired, archived and deleted messages: they find them on the console's Memories page with \
    the filter Session; leave state out for the messages that are live";
/// Messages on one page.
const PAGE: usize = 100;

/// A page of the live messages of a session, oldest first. A session belongs to its agent and to the user it was written for: the same name
/// for another user, or without one, is another session.
///
/// # Errors
/// `Forbidden` without `memory:read`, and for messages that are out of an agent's reach; `NotFound` for a session without any message; `Invalid` for a foreign cursor or a name that is empty
/// or too long.
#[verb]
pub async fn session_messages(
    engine: &Engine,
    ctx: &OpContext,
    session: &str,
    filter: &SessionFilter,
) -> Result<Page<SessionMessage>, Error> {
    let agent = ctx.agent_id()?;
    ctx.require(KeyScope::MemoryRead)?;
    Checks::default().text("session", session, SESSION_MAX).done()?;
    if filter.state == Some(StateFilter::All) {
        return Err(Error::Forbidden(BEYOND_REACH.into()));
    }
    let ctx = &acting_for(engine, ctx, filter.user_id.as_ref()).await?;
    let seek = Seek::from_parameters(filter.after.as_deref(), filter.before.as_deref())?;
    let (id, now) = (ctx.session_id(agent, session), engine.clock().now());
    let mut tx = engine.db().memory.begin_snapshot(ctx.tenancy()).await?;
    if !store::session_exists(&mut tx, ctx.tenancy(), agent, id).await? {
        return Err(Error::NotFound("session"));
    }
    let total = store::count_session(&mut tx, ctx.tenancy(), agent, id, now).await?;
    let rows = store::list_session(&mut tx, ctx.tenancy(), agent, id, &seek, PAGE, now).await?;
    tx.commit().await?;
    let page = seek.page(rows, PAGE, total, |row: &SessionMessage| Cursor { key: row.created_at, id: row.memory_id.0 });
    Ok(page)
}
