//! The context log for operators: its list, and one entry with the names of its sources.

use super::log::logged;
use super::sources;
use super::store;
use crate::memories;
use db::cursor::{Cursor, Seek};
use db::{Planned, Tx};
use foundation::{Checks, Engine, Error, OpContext, identity};
use std::collections::HashMap;
use verb::verb;
use wire::{AgentId, ContextDetail, ContextEntry, ContextFilter, ContextId, Page};

/// Contexts on one page.
const PAGE: usize = 25;

/// A page of the context log, newest first.
///
/// # Errors
/// `Forbidden` without the role `viewer`; `Invalid` for a foreign cursor, a period that ends before it begins, or a text that means
/// nobody, or several people.
#[verb(role = Viewer)]
pub async fn entries(engine: &Engine, ctx: &OpContext, filter: &ContextFilter) -> Result<Page<ContextEntry>, Error> {
    Checks::default()
        .that(filter.from.zip(filter.until).is_none_or(|(from, until)| from < until), "until", "must be later than from")
        .done()?;
    let seek = &Seek::from_parameters(filter.after.as_deref(), filter.before.as_deref())?;
    let user = identity::person(engine, ctx, filter.user_id.as_ref()).await?;
    let slugs = memories::slugs(engine, ctx).await?;
    let read = |mut tx: Tx| async move {
        let total = store::count_contexts(&mut tx, ctx.tenancy(), filter, user).await?;
        let rows = store::list_contexts(&mut tx, ctx.tenancy(), filter, user, seek, PAGE).await?;
        tx.commit().await?;
        Ok::<_, Error>((total, rows))
    };
    let (total, rows) = ctx.read(&engine.db().memory, Planned::ByPostgres, read).await?;
    let page = seek.clone().page(rows, PAGE, total, |row: &ContextEntry| Cursor { key: row.at, id: row.id.0 });
    Ok(page.map(|row| ContextEntry { agent_slug: slug(&slugs, row.agent_id), ..row }))
}

fn slug(slugs: &HashMap<AgentId, String>, agent: AgentId) -> String {
    slugs.get(&agent).cloned().unwrap_or_else(|| agent.to_string())
}

/// One context of the log with the names of its sources.
///
/// # Errors
/// As [`logged`]; `Forbidden` for agents.
#[verb(role = Viewer)]
pub async fn entry(engine: &Engine, ctx: &OpContext, id: ContextId) -> Result<ContextDetail, Error> {
    let context = logged(engine, ctx, id, None).await?;
    let slugs = memories::slugs(engine, ctx).await?;
    let sources = sources::names(engine, ctx, &context.blocks).await?;
    Ok(ContextDetail { agent_slug: slug(&slugs, context.agent_id), context, sources })
}
