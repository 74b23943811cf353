//! remember: one fact, stored once, even if many callers say it at the same moment.

use super::model::{Change, DedupKey, Details, Draft, Memory, content_hash, embedded_text, wording};
use super::quota;
use super::store::{self, Birth, Embedded};
use crate::aging::expiry;
use crate::api::{
    ALTERNATIVES_MAX, AgentId, CONTENT_MAX, EVIDENCE_MAX, LifecyclePolicy, MemoryId, MemoryKind, MemoryScope, MemoryStatus, Promotion,
    RATIONALE_MAX, Relation, RememberRequest, RememberResponse, Retention, SUBJECT_MAX, SUMMARY_MAX, Scope, Source, SourceKind, TITLE_MAX,
    TOPIC_MAX,
};
use crate::audit::{self, NewEntry};
use crate::db::{DbError, Tx, lock};
use crate::engine::{Engine, Missing};
use crate::error::{Checks, Error};
use crate::guard::{self, SecretKind};
use crate::idempotency::Once;
use crate::identity::{self, acting_for};
use crate::jobs::{self, NewEvent, Task};
use crate::op::OpContext;
use crate::vocabulary::{self, Resolved};
use async_recursion::async_recursion as boxed;
use chrono::{DateTime, Utc};
use std::time::Duration;
use tokio::time::Instant;
use tracing::instrument;

/// Tries for a free short id. Two collisions in a row among 218 trillion do not happen.
const SHORT_ID_TRIES: usize = 4;

/// Stores a memory, or a new version of the one it repeats, or only records that it was said again.
///
/// 1. The topic is looked up in the vocabulary; an unknown one is proposed. 2. `topic ‖ content` is embedded within a budget; storage
///    never waits on a model. 3. Under a lock on the key, equal content is counted, a near-duplicate (cosine above the model's dedup
///    threshold) becomes a new version, anything else a new memory.
///
/// # Errors
/// `Forbidden` without `memory:write` (or `commons:write` for the commons), `Invalid` with every field that is wrong.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn remember(engine: &Engine, ctx: &OpContext, request: RememberRequest) -> Result<RememberResponse, Error> {
    let (request, redacted) = without_secrets(request);
    ctx.agent_id()?;
    ctx.require(Scope::MemoryWrite)?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    let once = Once::new(engine, ctx, "remember", &request)?;
    let prepared = prepare(engine, ctx, (request, redacted)).await?;
    let vector = engine.embed_for_write(ctx.into(), &prepared.text()).await;
    prepared.store(engine, ctx, vector, &once).await
}

/// The request without secrets, and the kinds of those: a marker stands where one was. They must be gone before anything is stored or
/// hashed.
pub(super) fn without_secrets(request: RememberRequest) -> (RememberRequest, Vec<SecretKind>) {
    let mut removed = Vec::new();
    let mut clean = |text: String| guard::take_secrets(text, &mut removed);
    let request = RememberRequest {
        topic_raw: clean(request.topic_raw),
        content: clean(request.content),
        title: request.title.map(&mut clean),
        summary: request.summary.map(&mut clean),
        rationale: request.rationale.map(&mut clean),
        alternatives: request.alternatives.into_iter().map(&mut clean).collect(),
        evidence_ref: request.evidence_ref.map(&mut clean),
        ..request
    };
    (request, removed)
}

/// A request that was checked, under the name that the vocabulary has for its topic.
pub(super) struct Prepared {
    resolved: Resolved,
    draft: Draft,
    redacted: Vec<SecretKind>,
    start: Instant,
}

/// Whether what an agent writes to the commons waits for a person: other agents will read it.
///
/// # Errors
/// When the database is out of reach.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn needs_review(engine: &Engine, ctx: &OpContext, request: &RememberRequest) -> Result<bool, Error> {
    let texts = [Some(&request.content), request.title.as_ref(), request.summary.as_ref(), Some(&request.topic_raw)];
    let text: Vec<&str> = texts.into_iter().flatten().map(String::as_str).collect();
    Ok(request.commons && is_reviewed_first(engine, ctx, &text.join("\n\n")).await?)
}

/// Whether a person reviews this text before other agents read it: because the policy says so, or because it may carry instructions.
///
/// # Errors
/// When the database is out of reach.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn is_reviewed_first(engine: &Engine, ctx: &OpContext, text: &str) -> Result<bool, Error> {
    Ok(!guard::inspect(text).is_empty() || identity::capture_policy(engine, ctx).await?.commons == Promotion::Review)
}

/// Checks a request, whose secrets were removed, and looks its topic up.
///
/// # Errors
/// As [`remember`].
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn prepare(
    engine: &Engine,
    ctx: &OpContext,
    (request, redacted): (RememberRequest, Vec<SecretKind>),
) -> Result<Prepared, Error> {
    let start = Instant::now();
    check(ctx, &request)?;
    let resolved = resolve(engine, ctx, &request.topic_raw).await;
    let review = needs_review(engine, ctx, &request).await?;
    let lifecycle = lifecycle(engine, ctx, request.commons).await?;
    let draft = Draft { review, ..draft(ctx, ctx.agent_id()?, request, (&resolved, lifecycle)) };
    Ok(Prepared { resolved, draft, redacted, start })
}

impl Prepared {
    /// What the model embeds.
    pub(super) fn text(&self) -> String {
        embedded_text(&self.draft.key.topic, &self.draft.content)
    }

    /// Stores it in a transaction of its own; without a vector, that comes later.
    ///
    /// # Errors
    /// When the database is out of reach, and those of [`Once::claim`].
    #[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
    pub(super) async fn store(
        self,
        engine: &Engine,
        ctx: &OpContext,
        vector: Result<Vec<f32>, Missing>,
        once: &Once<'_>,
    ) -> Result<RememberResponse, Error> {
        let Self { resolved, draft, redacted, start } = self;
        let degraded = vector.as_ref().err().map(|missing| missing.of_write()).unwrap_or_default();
        let vector = vector.ok();
        let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
        if let Some(answer) = once.claim(&mut tx).await? {
            return Ok(answer);
        }
        if draft.fades() {
            quota::lock_episodes(&mut tx, draft.key.agent_id).await?;
        }
        lock(&mut tx, draft.key.lock()).await?;
        let outcome = write(engine, ctx, &mut tx, &draft, vector.as_deref()).await?;
        if draft.fades() {
            quota::make_room(engine, ctx, &mut tx, draft.key.agent_id, &draft.lifecycle).await?;
        }
        let proposal = !resolved.is_canonical;
        leave_traces(engine, ctx, &mut tx, &draft, &outcome, Traces { proposal, late: vector.is_none(), reason: None }).await?;
        let answer = RememberResponse { degraded, ..outcome.response(resolved, &redacted) };
        once.commit(tx, &answer, &[answer.memory_id]).await?;
        count(engine, &outcome, vector.is_none(), start.elapsed());
        Ok(answer)
    }
}

/// Wakes the workers that continue with the write, and counts it.
pub(crate) fn count(engine: &Engine, outcome: &Outcome, late: bool, took: Duration) {
    engine.relay().wake();
    if late {
        engine.jobs().wake();
    }
    metrics::histogram!("agent_memory_remember_seconds").record(took.as_secs_f64());
    metrics::counter!("agent_memory_remember_total", "outcome" => outcome.word()).increment(1);
}

fn check(ctx: &OpContext, request: &RememberRequest) -> Result<(), Error> {
    let scope = request.scope.unwrap_or(MemoryScope::Agent);
    let private = matches!(scope, MemoryScope::Agent | MemoryScope::Session);
    let mut checks = Checks::default();
    checks
        .text("topic_raw", &request.topic_raw, TOPIC_MAX)
        .bytes("content", &request.content, CONTENT_MAX)
        .that(scope != MemoryScope::Project || request.project_id.is_some(), "project_id", "is required with the scope project")
        .that(scope != MemoryScope::Repo || request.repo_id.is_some(), "repo_id", "is required with the scope repo")
        .that(scope != MemoryScope::Session || request.session_id.is_some(), "session_id", "is required with the scope session")
        .that(!(request.commons && private), "scope", "must be global, project or repo to be shared")
        .optional_text("subject", request.subject.as_deref(), SUBJECT_MAX)
        .optional_text("title", request.title.as_deref(), TITLE_MAX);
    check_support(&mut checks, request.confidence, request.summary.as_deref(), request.evidence_ref.as_deref()).that(
        request.importance.is_none_or(|i| (0.0..=1.0).contains(&i)),
        "importance",
        "must be a number from 0 to 1",
    );
    check_source(&mut checks, &request.source);
    check_decision(&mut checks, request.rationale.as_deref(), &request.alternatives);
    checks.done()?;
    if request.commons { ctx.require(Scope::CommonsWrite) } else { Ok(()) }
}

/// Checks the fields that support a content.
pub(super) fn check_support<'a>(
    checks: &'a mut Checks,
    confidence: Option<f32>,
    summary: Option<&str>,
    evidence: Option<&str>,
) -> &'a mut Checks {
    checks
        .that(confidence.is_none_or(|c| (0.0..=1.0).contains(&c)), "confidence", "must be a number from 0 to 1")
        .optional_text("summary", summary, SUMMARY_MAX)
        .optional_text("evidence_ref", evidence, EVIDENCE_MAX)
}

/// Checks why something was decided, and what was rejected.
pub(crate) fn check_decision(checks: &mut Checks, rationale: Option<&str>, alternatives: &[String]) {
    let message = format!("has {} entries; at most {ALTERNATIVES_MAX} are allowed", alternatives.len());
    checks.optional_text("rationale", rationale, RATIONALE_MAX).that(alternatives.len() <= ALTERNATIVES_MAX, "alternatives", message);
    for alternative in alternatives {
        checks.text("alternatives", alternative, TITLE_MAX);
    }
}

/// Checks the place where something was said.
pub(crate) fn check_source<'a>(checks: &'a mut Checks, source: &Source) -> &'a mut Checks {
    checks
        .text("source.platform", &source.platform, 64)
        .optional_text("source.channel_id", source.channel_id.as_deref(), 256)
        .optional_text("source.thread_id", source.thread_id.as_deref(), 256)
        .optional_text("source.message_id", source.message_id.as_deref(), 256)
        .optional_text("source.speaker", source.speaker.as_deref(), 200)
}

#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn resolve(engine: &Engine, ctx: &OpContext, topic_raw: &str) -> Resolved {
    match engine.vocabulary().snapshot(&engine.db().kb, ctx.tenancy()).await {
        Ok(snapshot) => snapshot.resolve(topic_raw),
        // Version 0 is older than any other, so the next re-canonicalisation includes this memory.
        Err(error) => {
            tracing::warn!(%error, "remembering without the vocabulary");
            Resolved { topic: topic_raw.trim().to_owned(), is_canonical: false, version: 0 }
        }
    }
}

/// How the caller's memories age, or those of the commons.
///
/// # Errors
/// When the database is out of reach.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn lifecycle(engine: &Engine, ctx: &OpContext, commons: bool) -> Result<LifecyclePolicy, Error> {
    let agent = if commons { ctx.commons_id } else { ctx.agent_id()? };
    identity::lifecycle_policy(engine, ctx, agent).await
}

pub(crate) fn draft(
    ctx: &OpContext,
    agent: AgentId,
    request: RememberRequest,
    (resolved, lifecycle): (&Resolved, LifecyclePolicy),
) -> Draft {
    Draft {
        review: false,
        key: DedupKey {
            agent_id: if request.commons { ctx.commons_id } else { agent },
            user_id: ctx.user(),
            kind: request.kind.unwrap_or(MemoryKind::Profile),
            scope: request.scope.unwrap_or(MemoryScope::Agent),
            project_id: request.project_id,
            repo_id: request.repo_id,
            session_id: request.session_id,
            connection_id: None,
            topic: resolved.topic.clone(),
        },
        created_by: agent,
        topic_raw: request.topic_raw,
        is_canonical: resolved.is_canonical,
        vocabulary_version: resolved.version,
        content_hash: content_hash(&request.content),
        content: request.content,
        source: request.source,
        origin: None,
        source_kind: request.source_kind.unwrap_or(SourceKind::Conversation),
        retention: request.retention.unwrap_or(Retention::Permanent),
        lifecycle,
        details: Details {
            category: request.category,
            subject: request.subject,
            title: request.title,
            summary: request.summary,
            confidence: request.confidence,
            evidence_ref: request.evidence_ref,
            rationale: request.rationale,
            alternatives: (!request.alternatives.is_empty()).then_some(request.alternatives),
            importance: request.importance,
            pinned: request.pinned,
            ..Details::default()
        },
    }
}

/// The result of writing a draft.
pub(crate) enum Outcome {
    Unchanged(Memory),
    /// The content is the same, but details were added or changed.
    Amended(Memory),
    Revised(Memory),
    Created {
        id: MemoryId,
        short_id: String,
    },
    /// It waits in the inbox.
    Proposed {
        id: MemoryId,
        short_id: String,
    },
}

impl Outcome {
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Unchanged(_) => "unchanged",
            Self::Amended(_) => "amended",
            Self::Revised(_) => "revised",
            Self::Created { .. } => "created",
            Self::Proposed { .. } => "proposed",
        }
    }

    pub(crate) fn id(&self) -> MemoryId {
        match self {
            Self::Unchanged(memory) | Self::Amended(memory) | Self::Revised(memory) => memory.id,
            Self::Created { id, .. } | Self::Proposed { id, .. } => *id,
        }
    }

    /// Whether the content is new, so that it needs a vector of its own.
    pub(crate) fn is_new_content(&self) -> bool {
        matches!(self, Self::Revised(_) | Self::Created { .. })
    }

    pub(super) fn response(&self, resolved: Resolved, redacted: &[SecretKind]) -> RememberResponse {
        let (was_update, unchanged) = (matches!(self, Self::Revised(_) | Self::Amended(_)), matches!(self, Self::Unchanged(_)));
        let (memory_id, short_id, previous_version) = match self {
            Self::Unchanged(memory) => (memory.id, &memory.short_id, None),
            Self::Revised(memory) | Self::Amended(memory) => (memory.id, &memory.short_id, Some(memory.version)),
            Self::Created { id, short_id } | Self::Proposed { id, short_id } => (*id, short_id, None),
        };
        let awaits_review = matches!(self, Self::Proposed { .. });
        let Resolved { topic, is_canonical, .. } = resolved;
        RememberResponse {
            memory_id,
            short_id: short_id.clone(),
            topic,
            is_canonical,
            was_update,
            unchanged,
            previous_version,
            awaits_review,
            redacted: redacted.iter().map(ToString::to_string).collect(),
            degraded: vec![],
        }
    }
}

/// Writes a draft under the lock of its key, which the caller holds.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn write(engine: &Engine, ctx: &OpContext, tx: &mut Tx, draft: &Draft, vector: Option<&[f32]>) -> Result<Outcome, Error> {
    let (now, model) = (engine.clock().now(), engine.model());
    let embedded = vector.map(|vector| Embedded { model: &model.name, vector });
    if let Some(memory) = store::same_content(tx, ctx.tenancy(), &draft.key, &draft.content_hash, now).await? {
        return repeat(ctx, tx, draft, memory, embedded, now).await;
    }
    if draft.review {
        return propose(engine, ctx, tx, draft, embedded).await;
    }
    let near = match embedded {
        Some(embedded) => store::nearest(tx, ctx.tenancy(), &draft.key, embedded, None, now).await?,
        None => None,
    };
    let near = near.filter(|(_, similarity)| *similarity > model.dedup_threshold).map(|(memory, _)| memory);
    match near {
        // A decision that resembles another is a decision of its own: both stay, linked.
        Some(memory) if draft.key.kind != MemoryKind::Decision => replace(ctx, tx, draft, memory, embedded, now).await,
        near => {
            let created = create(engine, ctx, tx, draft, embedded).await?;
            if let Some(memory) = near {
                store::link(tx, ctx, (draft.key.agent_id, draft.key.user_id), created.id(), memory.id, Relation::RelatedTo, now).await?;
            }
            Ok(created)
        }
    }
}

/// The same content exists: records that it was remembered again.
pub(super) async fn repeat(
    ctx: &OpContext,
    tx: &mut Tx,
    draft: &Draft,
    memory: Memory,
    embedded: Option<Embedded<'_>>,
    now: DateTime<Utc>,
) -> Result<Outcome, Error> {
    let (retention, expires_at) = kept(draft, &memory, now);
    store::touch(tx, ctx.tenancy(), &memory, (retention, &draft.details), expires_at, now).await?;
    if draft.details.title.is_some() || draft.details.summary.is_some() {
        let Details { title, summary, .. } = &draft.details;
        let text = wording(&memory.content, title.as_deref().or(memory.title.as_deref()), summary.as_deref().or(memory.summary.as_deref()));
        store::put_words(tx, ctx.tenancy(), memory.agent_id, memory.id, &memory.topic, &text).await?;
    }
    if let Some(embedded) = embedded {
        store::put_vector(tx, ctx.tenancy(), memory.agent_id, memory.id, embedded, now).await?;
    }
    if draft.details.amendments(&memory).is_empty() {
        return Ok(Outcome::Unchanged(memory));
    }
    store::write_version(tx, ctx, memory.agent_id, memory.id, Change::Amended, draft.origin.as_ref(), now).await?;
    Ok(Outcome::Amended(memory))
}

/// Gives a memory new content, as its next version.
pub(super) async fn replace(
    ctx: &OpContext,
    tx: &mut Tx,
    draft: &Draft,
    memory: Memory,
    embedded: Option<Embedded<'_>>,
    now: DateTime<Utc>,
) -> Result<Outcome, Error> {
    let (retention, expires_at) = kept(draft, &memory, now);
    let title = draft.details.title.clone().or_else(|| memory.title.clone());
    let draft = Draft { retention, details: Details { title, ..draft.details.clone() }, ..draft.clone() };
    store::revise(tx, ctx.tenancy(), &memory, &draft, expires_at, now).await?;
    finish(ctx, tx, &draft, (memory.id, Change::Revised), embedded, now).await?;
    Ok(Outcome::Revised(memory))
}

/// Stores a new memory.
///
/// # Errors
/// `Conflict` if the agent has its most memories; when the database is out of reach.
pub(crate) async fn create(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    draft: &Draft,
    embedded: Option<Embedded<'_>>,
) -> Result<Outcome, Error> {
    quota::refuse_if_full(ctx, tx, draft).await?;
    let (id, short_id) = insert(engine, ctx, tx, draft, (MemoryStatus::Active, embedded.is_none())).await?;
    finish(ctx, tx, draft, (id, Change::Created), embedded, engine.clock().now()).await?;
    Ok(Outcome::Created { id, short_id })
}

/// Puts a memory into the inbox, unless the same content waits there.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn propose(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    draft: &Draft,
    embedded: Option<Embedded<'_>>,
) -> Result<Outcome, Error> {
    if let Some((id, short_id)) = store::waiting(tx, ctx.tenancy(), &draft.key, &draft.content_hash).await? {
        return Ok(Outcome::Proposed { id, short_id });
    }
    let (now, agent) = (engine.clock().now(), draft.key.agent_id);
    let (id, short_id) = insert(engine, ctx, tx, draft, (MemoryStatus::Inbox, embedded.is_none())).await?;
    store::write_version(tx, ctx, agent, id, Change::Proposed, draft.origin.as_ref(), now).await?;
    if let Some(embedded) = embedded {
        store::put_vector(tx, ctx.tenancy(), agent, id, embedded, now).await?;
    }
    Ok(Outcome::Proposed { id, short_id })
}

/// Inserts the row of a new memory under a free short id, without words, vector or version.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn insert(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    draft: &Draft,
    (status, awaiting_vector): (MemoryStatus, bool),
) -> Result<(MemoryId, String), Error> {
    let now = engine.clock().now();
    for _ in 0..SHORT_ID_TRIES {
        let (id, short_id) = (MemoryId(engine.clock().id()), engine.clock().short_id());
        let expires_at = expiry(&draft.lifecycle.retention_days, draft.retention, draft.details.pinned.unwrap_or(false), now);
        let birth = Birth { id, short_id: &short_id, now, expires_at, awaiting_vector, status };
        if store::insert(tx, ctx.tenancy(), draft, &birth).await? {
            return Ok((id, short_id));
        }
    }
    Err(Error::internal("no free short id was found"))
}

/// Writes what derives from content: a version, the words, the vector.
async fn finish(
    ctx: &OpContext,
    tx: &mut Tx,
    draft: &Draft,
    (id, change): (MemoryId, Change),
    embedded: Option<Embedded<'_>>,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    let agent = draft.key.agent_id;
    store::write_version(tx, ctx, agent, id, change, draft.origin.as_ref(), now).await?;
    store::put_words(tx, ctx.tenancy(), agent, id, &draft.key.topic, &draft.wording()).await?;
    match embedded {
        Some(embedded) => store::put_vector(tx, ctx.tenancy(), agent, id, embedded, now).await,
        None => store::drop_vectors(tx, ctx.tenancy(), agent, id).await,
    }
}

/// What a write leaves besides the event and the audit row.
#[derive(Clone, Copy)]
pub(crate) struct Traces<'a> {
    /// The phrase is unknown: propose it.
    pub proposal: bool,
    /// The vector is still to come.
    pub late: bool,
    /// Why a person did it.
    pub reason: Option<&'a str>,
}

/// Writes the event, the audit row, the proposal of an unknown topic, and the job for a late vector.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn leave_traces(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    draft: &Draft,
    outcome: &Outcome,
    traces: Traces<'_>,
) -> Result<(), Error> {
    let (agent, id) = (draft.key.agent_id, outcome.id());
    let payload = serde_json::json!({ "memory_id": id, "outcome": outcome.word() });
    jobs::store::insert(tx, ctx.tenant_id, agent, &NewEvent::done(engine, Task::Remember, payload)).await?;
    let waits = matches!(outcome, Outcome::Proposed { .. });
    // What waits gets its vector and proposes its topic when a person confirms it.
    if traces.late && !waits {
        let payload = serde_json::json!({ "memory_id": id });
        jobs::store::insert(tx, ctx.tenant_id, agent, &NewEvent::pending(engine, Task::Embed, payload)).await?;
    }
    let (action, message) = match outcome {
        Outcome::Created { .. } => ("memory.remembered", "remembered"),
        Outcome::Revised(_) if traces.reason.is_some() => ("memory.revised", "corrected"),
        Outcome::Revised(_) => ("memory.revised", "remembered in new words"),
        Outcome::Amended(_) => ("memory.amended", "details added"),
        Outcome::Unchanged(_) => ("memory.repeated", "remembered again"),
        Outcome::Proposed { .. } => ("memory.proposed", "waits for review"),
    };
    let entry =
        NewEntry::new(engine, ctx, action, "memory", id, message).agent(agent).reason(traces.reason).changes(changes(draft, outcome));
    audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    if traces.proposal && !waits {
        vocabulary::post_proposal(engine, ctx, tx, agent, &draft.topic_raw, Some(id)).await?;
    }
    Ok(())
}

fn changes(draft: &Draft, outcome: &Outcome) -> serde_json::Value {
    let hex = |hash: &[u8]| hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    match outcome {
        Outcome::Unchanged(_) => serde_json::json!({}),
        Outcome::Amended(memory) => serde_json::json!({ "amended": draft.details.amendments(memory) }),
        Outcome::Revised(memory) => serde_json::json!({ "content": [hex(&memory.content_hash), hex(&draft.content_hash)] }),
        Outcome::Created { .. } | Outcome::Proposed { .. } => serde_json::json!({ "content": [null, hex(&draft.content_hash)] }),
    }
}

/// How long a memory is kept that is written again, and when it expires. Its retention never becomes shorter.
fn kept(draft: &Draft, memory: &Memory, now: DateTime<Utc>) -> (Retention, Option<DateTime<Utc>>) {
    let all = &draft.lifecycle.retention_days;
    let days = |retention: Retention| all.of(retention).unwrap_or(u32::MAX);
    let longer = if days(memory.retention) >= days(draft.retention) { memory.retention } else { draft.retention };
    (longer, expiry(all, longer, draft.details.pinned.unwrap_or(memory.pinned), now))
}
