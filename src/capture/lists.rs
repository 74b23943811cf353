//! What operators look at: sources with what became of them, and what waits.

use super::events::event_row;
use super::speakers::reading;
use super::store::{self, Located, Quoted, SourceNumbers, SourcePart};
use crate::memories::slugs;
use db::cursor::{Cursor, Seek};
use db::{Planned, Tx};
use extract::parts::StoredTurn;
use foundation::{Engine, Error, OpContext, identity};
use std::collections::HashMap;
use verb::verb;
use wire::{AgentId, EventBus, Page, QuotedMemory, SourceDetail, SourceFilter, SourceId, SourcePiece, SourceRow, SourceTurn};

/// Rows on one page of the console.
const PAGE: usize = 50;
/// Turns on one page of a source.
const TURNS: usize = 100;
/// Events on a source's page.
const EVENTS: i64 = 50;

/// A page of sources, newest first.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for an invalid cursor, and for a text that means no person, or several.
#[verb(role = Viewer)]
pub async fn sources(engine: &Engine, ctx: &OpContext, filter: &SourceFilter) -> Result<Page<SourceRow>, Error> {
    let seek = &Seek::from_parameters(filter.after.as_deref(), filter.before.as_deref())?;
    let user_id = identity::person(engine, ctx, filter.user_id.as_ref()).await?.map(Into::into);
    let filter = &SourceFilter { user_id, ..filter.clone() };
    let slugs = slugs(engine, ctx).await?;
    let read = |mut tx: Tx| async move {
        let total = store::source_count(&mut tx, ctx.tenant_id, filter).await?;
        let located = store::source_list(&mut tx, ctx.tenant_id, filter, seek, PAGE).await?;
        let page = seek.clone().page(located, PAGE, total, |one: &Located| Cursor { key: one.created_at, id: one.id.0 });
        let ids: Vec<SourceId> = page.rows.iter().map(|one| one.id).collect();
        let numbers = numbers_of(&mut tx, ctx, ids.into_iter()).await?;
        tx.commit().await?;
        Ok::<_, Error>((page, numbers))
    };
    let (page, numbers) = ctx.read(&engine.db().memory, Planned::ByPostgres, read).await?;
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
#[verb(role = Viewer)]
pub async fn source(engine: &Engine, ctx: &OpContext, id: SourceId, turn: i64) -> Result<SourceDetail, Error> {
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
    let form = parts.first().ok_or(Error::NotFound("source"))?.located.form;
    let reading = reading(form, parts.iter().filter_map(|part| part.turns.as_ref()).flat_map(|turns| &turns.0));
    let located = parts.into_iter().next().ok_or(Error::NotFound("source"))?.located;
    let last = from + turns.len();
    Ok(SourceDetail {
        source: source_row(Located { id, ..located }, &numbers, &slugs),
        reading,
        turns,
        next_turn: i64::try_from(last).ok().filter(|_| last < total && last > from),
        previous_turn: (from > 0).then(|| i64::try_from(from.saturating_sub(TURNS)).unwrap_or(0)),
        events: events.into_iter().map(|event| event_row(event, EventBus::Memories, &slugs, &HashMap::new())).collect(),
    })
}

/// Some turns of a part, cut where memories quote them.
async fn page_of(tx: &mut Tx, ctx: &OpContext, part: &SourcePart, begin: usize, end: usize) -> Result<Vec<SourceTurn>, Error> {
    let text = part.content.as_deref().unwrap_or_default();
    let stored = part.turns.as_ref().and_then(|turns| turns.0.get(begin..end)).unwrap_or_default();
    let place = |at: usize| i32::try_from(at).unwrap_or(i32::MAX);
    let from = place(stored.first().map_or(0, |turn| turn.start));
    let until = place(stored.last().map_or(0, |turn| turn.end));
    let quoted = store::quoted(tx, ctx.tenant_id, part.located.id, from, until).await?;
    let turn = |turn: &StoredTurn| SourceTurn {
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
        let from = usize::try_from(one.starts).unwrap_or(0);
        let until = usize::try_from(one.ends).unwrap_or(0).min(end);
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
