//! Requests to capture: an event for each part of a stored source. The answer does not wait for the work.

use super::input::InputPayload;
use super::source::{Paste, Read};
use super::store;
use crate::memories::remember::check_decision;
use db::{Tx, Users};
use foundation::audit::{self, NewEntry};
use foundation::idempotency::Once;
use foundation::identity::{self, acting_for, count_source};
use foundation::intake::Admitted;
use foundation::jobs::{self, ExtractPayload, NewEvent, Origin, Task};
use foundation::{Checks, Engine, Error, OpContext, projects};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use uuid::Uuid;
use verb::verb;
use wire::{
    AgentId, CONTENT_MAX, CaptureConversationRequest, CaptureMode, CaptureResponse, CaptureSessionRequest, CaptureTextRequest,
    CaptureTextResponse, EventKind, IngestMemoryRequest, KeyScope, MemoryInput, MemoryScope, QueuedResponse, SourceDetails, SourceForm,
    SourceId, SourceResponse, TOPIC_MAX, UserRef,
};

/// Queues the extraction of a conversation that was stored as a source.
///
/// # Errors
/// `Forbidden` without `capture:write`; `NotFound` for a source that is not the agent's and user's; `Invalid` for a scope without its id or
/// an attachment that is not text.
#[verb]
pub async fn capture_conversation(engine: &Engine, ctx: &OpContext, request: CaptureConversationRequest) -> Result<CaptureResponse, Error> {
    let (ctx, request) = &capturing(engine, ctx, request, |request| request.user_id.as_ref()).await?;
    let once = Once::new(engine, ctx, "capture_conversation", request)?;
    let project_id = projects::id_of(engine, ctx, request.project_id.as_ref()).await?;
    let target = Target { scope: request.scope, project_id, repo_id: request.repo_id, session_id: None };
    queue(engine, ctx, EventKind::ConversationCapture, request.source_ref, target.payload(request.capture_mode)?, &once).await
}

/// Queues the extraction of a session that ended.
///
/// # Errors
/// As [`capture_conversation`].
#[verb]
pub async fn capture_session(engine: &Engine, ctx: &OpContext, request: CaptureSessionRequest) -> Result<CaptureResponse, Error> {
    let (ctx, request) = &capturing(engine, ctx, request, |request| request.user_id.as_ref()).await?;
    let once = Once::new(engine, ctx, "capture_session", request)?;
    let project_id = projects::id_of(engine, ctx, request.project_id.as_ref()).await?;
    let target = Target { scope: request.scope, project_id, repo_id: request.repo_id, session_id: request.session_id };
    queue(engine, ctx, EventKind::SessionClose, request.source_ref, target.payload(None)?, &once).await
}

/// Stores a text as a source and queues its extraction, in one transaction.
///
/// # Errors
/// Those of [`add_source`](super::add_source) and of [`capture_conversation`].
#[verb(bytes = request.content.len())]
pub async fn capture_text(engine: &Engine, ctx: &OpContext, request: CaptureTextRequest) -> Result<CaptureTextResponse, Error> {
    let agent = ctx.agent_id()?;
    // The text does not pass the gate with the rest: reading it removes its secrets, and says which.
    let content = request.content.clone().into_bytes();
    let request = CaptureTextRequest { content: String::new(), ..request };
    let (ctx, request) = &capturing(engine, ctx, request, |request| request.user_id.as_ref()).await?;
    let once = Once::new(engine, ctx, "capture_text", &request.clone().with(Admitted::new(Sha256::digest(&content).to_vec())?))?;
    let project_id = projects::id_of(engine, ctx, request.project_id.as_ref()).await?;
    let target = Target { scope: request.scope, project_id, repo_id: request.repo_id, session_id: None };
    let mode = request.capture_mode.unwrap_or(CaptureMode::Transcript);
    let payload = target.payload(Some(mode))?;
    let (title, time_zone) = (request.title.clone(), request.time_zone.clone());
    let details = SourceDetails { form: Some(mode.form()), title, time_zone, ..SourceDetails::default() };
    count_source(engine, ctx, content.len()).await?;
    let read = Read::new(Admitted::new(details)?, content).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let source = read.store(engine, ctx, &mut tx, agent).await?;
    let queued = insert_events(engine, ctx, &mut tx, agent, EventKind::ConversationCapture, source.source_id, &payload).await?;
    let answer = CaptureTextResponse { source, event_ids: queued.event_ids };
    once.commit(tx, &answer, &[]).await?;
    engine.captures().wake();
    engine.relay().wake();
    Ok(answer)
}

/// Proposes one memory for review. It goes the same way as everything that extraction finds.
///
/// # Errors
/// `Forbidden` without `capture:write`; `Invalid` with every field that is wrong.
#[verb]
pub async fn ingest(engine: &Engine, ctx: &OpContext, request: IngestMemoryRequest) -> Result<QueuedResponse, Error> {
    let agent = ctx.agent_id()?;
    let (ctx, request) = &capturing(engine, ctx, request, |request| request.user_id.as_ref()).await?;
    let once = Once::new(engine, ctx, "ingest", request)?;
    let MemoryInput { topic_raw, content, kind, scope, project_id, repo_id, session_id, rationale, alternatives, confidence } =
        request.memory_input.clone();
    let mut checks = Checks::default();
    checks.text("memory_input.topic_raw", &topic_raw, TOPIC_MAX).bytes("memory_input.content", &content, CONTENT_MAX).that(
        confidence.is_none_or(|c| (0.0..=1.0).contains(&c)),
        "memory_input.confidence",
        "must be a number from 0 to 1",
    );
    check_decision(&mut checks, rationale.as_deref(), &alternatives);
    checks.done()?;
    let project_id = projects::id_of(engine, ctx, project_id.as_ref()).await?;
    let target = Target { scope, project_id, repo_id, session_id }.payload(None)?;
    let details = SourceDetails { form: Some(SourceForm::Note), title: Some(topic_raw.clone()), ..SourceDetails::default() };
    let read = Read::statement(Admitted::new(details)?, &content);
    count_source(engine, ctx, content.len()).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let source = read.store(engine, ctx, &mut tx, agent).await?;
    let payload = InputPayload { topic_raw, kind, rationale, alternatives, confidence, target };
    let payload = serde_json::to_value(payload).map_err(Error::failed("a payload cannot be serialised"))?;
    let origin = Origin { source_id: Some(source.source_id), session_id, requested_scope: scope, ..Origin::default() };
    let event = NewEvent { origin, ..NewEvent::pending(engine, Task::Ingest, payload) };
    jobs::store::insert_with_origin(&mut tx, ctx.tenancy(), agent, &event).await?;
    let answer = QueuedResponse { event_id: event.id };
    once.commit(tx, &answer, &[]).await?;
    engine.captures().wake();
    Ok(answer)
}

/// Stores what an operator pasted for an agent, and queues its extraction.
///
/// # Errors
/// `Forbidden` without the role `operator`; `NotFound` for another tenant's agent; `Invalid` for an unknown user, and as for a source.
#[verb(role = Operator)]
pub async fn paste(engine: &Engine, ctx: &OpContext, paste: Paste) -> Result<SourceResponse, Error> {
    identity::agent(engine, ctx, paste.agent_id).await?;
    let user = identity::person(engine, ctx, paste.user_id.as_ref()).await?;
    let ctx = &OpContext { users: user.map_or(ctx.users, Users::One), ..ctx.clone() };
    let target = Target { scope: paste.scope, project_id: paste.project_id, repo_id: None, session_id: None };
    let payload = target.payload(Some(paste.mode))?;
    let form = Some(paste.mode.form());
    let Paste { title, filename, time_zone, .. } = paste;
    let details = SourceDetails { form, title, filename, time_zone, ..SourceDetails::default() };
    let read = Read::new(Admitted::new(details)?, paste.text.into_bytes()).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let source = read.store(engine, ctx, &mut tx, paste.agent_id).await?;
    insert_events(engine, ctx, &mut tx, paste.agent_id, EventKind::ConversationCapture, source.source_id, &payload).await?;
    tx.commit().await?;
    engine.captures().wake();
    engine.relay().wake();
    Ok(source)
}

/// Where the memories of a capture belong.
struct Target {
    scope: Option<MemoryScope>,
    project_id: Option<Uuid>,
    repo_id: Option<Uuid>,
    session_id: Option<Uuid>,
}

impl Target {
    fn payload(self, mode: Option<CaptureMode>) -> Result<ExtractPayload, Error> {
        Checks::default()
            .that(self.scope != Some(MemoryScope::Project) || self.project_id.is_some(), "project_id", "is required with the scope project")
            .that(self.scope != Some(MemoryScope::Repo) || self.repo_id.is_some(), "repo_id", "is required with the scope repo")
            .that(self.scope != Some(MemoryScope::Session) || self.session_id.is_some(), "session_id", "is required with the scope session")
            .done()?;
        let Self { scope, project_id, repo_id, session_id } = self;
        // Who names a project means that it holds there.
        let scope = scope.or(match (repo_id, project_id) {
            (Some(_), _) => Some(MemoryScope::Repo),
            (None, Some(_)) => Some(MemoryScope::Project),
            (None, None) => None,
        });
        Ok(ExtractPayload { mode, scope, project_id, repo_id, session_id, only: None })
    }
}

/// The context of an agent that captures, and its request. `user` names the user of a request.
pub(super) async fn capturing<T: Serialize + DeserializeOwned>(
    engine: &Engine,
    ctx: &OpContext,
    request: T,
    user: impl Fn(&T) -> Option<&UserRef>,
) -> Result<(OpContext, Admitted<T>), Error> {
    ctx.agent_id()?;
    ctx.require(KeyScope::CaptureWrite)?;
    let request = Admitted::new(request)?;
    let ctx = acting_for(engine, ctx, user(&request)).await?;
    Ok((ctx, request))
}

async fn queue(
    engine: &Engine,
    ctx: &OpContext,
    kind: EventKind,
    source: SourceId,
    payload: ExtractPayload,
    once: &Once<'_>,
) -> Result<CaptureResponse, Error> {
    let agent = ctx.agent_id()?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let answer = insert_events(engine, ctx, &mut tx, agent, kind, source, &payload).await?;
    once.commit(tx, &answer, &[]).await?;
    engine.captures().wake();
    engine.relay().wake();
    Ok(answer)
}

/// Queues every part of a source.
async fn insert_events(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    agent: AgentId,
    kind: EventKind,
    source: SourceId,
    payload: &ExtractPayload,
) -> Result<CaptureResponse, Error> {
    let parts = store::parts(tx, ctx.tenancy(), agent, source).await?;
    if parts.is_empty() {
        return Err(Error::NotFound("source"));
    }
    let json = serde_json::to_value(payload).map_err(Error::failed("a payload cannot be serialised"))?;
    let mut event_ids = Vec::with_capacity(parts.len());
    if parts.iter().any(|(_, is_text)| !is_text) {
        return Err(Error::invalid("source_ref", "is an attachment that is not text: it is stored, but cannot be captured"));
    }
    for (part, _) in parts {
        let origin = Origin { source_id: Some(part), session_id: payload.session_id, requested_scope: payload.scope, ..Origin::default() };
        let event = NewEvent { kind, origin, ..NewEvent::pending(engine, Task::Extract, json.clone()) };
        jobs::store::insert_with_origin(tx, ctx.tenancy(), agent, &event).await?;
        event_ids.push(event.id);
    }
    let entry = NewEntry::new(engine, ctx, "source.captured", "source", source, "captured").agent(agent);
    audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    Ok(CaptureResponse { event_ids })
}
