//! What extraction missed: a person makes a candidate of words of a source.

use super::store::{self as sources, CapturedPart};
use super::{StoredTurn, reviewed, transcript};
use crate::consolidation::store;
use crate::consolidation::{NewCandidate, Owner, Placed, Spot, place_all, prepare};
use crate::memories::store as memories;
use extract::{self, quotes};
use foundation::audit::{self, NewEntry};
use foundation::intake::Admitted;
use foundation::jobs::{self, ExtractPayload, NewEvent, Task};
use foundation::{Checks, Engine, Error, OpContext};
use serde_json::json;
use std::ops::Range;
use verb::verb;
use wire::{CONTENT_MAX, CapturePolicy, EventId, MemoryId, MemoryKind, MemoryScope, MemoryStatus, QuarantineState, SourceId, TOPIC_MAX};

/// The words that a person makes a candidate of.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The turn of the source; 0 is the first.
    pub turn: usize,
    /// As the turn has them. Every run of white space counts as one blank: browsers send the ends of lines in a way of their own.
    pub words: String,
    pub kind: MemoryKind,
    /// Absent: the topic that extraction would propose.
    pub topic: Option<String>,
}

/// The memory that quotes the words now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Added {
    pub memory_id: MemoryId,
    /// Whether it waits in the inbox.
    pub waits: bool,
    /// False: it says the same, or quotes the same words, and was there before.
    pub is_new: bool,
}

/// Makes a candidate of words of a source. It is quoted and placed like an extracted one, but no rule makes it durable: it waits in the inbox,
/// unless a memory says the same, which then has the words as evidence.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `NotFound` for another tenant's source and a turn that it does not have; `Invalid` for the field
/// `words` if they are not in the turn or too long, and for the field `topic`; `Conflict` for a turn that may carry an instruction and was not
/// released from quarantine, and for words that were rejected, deleted or erased before.
#[verb(role = Reviewer)]
pub async fn add_candidate(engine: &Engine, ctx: &OpContext, source: SourceId, selection: Selection) -> Result<Added, Error> {
    // The words are only looked up: what is stored is the text of the source, which passed the gate.
    let Selection { turn, words, kind, topic } = selection;
    let topic = topic.filter(|topic| !topic.trim().is_empty()).map(|topic| Admitted::text("topic", topic)).transpose()?;
    let topic = topic.map(Admitted::into_inner);
    Checks::default().content("words", &words, CONTENT_MAX).optional_text("topic", topic.as_deref(), TOPIC_MAX).done()?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let parts = sources::captured_parts(&mut tx, ctx.tenancy(), source).await?;
    tx.commit().await?;
    if parts.is_empty() {
        return Err(Error::NotFound("source"));
    }
    let (part, turn) = find_turn(parts, turn).ok_or(Error::NotFound("turn"))?;
    let owner = Owner { agent_id: part.agent_id, user_id: part.user_id };
    let (mut candidate, is_suspicious) = read(part, &turn, &words, kind)?;
    candidate.spot.event_id = EventId(engine.clock().id());
    let vocabulary = engine.vocabulary().snapshot(&engine.db().kb, ctx.tenancy()).await?;
    candidate.topic = topic.or_else(|| vocabulary.longest_inside(&candidate.spot.quote)).unwrap_or(candidate.topic);
    Checks::default().bytes("words", &candidate.statement, CONTENT_MAX).done()?;

    let ready = prepare(engine, ctx, owner, std::slice::from_ref(&candidate)).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    // Since the source was read, an erasure may have taken it, or a person renamed its speakers.
    let held = sources::lock_parts(&mut tx, ctx.tenancy(), source).await?;
    let part = held.into_iter().find(|part| part.id == candidate.spot.source_id).ok_or(Error::NotFound("source"))?;
    if !part.turns.is_some_and(|turns| turns.contains(&turn)) {
        return Err(Error::Conflict("this turn has changed meanwhile: read the page again".into()));
    }
    let states = store::quarantine_at(&mut tx, ctx.tenancy(), owner, &candidate.spot).await?;
    check_quarantine(&states, is_suspicious)?;
    // Whoever adds it confirms it in the inbox, where others see it, too.
    let policy = reviewed(CapturePolicy::default());
    let placed = place_all(engine, ctx, &mut tx, owner, &ready, &policy).await?;
    let found = match store::memory_at(&mut tx, ctx.tenancy(), owner, &candidate.spot).await? {
        Some(id) => memories::by_ids(&mut tx, ctx.tenancy(), Some(owner.agent_id), &[id], false).await?.pop(),
        None => None,
    };
    let Some(memory) = found.filter(|memory| memory.deleted_at.is_none()) else {
        let message = "these words were rejected, deleted or erased before: if they were rejected or deleted, restore that memory instead";
        return Err(Error::Conflict(message.into()));
    };
    let is_new = matches!(placed.as_slice(), [Placed::Waiting(_)]);
    if placed != [Placed::Known] {
        let (outcome, message) =
            if is_new { ("proposed", "candidate added from a source") } else { ("merged", "evidence added from a source") };
        let event = NewEvent::done(engine, Task::Remember, json!({ "memory_id": memory.id, "outcome": outcome }));
        let event = NewEvent { id: candidate.spot.event_id, ..event };
        jobs::store::insert(&mut tx, ctx.tenant_id, owner.agent_id, &event).await?;
        let entry = NewEntry::new(engine, ctx, "memory.added", "memory", memory.id, message).agent(owner.agent_id);
        audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    }
    tx.commit().await?;
    engine.relay().settle().await;
    Ok(Added { memory_id: memory.id, waits: memory.status == MemoryStatus::Inbox, is_new })
}

/// A turn of a source, and the part that has it.
fn find_turn(parts: Vec<CapturedPart>, mut turn: usize) -> Option<(CapturedPart, StoredTurn)> {
    for part in parts {
        let turns = part.turns.as_ref().map_or(&[][..], |turns| turns.0.as_slice());
        match turns.get(turn).cloned() {
            Some(found) => return Some((part, found)),
            None => turn -= turns.len(),
        }
    }
    None
}

/// The candidate that extraction would make of words of a turn, with the scope of the last capture, and whether the turn may carry an
/// instruction for an agent.
fn read(part: CapturedPart, turn: &StoredTurn, words: &str, kind: MemoryKind) -> Result<(NewCandidate, bool), Error> {
    let payload: ExtractPayload = part.capture.and_then(|payload| serde_json::from_value(payload).ok()).unwrap_or_default();
    let transcript = transcript(part.content.unwrap_or_default(), part.turns.map(|turns| turns.0).unwrap_or_default(), &payload);
    let turn = transcript.turns.iter().find(|one| (one.start, one.end) == (turn.start, turn.end)).ok_or(Error::NotFound("turn"))?;
    let place = find(&turn.text, words).ok_or_else(|| Error::invalid("words", "are not in this turn: copy them exactly as they stand"))?;
    let place = turn.start + place.start..turn.start + place.end;
    let found = quotes::quote(&transcript, turn, place, kind).ok_or_else(|| Error::internal("the place of words cuts a character"))?;
    let candidate = NewCandidate::of(found);
    let candidate = NewCandidate {
        scope: payload.scope.unwrap_or(MemoryScope::Agent),
        project_id: payload.project_id,
        repo_id: payload.repo_id,
        session_id: payload.session_id.or(part.session_id),
        filename: part.filename,
        attachment_id: part.attachment_id,
        spot: Spot { source_id: part.source_id, speaker: turn.speaker.clone(), ..candidate.spot },
        ..candidate
    };
    Ok((candidate, extract::quarantined(&transcript, turn).is_some()))
}

/// Refuses words that no reviewer released from quarantine, also where nothing was captured that would have put them there.
fn check_quarantine(states: &[QuarantineState], is_suspicious: bool) -> Result<(), Error> {
    let message = if states.contains(&QuarantineState::Waiting) {
        "this turn is in quarantine: release it there first"
    } else if states.contains(&QuarantineState::Dismissed) {
        "this turn was dismissed from quarantine: no memory is made from it"
    } else if is_suspicious && !states.contains(&QuarantineState::Released) {
        "this turn may carry an instruction for an agent: capture the source, and release the turn from quarantine first"
    } else {
        return Ok(());
    };
    Err(Error::Conflict(message.into()))
}

/// The bytes of words in a text, the first of them. A run of white space is found by any other.
fn find(text: &str, words: &str) -> Option<Range<usize>> {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    // The text with single blanks, and where each of its bytes is in the text.
    let (mut plain, mut places) = (String::with_capacity(text.len()), Vec::with_capacity(text.len()));
    for (at, c) in text.char_indices() {
        if !c.is_whitespace() {
            plain.push(c);
            places.extend(at..at + c.len_utf8());
        } else if !plain.ends_with(' ') {
            plain.push(' ');
            places.push(at);
        }
    }
    let from = plain.find(&words)?;
    let (first, last) = (places.get(from)?, places.get((from + words.len()).checked_sub(1)?)?);
    Some(*first..*last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_with_any_white_space_and_as_a_whole() {
        let text = "I live\r\n in  Bern. Café „Zur Linde“,\u{a0}née Fröhlich";
        let found = |words: &str| find(text, words).and_then(|place| text.get(place));
        assert_eq!(found(" live in Bern.\n"), Some("live\r\n in  Bern."));
        assert_eq!(found("Linde“, née Fröhlich"), Some("Linde“,\u{a0}née Fröhlich"));
        assert_eq!((found("live in Basel"), found("livein"), found(" ")), (None, None, None));
    }
}
