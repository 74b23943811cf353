//! What operators look at: sources with what became of them, and the events of the bus.

use super::store::{self, Event, Located, Quoted, SourceNumbers, SourcePart};
use crate::api::{
    AgentId, BULK_MAX, CaptureNumbers, EventFilter, EventId, EventRow, EventState, OperatorRole, Page, QuotedMemory, SourceDetail,
    SourceFilter, SourceId, SourcePiece, SourceRow, SourceTurn,
};
use crate::audit::{self, NewEntry};
use crate::db::Tx;
use crate::db::cursor::{Cursor, Seek};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::jobs;
use crate::memories::slugs;
use crate::op::OpContext;
use async_recursion::async_recursion as boxed;
use serde_json::Value;
use std::collections::HashMap;
use tracing::instrument;

/// Rows on one page of the console.
const PAGE: usize = 50;
/// Turns on one page of a source.
const TURNS: usize = 100;
/// Events on a source's page.
const EVENTS: i64 = 50;

/// A page of sources, newest first.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for an invalid cursor.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn sources(engine: &Engine, ctx: &OpContext, filter: &SourceFilter) -> Result<Page<SourceRow>, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    let seek = Seek::from_parameters(filter.after.as_deref(), filter.before.as_deref())?;
    let slugs = slugs(engine, ctx).await?;
    let mut tx = engine.db().memory.begin_snapshot(ctx.tenancy()).await?;
    let total = store::source_count(&mut tx, ctx.tenant_id, filter).await?;
    let located = store::source_list(&mut tx, ctx.tenant_id, filter, &seek, PAGE).await?;
    let page = seek.page(located, PAGE, total, |one: &Located| Cursor { key: one.created_at, id: one.id.0 });
    let numbers = numbers_of(&mut tx, ctx, page.rows.iter().map(|one| one.id)).await?;
    tx.commit().await?;
    Ok(page.map(|one| source_row(one, &numbers, &slugs)))
}

async fn numbers_of(tx: &mut Tx, ctx: &OpContext, ids: impl Iterator<Item = SourceId>) -> Result<HashMap<SourceId, SourceNumbers>, Error> {
    let ids: Vec<SourceId> = ids.collect();
    let numbers = store::source_numbers(tx, ctx.tenant_id, &ids).await?;
    Ok(numbers.into_iter().map(|one| (one.whole_id, one)).collect())
}

fn source_row(one: Located, numbers: &HashMap<SourceId, SourceNumbers>, slugs: &HashMap<AgentId, String>) -> SourceRow {
    let numbers = numbers.get(&one.id);
    SourceRow {
        id: one.id,
        agent_id: one.agent_id,
        agent_slug: slugs.get(&one.agent_id).cloned().unwrap_or_else(|| one.agent_id.to_string()),
        user_id: one.user_id,
        form: one.form,
        title: one.title,
        media_type: one.media_type,
        bytes: numbers.map_or(0, |n| n.bytes),
        turns: numbers.map_or(0, |n| n.turns),
        parts: one.parts,
        created_at: one.created_at,
        state: numbers.and_then(|n| n.state),
        progress: numbers.map_or(0.0, |n| n.progress.clamp(0.0, 1.0)),
        waiting: numbers.map_or(0, |n| n.waiting),
        active: numbers.map_or(0, |n| n.active),
        rejected: numbers.map_or(0, |n| n.rejected),
        quarantined: numbers.map_or(0, |n| n.quarantined),
    }
}

/// A source with the turns from `turn` on; 0 is the first.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `NotFound` for another tenant's source.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn source(engine: &Engine, ctx: &OpContext, id: SourceId, turn: i64) -> Result<SourceDetail, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    let slugs = slugs(engine, ctx).await?;
    let mut tx = engine.db().memory.begin_snapshot(ctx.tenancy()).await?;
    let parts = store::source_parts(&mut tx, ctx.tenant_id, id).await?;
    let numbers = numbers_of(&mut tx, ctx, [id].into_iter()).await?;
    let from = usize::try_from(turn).unwrap_or(0);
    let (mut turns, mut passed) = (Vec::new(), 0);
    let mut total = 0;
    for part in &parts {
        let stored = part.turns.as_ref().map_or(&[][..], |turns| turns.0.as_slice());
        total += stored.len().max(1);
        let begin = from.saturating_sub(passed).min(stored.len());
        let end = (from + TURNS).saturating_sub(passed).min(stored.len());
        passed += stored.len();
        if begin < end {
            turns.extend(page_of(&mut tx, ctx, part, begin, end).await?);
        }
    }
    let events = store::events_of_source(&mut tx, ctx.tenant_id, id, EVENTS).await?;
    tx.commit().await?;
    let located = parts.into_iter().next().ok_or(Error::NotFound("source"))?.located;
    let last = from + turns.len();
    Ok(SourceDetail {
        source: source_row(Located { id, ..located }, &numbers, &slugs),
        turns,
        next_turn: i64::try_from(last).ok().filter(|_| last < total && last > from),
        previous_turn: (from > 0).then(|| i64::try_from(from.saturating_sub(TURNS)).unwrap_or(0)),
        events: events.into_iter().map(|event| event_row(event, &slugs)).collect(),
    })
}

/// Some turns of a part, cut where memories quote them.
async fn page_of(tx: &mut Tx, ctx: &OpContext, part: &SourcePart, begin: usize, end: usize) -> Result<Vec<SourceTurn>, Error> {
    let text = part.content.as_deref().unwrap_or_default();
    let stored = part.turns.as_ref().and_then(|turns| turns.0.get(begin..end)).unwrap_or_default();
    let place = |at: usize| i32::try_from(at).unwrap_or(i32::MAX);
    let reach = (place(stored.first().map_or(0, |turn| turn.start)), place(stored.last().map_or(0, |turn| turn.end)));
    let quoted = store::quoted(tx, ctx.tenant_id, part.located.id, reach).await?;
    let turn = |turn: &super::parts::StoredTurn| SourceTurn {
        speaker: turn.speaker.clone(),
        at: turn.at,
        pieces: pieces(text, (turn.start, turn.end), &quoted),
    };
    Ok(stored.iter().map(turn).collect())
}

/// A stretch of text, cut at the places that are quoted. Where places overlap, the one that begins first is shown.
fn pieces(text: &str, (start, end): (usize, usize), quoted: &[Quoted]) -> Vec<SourcePiece> {
    let (mut pieces, mut at) = (Vec::new(), start);
    let plain = |from: usize, until: usize, pieces: &mut Vec<SourcePiece>| {
        if let Some(text) = text.get(from..until).filter(|text| !text.is_empty()) {
            pieces.push(SourcePiece { text: text.to_owned(), memory: None, quarantined: Vec::new() });
        }
    };
    for one in quoted {
        let (from, until) = (usize::try_from(one.starts).unwrap_or(0), usize::try_from(one.ends).unwrap_or(0).min(end));
        let Some(words) = text.get(from..until).filter(|_| from >= at && until <= end && from < until) else { continue };
        plain(at, from, &mut pieces);
        let memory = match (one.memory_id, &one.content, one.status) {
            (Some(id), Some(content), Some(status)) => Some(QuotedMemory { id, content: content.clone(), status, deleted: one.deleted }),
            _ => None,
        };
        pieces.push(SourcePiece { text: words.to_owned(), memory, quarantined: one.reasons.clone() });
        at = until;
    }
    plain(at, end, &mut pieces);
    pieces
}

/// A page of events, newest first.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for an invalid cursor.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn events(engine: &Engine, ctx: &OpContext, filter: &EventFilter) -> Result<Page<EventRow>, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    let seek = Seek::from_parameters(filter.after.as_deref(), filter.before.as_deref())?;
    let slugs = slugs(engine, ctx).await?;
    let mut tx = engine.db().memory.begin_snapshot(ctx.tenancy()).await?;
    let total = store::event_count(&mut tx, ctx.tenant_id, filter).await?;
    let events = store::event_list(&mut tx, ctx.tenant_id, filter, &seek, PAGE).await?;
    tx.commit().await?;
    let page = seek.page(events, PAGE, total, |one: &Event| Cursor { key: one.created_at, id: one.id.0 });
    Ok(page.map(|event| event_row(event, &slugs)))
}

fn event_row(event: Event, slugs: &HashMap<AgentId, String>) -> EventRow {
    let open = matches!(event.state, EventState::Pending | EventState::Failed);
    EventRow {
        id: event.id,
        agent_id: event.agent_id,
        agent_slug: slugs.get(&event.agent_id).cloned().unwrap_or_else(|| event.agent_id.to_string()),
        kind: event.kind,
        outcome: event.outcome.as_ref().and_then(|outcome| in_words(&event.task, outcome)),
        task: event.task,
        state: event.state,
        attempt: event.attempt,
        error: event.error.filter(|_| event.state != EventState::Done),
        source_id: event.source_id,
        memory_id: event.memory_id.and_then(|id| id.parse().ok()),
        created_at: event.created_at,
        run_after: open.then_some(event.run_after),
        finished_at: event.finished_at,
    }
}

/// An outcome as a sentence: the numbers that are not zero, or what a maintenance job says.
fn in_words(task: &str, outcome: &Value) -> Option<String> {
    if let Some(result) = outcome.get("result").and_then(Value::as_str) {
        return Some(result.to_owned());
    }
    let number = |name: &str| outcome.get(name).and_then(Value::as_i64).unwrap_or(0);
    let counted = [
        ("observations", "read"),
        ("candidates", "added to the inbox"),
        ("promoted", "stored without review"),
        ("merged", "merged into memories"),
        ("known", "extracted before"),
        ("forgotten", "forgotten before"),
        ("quarantined", "put into quarantine"),
        ("dropped", "dropped without a quote"),
        ("proposed", "proposed"),
        ("profiled", "added to the profile"),
        ("corrected", "corrected in the profile"),
        ("unsupported", "dropped without support"),
    ];
    let mut words: Vec<String> =
        counted.into_iter().filter(|(name, _)| number(name) > 0).map(|(name, words)| format!("{} {words}", number(name))).collect();
    // The rules are what people expect, and a memory that an agent proposes has no extractor.
    let extractor = outcome.get("extractor").and_then(Value::as_str).filter(|name| !["", "rules", "none"].contains(name));
    words.extend(extractor.filter(|_| !words.is_empty()).map(|name| format!("by {name}")));
    match words.is_empty() {
        true if task == "extract" && number("read") >= number("of") => Some("nothing to remember".into()),
        true => None,
        false => Some(words.join(", ")),
    }
}

/// Makes dead events due again; how many.
///
/// # Errors
/// `Forbidden` without the role `operator`, `Invalid` for no ids or too many.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn retry(engine: &Engine, ctx: &OpContext, ids: &[EventId]) -> Result<i64, Error> {
    ctx.require_role(OperatorRole::Operator)?;
    let message = format!("names {} events; it may name 1 to {BULK_MAX}", ids.len());
    Checks::default().that((1..=BULK_MAX).contains(&ids.len()), "ids", message).done()?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let retried = store::retry(&mut tx, ctx.tenant_id, ids, engine.clock().now()).await?;
    for id in &retried {
        let entry = NewEntry::new(engine, ctx, "event.retried", "event", *id, "retried");
        audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    }
    jobs::store::announce(&mut tx).await?;
    tx.commit().await?;
    engine.jobs().wake();
    engine.captures().wake();
    engine.relay().wake();
    Ok(i64::try_from(retried.len()).unwrap_or(i64::MAX))
}

/// What waits: in the inbox, in quarantine, on the bus.
///
/// # Errors
/// `Forbidden` without the role `viewer`.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn numbers(engine: &Engine, ctx: &OpContext) -> Result<CaptureNumbers, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let numbers = store::numbers(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    Ok(numbers)
}
