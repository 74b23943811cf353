//! What a worker does with a captured source: extract candidates, and place them in steps that are committed one by one.

use super::extract::rules::Rules;
use super::extract::{self, ExtractError, Extraction, Extractor, Quarantined, Transcript};
use super::parts;
use super::store::{self, StoredSource};
use crate::api::{CaptureMode, EventId, MemoryKind, MemoryScope, QuarantineId, SourceId};
use crate::consolidation::{self, NewCandidate, Owner, Placed, Spot};
use crate::engine::Engine;
use crate::error::Error;
use crate::guard;
use crate::identity;
use crate::jobs::{self, Held};
use crate::op::OpContext;
use async_recursion::async_recursion as boxed;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tracing::instrument;
use uuid::Uuid;

/// Candidates that one transaction places. A worker that dies loses at most the work on these.
const STEP: usize = 25;

/// What an event asks an extraction to do.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ExtractPayload {
    pub mode: Option<CaptureMode>,
    pub scope: Option<MemoryScope>,
    pub project_id: Option<Uuid>,
    pub repo_id: Option<Uuid>,
    pub session_id: Option<Uuid>,
    /// A turn that a person released from quarantine, by its bytes: only this one is read, and it is not inspected.
    pub only: Option<(usize, usize)>,
}

/// A memory that an agent proposes, beside the source that holds its content.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InputPayload {
    pub topic_raw: String,
    pub kind: Option<MemoryKind>,
    pub rationale: Option<String>,
    pub alternatives: Vec<String>,
    pub confidence: Option<f32>,
    pub target: ExtractPayload,
}

/// How an extraction went so far; the outcome of its event.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Progress {
    extractor: String,
    /// Bytes of the source that were read, and in all.
    read: usize,
    of: usize,
    /// Candidates that wait in the inbox.
    candidates: u32,
    /// Memories that became durable by a rule.
    promoted: u32,
    /// Statements that a memory said already.
    merged: u32,
    /// Statements that were extracted from the same place before.
    known: u32,
    /// Statements that somebody forgot.
    forgotten: u32,
    quarantined: u32,
}

impl Progress {
    fn count(&mut self, placed: Placed) {
        match placed {
            Placed::Waiting(_) => self.candidates += 1,
            Placed::Promoted(_) => self.promoted += 1,
            Placed::Merged(_) => self.merged += 1,
            Placed::Known => self.known += 1,
            Placed::Forgotten => self.forgotten += 1,
        }
    }

    fn outcome(&self) -> Value {
        json!(self)
    }
}

/// Extracts candidates from a part of a source. Each step stores its candidates and how far it came, in one transaction that holds the
/// event: a worker that dies loses nothing and doubles nothing, and the next one goes on where it stopped. `None`: the server stops.
///
/// # Errors
/// When the database or the model is out of reach: the event is tried again, and the source stays.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn extract_source(
    engine: &Engine,
    ctx: &OpContext,
    held: Held,
    payload: &ExtractPayload,
    stop: &CancellationToken,
) -> Result<Option<Value>, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let stored = store::source_of_event(&mut tx, ctx.tenancy(), held).await?.ok_or(Error::NotFound("source"))?;
    let owner = Owner { agent_id: held.agent_id, user_id: stored.user_id };
    let mut progress: Progress = stored.outcome.clone().and_then(|outcome| serde_json::from_value(outcome).ok()).unwrap_or_default();
    tx.commit().await?;
    let policy = identity::capture_policy(engine, ctx).await?;

    let (source_id, session_id) = (stored.source_id, payload.session_id.or(stored.session_id));
    let transcript = transcript(stored, payload);
    progress.of = transcript.text.len();
    let (name, extraction) = extract(&transcript).await?;
    progress.extractor = name;
    let Extraction { candidates, quarantined } = extraction;
    let spot = |span: &extract::Span, speaker: Option<String>| Spot {
        source_id,
        event_id: held.id,
        starts: span.start,
        ends: span.end,
        quote: span.quote.clone(),
        speaker,
    };
    let mut candidates: Vec<NewCandidate> = candidates
        .into_iter()
        .filter(|candidate| candidate.span.start >= progress.read)
        .map(|candidate| {
            let speaker = speaker(&transcript, candidate.span.start);
            NewCandidate {
                scope: payload.scope.unwrap_or(MemoryScope::Agent),
                project_id: payload.project_id,
                repo_id: payload.repo_id,
                session_id,
                spot: spot(&candidate.span, speaker),
                ..NewCandidate::of(candidate)
            }
        })
        .collect();
    candidates.sort_by_key(|candidate| candidate.spot.starts);
    let fresh: Vec<&Quarantined> = quarantined.iter().filter(|one| one.span.start >= progress.read).collect();

    let mut rest = candidates.as_slice();
    loop {
        if stop.is_cancelled() && !rest.is_empty() {
            return Ok(None);
        }
        // A step ends between two places, never between two candidates of one place.
        let mut size = rest.len().min(STEP);
        while size > 0 && size < rest.len() && rest.get(size - 1).map(|one| one.spot.starts) == rest.get(size).map(|one| one.spot.starts) {
            size += 1;
        }
        let (step, later) = rest.split_at(size);
        let end = later.first().map_or(progress.of, |next| next.spot.starts);
        let ready = consolidation::prepare(engine, ctx, step).await;
        let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
        if !jobs::store::hold(&mut tx, held).await? {
            return Err(Error::Unavailable("the lease was lost".into()));
        }
        for placed in consolidation::place_all(engine, ctx, &mut tx, owner, &ready, &policy).await? {
            progress.count(placed);
        }
        for one in fresh.iter().filter(|one| (progress.read..end).contains(&one.span.start)) {
            let id = QuarantineId(engine.clock().id());
            let spot = spot(&one.span, None);
            if store::insert_quarantine(&mut tx, ctx.tenancy(), owner, id, &spot, &one.reasons, engine.clock().now()).await? {
                progress.quarantined += 1;
            }
        }
        progress.read = end;
        jobs::store::record_progress(&mut tx, held, &progress.outcome()).await?;
        tx.commit().await?;
        engine.relay().wake();
        engine.jobs().wake();
        rest = later;
        if rest.is_empty() {
            metrics::counter!("remembrancer_extracted_candidates_total").increment(u64::from(progress.candidates + progress.promoted));
            return Ok(Some(progress.outcome()));
        }
    }
}

/// The transcript of a stored source, as far as the event asks for it.
fn transcript(stored: StoredSource, payload: &ExtractPayload) -> Transcript {
    let text = stored.content.unwrap_or_default();
    let mut turns = parts::turns(&text, stored.turns);
    if turns.is_empty() {
        // An imported source has no turns: they are read again.
        turns = extract::transcript::plain(&text);
    }
    if payload.mode.is_some_and(|mode| mode != CaptureMode::Transcript) {
        // Notes and summaries speak of people; nobody speaks in them.
        for turn in &mut turns {
            turn.speaker = None;
        }
    }
    if let Some((start, end)) = payload.only {
        turns.retain(|turn| turn.start == start && turn.end == end);
        for turn in &mut turns {
            turn.cleared = true;
        }
    }
    Transcript { text, turns, removed: Vec::new() }
}

async fn extract(transcript: &Transcript) -> Result<(String, Extraction), Error> {
    let copy = transcript.clone();
    // The rules compute without a pause, for a second on a long text.
    let extraction = tokio::task::spawn_blocking(move || extract::rules::extract(&copy)).await;
    Ok((Rules.name().to_owned(), extraction.map_err(Error::failed("the extraction ended in the middle"))?))
}

/// Who says what is at a byte of the text.
fn speaker(transcript: &Transcript, at: usize) -> Option<String> {
    let turn = transcript.turns.partition_point(|turn| turn.end <= at);
    transcript.turns.get(turn).and_then(|turn| turn.speaker.clone())
}

impl From<ExtractError> for Error {
    fn from(error: ExtractError) -> Self {
        Self::Unavailable(error.to_string())
    }
}

/// Places a memory that an agent proposed.
///
/// # Errors
/// When the database is out of reach.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn place_input(engine: &Engine, ctx: &OpContext, held: Held, payload: &InputPayload) -> Result<Value, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let stored = store::source_of_event(&mut tx, ctx.tenancy(), held).await?.ok_or(Error::NotFound("source"))?;
    tx.commit().await?;
    let owner = Owner { agent_id: held.agent_id, user_id: stored.user_id };
    let policy = identity::capture_policy(engine, ctx).await?;
    let content = stored.content.unwrap_or_default();
    let spot = whole(stored.source_id, held.id, &content);
    let reasons = guard::inspect(&content);
    let target = &payload.target;
    let candidate = NewCandidate {
        kind: payload.kind.unwrap_or(MemoryKind::Profile),
        scope: target.scope.unwrap_or(MemoryScope::Agent),
        project_id: target.project_id,
        repo_id: target.repo_id,
        session_id: target.session_id,
        topic: payload.topic_raw.clone(),
        rationale: payload.rationale.clone(),
        alternatives: payload.alternatives.clone(),
        confidence: payload.confidence.unwrap_or(1.0),
        ..NewCandidate::statement(content, spot)
    };
    let ready = consolidation::prepare(engine, ctx, std::slice::from_ref(&candidate)).await;
    let mut progress = Progress { extractor: "none".into(), ..Progress::default() };
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if !jobs::store::hold(&mut tx, held).await? {
        return Err(Error::Unavailable("the lease was lost".into()));
    }
    if reasons.is_empty() {
        for placed in consolidation::place_all(engine, ctx, &mut tx, owner, &ready, &policy).await? {
            progress.count(placed);
        }
    } else {
        let id = QuarantineId(engine.clock().id());
        store::insert_quarantine(&mut tx, ctx.tenancy(), owner, id, &candidate.spot, &reasons, engine.clock().now()).await?;
        progress.quarantined = 1;
    }
    tx.commit().await?;
    engine.relay().wake();
    engine.jobs().wake();
    Ok(progress.outcome())
}

/// The whole text of a source as a place.
pub(super) fn whole(source_id: SourceId, event_id: EventId, content: &str) -> Spot {
    Spot { source_id, event_id, starts: 0, ends: content.len(), quote: content.to_owned(), speaker: None }
}

impl NewCandidate {
    /// What an extractor found, with a scope and a place that the caller fills in.
    fn of(found: extract::Candidate) -> Self {
        let spot = Spot {
            source_id: SourceId(Uuid::nil()),
            event_id: EventId(Uuid::nil()),
            starts: found.span.start,
            ends: found.span.end,
            quote: found.span.quote,
            speaker: None,
        };
        Self {
            kind: found.kind,
            topic: found.topic,
            subject: found.subject,
            category: found.category,
            confidence: found.confidence,
            importance: found.importance,
            observed_at: found.observed_at,
            rationale: found.rationale,
            alternatives: found.alternatives,
            corrects: found.corrects,
            ..Self::statement(found.statement, spot)
        }
    }
}
