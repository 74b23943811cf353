//! What a worker does with a captured source: extract candidates, and place them in steps that are committed one by one.

use super::chat_model::ChatModel;
use super::extractor::{ExtractError, Extractor, Quotes};
use super::progress::Progress;
use super::store::{self, StoredSource};
use crate::consolidation::{self, NewCandidate, Owner, Spot};
use crate::profile::documents::Attachment;
use crate::profile::{self, Subject};
use chrono::TimeDelta;
use extract::parts::{self, StoredTurn};
use extract::{Extraction, Span, Transcript};
use foundation::jobs::{self, ExtractPayload, Held, Work};
use foundation::usage::Payer;
use foundation::{Engine, Error, OpContext, identity};
use models::chat::ChatError;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use verb::verb;
use wire::{CaptureMode, CapturePolicy, EventId, MemoryScope, QuarantineId, SourceForm, SourceId};

/// Longest pause that a provider may ask for.
const PAUSE_MAX: Duration = Duration::from_secs(3600);
/// The extractor of a source whose model nobody can pay for any more.
const QUOTES_UNPAID: &str = "quoting, because the balance is used up";
/// Candidates that one transaction places. A worker that dies loses at most the work on these.
const STEP: usize = 25;

/// An extraction that goes on.
struct Extracting<'a> {
    engine: &'a Engine,
    ctx: &'a OpContext,
    held: Held,
    payload: &'a ExtractPayload,
    owner: Owner,
    policy: CapturePolicy,
    source_id: SourceId,
    session_id: Option<Uuid>,
    filename: Option<String>,
    attachment_id: Option<String>,
    transcript: Transcript,
    progress: Progress,
}

/// Extracts candidates from a part of a source, one step: about 25 quotations, or one answer of a model. It stores candidates
/// together with how far it came, in transactions that hold the event: a worker that dies loses nothing and doubles nothing, and the next
/// step goes on where the last one stopped.
///
/// # Errors
/// When the database is out of reach: the event is tried again, and the source stays.
#[verb]
pub async fn extract_source(
    engine: &Engine,
    ctx: &OpContext,
    held: Held,
    payload: &ExtractPayload,
    stop: &CancellationToken,
) -> Result<Work, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let stored = store::source_of_event(&mut tx, ctx.tenancy(), held).await?.ok_or(Error::NotFound("source"))?;
    tx.commit().await?;
    let policy = identity::capture_policy(engine, ctx).await?;
    let owner = Owner { agent_id: held.agent_id, user_id: stored.user_id };
    let mut progress: Progress = stored.outcome.clone().and_then(|outcome| serde_json::from_value(outcome).ok()).unwrap_or_default();
    if progress.read == 0 {
        index_attachment(engine, ctx, owner, &stored).await?;
    }
    let mut extractor = extractor(engine, &policy, Payer::of(ctx, owner.agent_id, owner.user_id));
    let (source_id, session_id) = (stored.source_id, payload.session_id.or(stored.session_id));
    let (filename, attachment_id) = (stored.filename.clone(), stored.attachment_id.clone());
    let transcript = transcript(stored.content.unwrap_or_default(), stored.turns, payload);
    progress.of = transcript.text.len();
    progress.extractor = extractor.name().to_owned();
    let mut work =
        Extracting { engine, ctx, held, payload, owner, policy, source_id, session_id, filename, attachment_id, transcript, progress };
    let extraction = loop {
        let extraction = tokio::select! {
            () = stop.cancelled() => return Ok(Work::Stopped),
            extraction = extractor.extract(&work.transcript, work.progress.read) => extraction,
        };
        match extraction {
            Ok(extraction) => break extraction,
            Err(ExtractError::ChatModel(ChatError::Exhausted(_))) => {
                extractor = Box::new(Quotes);
                work.progress.extractor = QUOTES_UNPAID.to_owned();
            }
            Err(error) => return Ok(failure(&error)),
        }
    };
    match work.place(extraction, extractor.is_free(), stop).await? {
        None => Ok(Work::Stopped),
        Some(end) if end < work.progress.of => Ok(Work::Continues),
        Some(_) => {
            let fresh = work.progress.candidates + work.progress.promoted;
            metrics::counter!("remembrancer_extracted_candidates_total").increment(u64::from(fresh));
            Ok(Work::Done(work.progress.outcome()))
        }
    }
}

/// Makes the text of an attachment, or of what a tool printed, findable.
async fn index_attachment(engine: &Engine, ctx: &OpContext, owner: Owner, stored: &StoredSource) -> Result<(), Error> {
    let is_material = matches!(stored.form, SourceForm::Attachment | SourceForm::ToolOutput) || stored.attachment_id.is_some();
    let Some(text) = stored.content.as_deref().filter(|_| is_material) else { return Ok(()) };
    let attachment = Attachment {
        source_id: stored.source_id.0,
        connection_id: stored.connection_id,
        attachment_id: stored.attachment_id.as_deref(),
        filename: stored.filename.as_deref(),
        text,
    };
    profile::index_attachment(engine, ctx, Subject { agent_id: owner.agent_id, user_id: owner.user_id }, &attachment).await
}

/// A chat model where one is configured and the organisation allows it; else people are quoted, also after a model whose balance is used up.
fn extractor(engine: &Engine, policy: &CapturePolicy, payer: Payer) -> Box<dyn Extractor> {
    match engine.chat().is_some() && policy.outside_models {
        true => Box::new(ChatModel::new(engine.clone(), payer)),
        false => Box::new(Quotes),
    }
}

/// How an attempt ends whose extractor failed.
pub(super) fn failure(error: &ExtractError) -> Work {
    let pause = match error {
        ExtractError::ChatModel(ChatError::RateLimited { retry_after }) => retry_after.unwrap_or_default().min(PAUSE_MAX),
        _ => Duration::ZERO,
    };
    let again = error.is_transient().then(|| TimeDelta::from_std(pause).unwrap_or_default());
    Work::Failed { error: error.to_string(), again }
}

impl Extracting<'_> {
    /// Stores what one round of the extractor found: the beginning of it if finding the rest again costs nothing, or all of it. Returns how far
    /// the text is read now; `None`: the server stops.
    async fn place(&mut self, extraction: Extraction, is_free: bool, stop: &CancellationToken) -> Result<Option<usize>, Error> {
        let (engine, ctx) = (self.engine, self.ctx);
        let Extraction { candidates, quarantined, read_to, dropped } = extraction;
        self.progress.dropped += dropped;
        let from = self.progress.read;
        let vocabulary = engine.vocabulary().snapshot(&engine.db().kb, ctx.tenancy()).await?;
        let fresh = candidates.into_iter().filter(|candidate| candidate.span.start >= from);
        let mut candidates: Vec<NewCandidate> = fresh
            .map(|candidate| {
                // A model chooses a topic, a quotation is called by the term that it contains.
                let term = if is_free { vocabulary.longest_inside(&candidate.span.quote) } else { None };
                self.candidate(extract::Candidate { topic: term.unwrap_or(candidate.topic), ..candidate })
            })
            .collect();
        candidates.sort_by_key(|candidate| candidate.spot.starts);
        let mut rest = candidates.as_slice();
        loop {
            if stop.is_cancelled() && !rest.is_empty() {
                return Ok(None);
            }
            let (step, later) = rest.split_at(step(rest));
            let end = later.first().map_or(read_to, |next| next.spot.starts);
            let ready = consolidation::prepare(engine, ctx, self.owner, step).await?;
            let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
            if !jobs::store::hold(&mut tx, self.held).await? {
                return Err(Error::Unavailable("the lease was lost".into()));
            }
            for placed in consolidation::place_all(engine, ctx, &mut tx, self.owner, &ready, &self.policy).await? {
                self.progress.count(placed);
            }
            for one in quarantined.iter().filter(|one| (self.progress.read..end).contains(&one.span.start)) {
                let (id, spot) = (QuarantineId(engine.clock().id()), self.spot(&one.span, None));
                if store::insert_quarantine(&mut tx, ctx.tenancy(), self.owner, id, &spot, &one.reasons, engine.clock().now()).await? {
                    self.progress.quarantined += 1;
                }
            }
            self.progress.read = end;
            jobs::store::record_progress(&mut tx, self.held, &self.progress.outcome()).await?;
            tx.commit().await?;
            engine.relay().wake();
            engine.jobs().wake();
            rest = later;
            if is_free || rest.is_empty() {
                return Ok(Some(end));
            }
        }
    }

    fn candidate(&self, candidate: extract::Candidate) -> NewCandidate {
        let speaker = speaker(&self.transcript, candidate.span.start);
        NewCandidate {
            scope: self.payload.scope.unwrap_or(MemoryScope::Agent),
            project_id: self.payload.project_id,
            repo_id: self.payload.repo_id,
            session_id: self.session_id,
            filename: self.filename.clone(),
            attachment_id: self.attachment_id.clone(),
            spot: self.spot(&candidate.span, speaker),
            ..NewCandidate::of(candidate)
        }
    }

    fn spot(&self, span: &Span, speaker: Option<String>) -> Spot {
        let Self { source_id, held, .. } = *self;
        Spot { source_id, event_id: held.id, starts: span.start, ends: span.end, quote: span.quote.clone(), speaker }
    }
}

/// How many candidates the next step places. A step ends between two places, never between two candidates of one place.
fn step(rest: &[NewCandidate]) -> usize {
    let place = |at: usize| rest.get(at).map(|one| one.spot.starts);
    let mut size = rest.len().min(STEP);
    while size > 0 && size < rest.len() && place(size - 1) == place(size) {
        size += 1;
    }
    size
}

/// The transcript of a stored part of a source, as far as the event asks for it.
pub(crate) fn transcript(text: String, turns: Vec<StoredTurn>, payload: &ExtractPayload) -> Transcript {
    let mut turns = parts::turns(&text, turns);
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
    Transcript { text, turns, ..Transcript::default() }
}

/// Who says what is at a byte of the text.
fn speaker(transcript: &Transcript, at: usize) -> Option<String> {
    let turn = transcript.turns.partition_point(|turn| turn.end <= at);
    transcript.turns.get(turn).and_then(|turn| turn.speaker.clone())
}

impl NewCandidate {
    /// What an extractor found, with a scope and a place that the caller fills in.
    pub(crate) fn of(found: extract::Candidate) -> Self {
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
