//! revise: new content for a given memory. And profile facts, one per person and topic.

use super::access::{self, Purpose};
use super::model::{Details, Draft, Memory, content_hash, searched_text};
use super::remember::{self, check_decision, check_source, check_support};
use super::store::{self, Embedded};
use super::twins;
use super::writing::{self, Outcome, Traces};
use chrono::{DateTime, Utc};
use db::lock_all;
use foundation::engine::Missing;
use foundation::idempotency::Once;
use foundation::identity::{self, acting_for};
use foundation::intake::{self, Admitted, Reason};
use foundation::op::Actor;
use foundation::{Checks, Engine, Error, OpContext};
use serde::Serialize;
use serde::de::DeserializeOwned;
use verb::verb;
use wire::{
    CONTENT_MAX, KeyScope, LifecyclePolicy, MemoryKind, MemoryScope, MemoryStatus, ProfileFactRequest, RememberRequest, RememberResponse,
    ReviseRequest, ReviseResponse, Role, Source, SourceKind, TOPIC_MAX,
};

/// The platform of what an agent states without saying where.
const TOOL: &str = "tool";

/// Gives a memory new content, as its next version; the old one is kept. Topic, scope, links and ids stay. If the request names no source,
/// the new content is the agent's, stated now. Its rationale, title and rejected alternatives stay only if it says the same as the old one.
///
/// # Errors
/// `Forbidden` without `memory:write`, or `commons:write` for shared memory; `NotFound` for another agent's, tenant's or person's;
/// `Invalid` with every field that is wrong; `Conflict` for one that was forgotten or superseded, or that waits in the inbox.
#[verb]
pub async fn revise(engine: &Engine, ctx: &OpContext, request: ReviseRequest) -> Result<ReviseResponse, Error> {
    ctx.agent_id()?;
    ctx.require(KeyScope::MemoryWrite)?;
    let request = Admitted::new(request)?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    let once = Once::new(engine, ctx, "revise", &request)?;
    revise_from(engine, ctx, request, Cause::default(), &once, |_, revised| revised).await
}

/// Where a change comes from and why it is made, if the request does not say it.
#[derive(Default)]
pub(crate) struct Cause<'a> {
    /// Where the change comes from, if from elsewhere than the words.
    pub origin: Option<Source>,
    /// The source of the words if the request names none.
    pub here: Option<Source>,
    /// Whether an operator brings words that are not the agent's own.
    pub is_quoted: bool,
    /// Fields that come with the content, besides those of the request.
    pub details: Details,
    /// For the audit log.
    pub reason: Option<&'a Reason>,
    /// The version that is to change.
    pub version: Option<i32>,
}

/// As [`revise`], for a caller whose right and user are known. `answer` makes the answer to the request from the memory as it now is.
///
/// # Errors
/// As [`revise`]; `Conflict` if the memory has another version than the cause names.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn revise_from<T: Serialize + DeserializeOwned>(
    engine: &Engine,
    ctx: &OpContext,
    request: Admitted<ReviseRequest>,
    cause: Cause<'_>,
    once: &Once<'_>,
    answer: impl FnOnce(Memory, ReviseResponse) -> T,
) -> Result<T, Error> {
    let start = tokio::time::Instant::now();
    let mut checks = Checks::default();
    checks.content("content", &request.content, CONTENT_MAX);
    check_support(&mut checks, request.confidence, request.summary.as_deref(), request.evidence_ref.as_deref());
    check_decision(&mut checks, request.rationale.as_deref(), &[]);
    if let Some(source) = &request.source {
        check_source(&mut checks, source);
    }
    checks.done()?;
    let suspicious = !intake::findings(&request)?.is_empty();

    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let seen = access::find(&mut tx, ctx, &request.memory, Purpose::Read, engine.clock().now()).await;
    tx.commit().await?;
    let by_agent = matches!(ctx.actor, Actor::Agent { .. });
    if by_agent
        && seen.as_ref().is_ok_and(|memory| memory.agent_id == ctx.commons_id)
        && remember::is_reviewed_first(engine, ctx, suspicious).await?
    {
        let message = "a person must review this content before it is shared: remember it with `commons` instead";
        return Err(Error::Forbidden(message.into()));
    }
    let lifecycle = match &seen {
        Ok(memory) => identity::lifecycle_policy(engine, ctx, memory.agent_id).await?,
        Err(_) => LifecyclePolicy::default(),
    };
    // A forgotten memory is refused below, under the lock, with a reason; it may also be forgotten meanwhile.
    let topic = seen.as_ref().map(|memory| memory.topic.clone()).unwrap_or_default();
    let vector = match &seen {
        Ok(memory) => engine.embed_for_write(ctx.into(), &searched_text(memory.role, &topic, &request.content)).await,
        Err(_) => Err(Missing::Embedding),
    };
    let missing = vector.as_ref().err().copied();
    let degraded = missing.map(Missing::of_write).unwrap_or_default();

    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    if let Ok(seen) = &seen {
        lock_all(&mut tx, seen.key().locks(&content_hash(&request.content))).await?;
    }
    let memory = access::find(&mut tx, ctx, &request.memory, Purpose::Change, engine.clock().now()).await?;
    if by_agent && memory.status == MemoryStatus::Inbox {
        return Err(Error::Conflict(format!("the memory {} waits for review: a person decides about it first", memory.short_id)));
    }
    if memory.status == MemoryStatus::Superseded {
        return Err(Error::Conflict(format!("the memory {} was superseded by another memory: revise that one", memory.short_id)));
    }
    if cause.version.is_some_and(|version| version != memory.version) {
        return Err(Error::Conflict(format!("the memory {} was changed since: look at its history", memory.short_id)));
    }
    // The memory was refiled while the model worked: the vector belongs to the old topic.
    let vector = vector.ok().filter(|_| memory.topic == topic);
    let (old, now) = (memory.clone(), engine.clock().now());
    let reason = cause.reason;
    let draft = draft(&memory, &request, cause, by_agent, suspicious, lifecycle, now);
    let embedded = vector.as_deref().map(|vector| Embedded { model: &engine.model().name, vector });
    // In the order of everybody who writes: keys, rows, counts.
    store::lock_counts(&mut tx, ctx.tenancy(), &[memory.agent_id]).await?;
    let outcome = if memory.content_hash == draft.content_hash {
        writing::repeat(ctx, &mut tx, &draft, memory, embedded, now).await?
    } else {
        let revised = writing::replace(ctx, &mut tx, &draft, memory, embedded, now).await?;
        twins::leave_one(engine, ctx, &mut tx, old.agent_id, old.id).await?;
        revised
    };
    let late = vector.is_none() && missing.is_none_or(Missing::is_late) && old.live;
    writing::leave_traces(engine, ctx, &mut tx, &draft, &outcome, Traces { proposal: false, late, reason }).await?;
    let unchanged = matches!(outcome, Outcome::Unchanged(_));
    let revised = ReviseResponse {
        memory_id: old.id,
        short_id: old.short_id,
        old_content: old.content,
        new_content: request.into_inner().content,
        previous_version: old.version,
        version: old.version + i32::from(!unchanged),
        unchanged,
        degraded,
    };
    let now = access::find(&mut tx, ctx, &old.id.into(), Purpose::Read, now).await?;
    let answer = answer(now, revised);
    once.commit(tx, &answer, &[old.id]).await?;
    writing::count(engine, &outcome, late, start.elapsed());
    Ok(answer)
}

fn draft(
    memory: &Memory,
    request: &ReviseRequest,
    cause: Cause<'_>,
    by_agent: bool,
    suspicious: bool,
    lifecycle: LifecyclePolicy,
    now: DateTime<Utc>,
) -> Draft {
    let content_hash = content_hash(&request.content);
    // Nobody said the new words where and when the old ones were said: without a source they are the agent's own, from here and now.
    let is_own = request.source.is_none();
    let here = cause.here.unwrap_or_else(|| Source { platform: TOOL.into(), ..Source::default() });
    let said = request.source.clone().unwrap_or(here);
    Draft {
        review: false,
        // A person who corrects a memory answers for the words, and the agent quotes that person.
        suspicious: suspicious && by_agent || (suspicious || cause.is_quoted) && content_hash != memory.content_hash,
        key: memory.key(),
        created_by: memory.created_by,
        topic_raw: memory.topic_raw.clone(),
        is_canonical: memory.is_canonical,
        vocabulary_version: memory.vocabulary_version,
        content: request.content.clone(),
        content_hash,
        source: Source { observed_at: said.observed_at.or(Some(now)), ..said },
        origin: cause.origin,
        source_kind: if by_agent && is_own { SourceKind::Conversation } else { memory.source_kind },
        retention: memory.retention,
        lifecycle,
        details: Details {
            summary: request.summary.clone(),
            rationale: request.rationale.clone(),
            confidence: Some(request.confidence.unwrap_or(memory.confidence)),
            evidence_ref: request.evidence_ref.clone(),
            role: if is_own { memory.role.map(|_| Role::Assistant) } else { memory.role },
            ..cause.details
        },
    }
}

/// States a profile fact. It replaces the fact about the same person under the same topic, which is kept as a version. It is found by its
/// words at once and waits for no model: its vector comes later.
///
/// # Errors
/// As [`super::remember()`].
#[verb]
pub async fn upsert_profile_fact(engine: &Engine, ctx: &OpContext, request: ProfileFactRequest) -> Result<RememberResponse, Error> {
    let start = tokio::time::Instant::now();
    let agent = ctx.agent_id()?;
    ctx.require(KeyScope::MemoryWrite)?;
    if request.commons {
        ctx.require(KeyScope::CommonsWrite)?;
    }
    let request = Admitted::new(request)?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    let mut checks = Checks::default();
    checks.text("topic_raw", &request.topic_raw, TOPIC_MAX).content("content", &request.content, CONTENT_MAX);
    check_support(&mut checks, request.confidence, None, request.evidence_ref.as_deref());
    check_source(&mut checks, &request.source);
    checks.done()?;
    let once = Once::new(engine, ctx, "upsert_profile_fact", &request)?;
    let suspicious = !intake::findings(&request)?.is_empty();
    let commons = request.commons || remember::is_shared_by_policy(engine, ctx, Some(MemoryScope::Global)).await?;
    let review = commons && remember::is_reviewed_first(engine, ctx, suspicious).await?;
    let redacted = request.removed().to_vec();
    let request = request.into_inner();
    let resolved = remember::resolve(engine, ctx, &request.topic_raw).await;
    let asked = RememberRequest {
        topic_raw: request.topic_raw,
        content: request.content,
        source: request.source,
        kind: Some(MemoryKind::Profile),
        scope: Some(MemoryScope::Global),
        confidence: request.confidence,
        evidence_ref: request.evidence_ref,
        source_kind: Some(SourceKind::Manual),
        commons,
        ..RememberRequest::default()
    };
    let lifecycle = identity::lifecycle_policy(engine, ctx, if commons { ctx.commons_id } else { agent }).await?;
    let mut draft = Draft { review, suspicious, ..remember::draft(ctx, agent, asked, &resolved, lifecycle) };
    draft.details.profile_fact = true;

    let now = engine.clock().now();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    lock_all(&mut tx, draft.locks()).await?;
    store::lock_counts(&mut tx, ctx.tenancy(), &[draft.key.agent_id]).await?;
    // The same content may be known without being the answer to this question.
    let known = match store::profile_fact(&mut tx, ctx.tenancy(), &draft, now).await? {
        None => store::same_content(&mut tx, ctx.tenancy(), &draft.key, &draft.content_hash, now).await?,
        known => known,
    };
    let outcome = match known {
        known if draft.review && known.as_ref().is_none_or(|memory| memory.content_hash != draft.content_hash || draft.adds_to(memory)) => {
            writing::propose(engine, ctx, &mut tx, &draft, None).await?
        }
        Some(memory) if memory.content_hash == draft.content_hash => writing::repeat(ctx, &mut tx, &draft, memory, None, now).await?,
        Some(memory) => writing::update(engine, ctx, &mut tx, &draft, memory, None, now).await?,
        None => writing::create(engine, ctx, &mut tx, &draft, None).await?,
    };
    if matches!(outcome, Outcome::Revised(_)) {
        twins::leave_one(engine, ctx, &mut tx, draft.key.agent_id, outcome.id()).await?;
    }
    let late = outcome.is_new_content();
    writing::leave_traces(engine, ctx, &mut tx, &draft, &outcome, Traces { proposal: !resolved.is_canonical, late, reason: None }).await?;
    let answer = outcome.response(resolved, &redacted);
    once.commit(tx, &answer, &answer.memories()).await?;
    writing::count(engine, &outcome, late, start.elapsed());
    Ok(answer)
}
