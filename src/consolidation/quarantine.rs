//! Turns that may carry instructions for an agent: a person releases them for extraction or dismisses them.

use super::store::{self, Quarantined};
use crate::memories::slugs;
use db::cursor::{Cursor, Seek};
use foundation::audit::{self, NewEntry};
use foundation::jobs::{self, ExtractPayload, NewEvent, Origin, Task};
use foundation::{Engine, Error, OpContext};
use verb::verb;
use wire::{Page, QuarantineId, QuarantineItem, QuarantineState};

/// Turns on one page.
const PAGE: usize = 25;

/// A page of turns that wait, oldest first.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for an invalid cursor.
#[verb(role = Viewer)]
pub async fn quarantine(engine: &Engine, ctx: &OpContext, after: Option<&str>) -> Result<Page<QuarantineItem>, Error> {
    let seek = Seek::from_parameters(after, None)?;
    let slugs = slugs(engine, ctx).await?;
    let mut tx = engine.db().memory.begin_snapshot(ctx.tenancy()).await?;
    let total = store::quarantine_count(&mut tx, ctx.tenancy()).await?;
    let rows = store::quarantine_list(&mut tx, ctx.tenancy(), &seek, PAGE).await?;
    tx.commit().await?;
    let page = seek.page(rows, PAGE, total, |one: &Quarantined| Cursor { key: one.created_at, id: one.id.0 });
    Ok(page.map(|one| QuarantineItem {
        id: one.id,
        agent_slug: slugs.get(&one.agent_id).cloned().unwrap_or_else(|| one.agent_id.to_string()),
        agent_id: one.agent_id,
        source_id: one.source_id,
        source_title: one.source_title,
        quote: one.quote,
        reasons: one.reasons,
        created_at: one.created_at,
    }))
}

/// Releases a turn, so that it is extracted like any other, or dismisses it.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `NotFound` for another tenant's turn; `Conflict` if somebody decided already.
#[verb(role = Reviewer)]
pub async fn decide_quarantine(engine: &Engine, ctx: &OpContext, id: QuarantineId, release: bool) -> Result<(), Error> {
    let now = engine.clock().now();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let one = store::quarantined(&mut tx, ctx.tenancy(), id).await?.ok_or(Error::NotFound("turn in quarantine"))?;
    if one.state != QuarantineState::Waiting {
        return Err(Error::Conflict(format!("this turn was already {}", one.state)));
    }
    let state = if release { QuarantineState::Released } else { QuarantineState::Dismissed };
    store::close_quarantined(&mut tx, ctx.tenancy(), id, state, ctx.actor.name(), now).await?;
    if release {
        let (start, end) = (usize::try_from(one.starts).unwrap_or(0), usize::try_from(one.ends).unwrap_or(0));
        let payload = ExtractPayload { only: Some((start, end)), ..ExtractPayload::default() };
        let payload = serde_json::to_value(payload).map_err(Error::failed("a payload cannot be serialised"))?;
        let origin = Origin { source_id: Some(one.source_id), user_id: one.user_id, ..Origin::default() };
        let event = NewEvent { origin, ..NewEvent::pending(engine, Task::Extract, payload) };
        jobs::store::insert_with_origin(&mut tx, ctx.tenancy(), one.agent_id, &event).await?;
    }
    let entry = NewEntry::new(engine, ctx, "quarantine.decided", "source", one.source_id, format!("turn in quarantine {state}"))
        .agent(one.agent_id);
    audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    tx.commit().await?;
    engine.captures().wake();
    engine.relay().settle().await;
    Ok(())
}

/// Undoes a dismissal: the turn waits again.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `NotFound` for another tenant's turn; `Conflict` unless the turn is dismissed.
#[verb(role = Reviewer)]
pub async fn undo_dismissal(engine: &Engine, ctx: &OpContext, id: QuarantineId) -> Result<(), Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let one = store::quarantined(&mut tx, ctx.tenancy(), id).await?.ok_or(Error::NotFound("turn in quarantine"))?;
    if !store::reopen_quarantined(&mut tx, ctx.tenancy(), id).await? {
        return Err(Error::Conflict(format!("this turn is {}, not dismissed", one.state)));
    }
    let entry =
        NewEntry::new(engine, ctx, "quarantine.undone", "source", one.source_id, "turn in quarantine waits again").agent(one.agent_id);
    audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    tx.commit().await?;
    engine.relay().settle().await;
    Ok(())
}
