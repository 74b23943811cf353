//! remember: one fact, stored once, even if many callers say it at the same moment.

use super::forget::origin;
use super::model::{DedupKey, Details, Draft, content_hash, embedded_text};
use super::quota;
use super::share::may_be_shared;
use super::writing::{self, Traces};
use db::{Users, lock_all};
use foundation::engine::Missing;
use foundation::idempotency::Once;
use foundation::identity::{self, acting_for};
use foundation::intake::{self, Admitted};
use foundation::terms::Resolved;
use foundation::{Checks, Engine, Error, OpContext, projects};
use tokio::time::Instant;
use verb::verb;
use wire::{
    ALTERNATIVES_MAX, AgentId, AgentKind, CONTENT_MAX, EVIDENCE_MAX, KeyScope, LifecyclePolicy, MemoryKind, MemoryScope, ProjectRef,
    Promotion, RATIONALE_MAX, RememberRequest, RememberResponse, Retention, SUBJECT_MAX, SUMMARY_MAX, Sharing, Source, SourceKind,
    TITLE_MAX, TOPIC_MAX,
};
use words::guard::SecretKind;

/// Stores a memory, or a new version of the one it repeats, or only records that it was said again.
///
/// 1. The topic is looked up in the vocabulary; an unknown one is proposed. 2. `topic ‖ content` is embedded within a budget; storage
///    never waits on a model. 3. Under a lock on key and content, equal content is counted, a near text that says the same becomes a new
///    version, and anything else a new memory, beside the near ones that differ ([`super::twins`]).
///
/// # Errors
/// `Forbidden` without `memory:write` (or `commons:write` for the commons), `Invalid` with every field that is wrong.
#[verb]
pub async fn remember(engine: &Engine, ctx: &OpContext, request: RememberRequest) -> Result<RememberResponse, Error> {
    let agent = ctx.agent_id()?;
    ctx.require(KeyScope::MemoryWrite)?;
    let request = admit(ctx, request)?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    let once = Once::new(engine, ctx, "remember", &request)?;
    let start = Instant::now();
    let prepared = prepare(engine, ctx, agent, request).await?;
    let vector = engine.embed_for_write(ctx.into(), &prepared.text()).await;
    prepared.store(engine, ctx, vector, &once, start).await
}

/// Stores a memory that a person writes for an agent, in the way [`remember`] does. Agents read it as the words of that person; of its
/// source, only the time when it was said is taken. It is private to the agent until somebody shares it.
///
/// # Errors
/// `Forbidden` without the role `operator`; `NotFound` for another tenant's agent; `Invalid` as [`remember`], for a user whom nobody knows
/// or whom the agent requires, and for the shared memory in place of an agent.
#[verb(role = Operator)]
pub async fn remember_by_hand(
    engine: &Engine,
    ctx: &OpContext,
    agent: AgentId,
    request: RememberRequest,
) -> Result<RememberResponse, Error> {
    let start = Instant::now();
    let agent = identity::agent(engine, ctx, agent).await?;
    if agent.kind == AgentKind::Commons {
        return Err(Error::invalid("agent", "is the shared memory: choose an agent, and share the memory on its page"));
    }
    let said =
        Source { speaker: Some(ctx.actor.name().to_owned()), observed_at: request.source.observed_at, ..origin(ctx).unwrap_or_default() };
    let request = Admitted::new(RememberRequest { source: said, source_kind: Some(SourceKind::Manual), commons: false, ..request })?;
    let user = identity::user_of_agent(engine, ctx, &agent, request.user_id.as_ref()).await?;
    let ctx = &OpContext { users: user.map_or(ctx.users, Users::One), ..ctx.clone() };
    let once = Once::new(engine, ctx, "remember_by_hand", &request)?;
    let prepared = prepare(engine, ctx, agent.id, request).await?;
    let vector = engine.embed_for_write(ctx.into(), &prepared.text()).await;
    let answer = prepared.store(engine, ctx, vector, &once, start).await?;
    // The operator looks at the audit trail next.
    engine.relay().settle().await;
    Ok(answer)
}

/// Whether the policy shares what the caller writes with a scope.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn is_shared_by_policy(engine: &Engine, ctx: &OpContext, scope: Option<MemoryScope>) -> Result<bool, Error> {
    let may = scope.is_some_and(may_be_shared) && ctx.require(KeyScope::CommonsWrite).is_ok();
    Ok(may && identity::capture_policy(engine, ctx).await?.sharing == Sharing::All)
}

/// Lets a request in. Whether the caller may write to the commons is asked first, before any field is looked at.
pub(super) fn admit(ctx: &OpContext, request: RememberRequest) -> Result<Admitted<RememberRequest>, Error> {
    if request.commons {
        ctx.require(KeyScope::CommonsWrite)?;
    }
    Admitted::new(request)
}

/// A request that was checked, under the name that the vocabulary has for its topic.
pub(super) struct Prepared {
    resolved: Resolved,
    draft: Draft,
    redacted: Vec<SecretKind>,
}

/// Whether a person reviews this before other agents read it: because one of its texts may carry instructions, or because the policy says
/// so.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn is_reviewed_first(engine: &Engine, ctx: &OpContext, suspicious: bool) -> Result<bool, Error> {
    Ok(suspicious || identity::capture_policy(engine, ctx).await?.commons == Promotion::Review)
}

/// Checks a request for an agent and looks its topic up. What a person writes is never taken for the agent's own words.
///
/// # Errors
/// As [`remember`].
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn prepare(
    engine: &Engine,
    ctx: &OpContext,
    agent: AgentId,
    request: Admitted<RememberRequest>,
) -> Result<Prepared, Error> {
    check(&request)?;
    let resolved = resolve(engine, ctx, &request.topic_raw).await;
    let suspicious = !intake::findings(&request)?.is_empty();
    let commons = request.commons || is_shared_by_policy(engine, ctx, request.scope).await?;
    let review = commons && is_reviewed_first(engine, ctx, suspicious).await?;
    let lifecycle = identity::lifecycle_policy(engine, ctx, if commons { ctx.commons_id } else { agent }).await?;
    let redacted = request.removed().to_vec();
    let project_id = projects::id_of(engine, ctx, request.project_id.as_ref()).await?.map(ProjectRef::Id);
    let request = RememberRequest { commons, project_id, ..request.into_inner() };
    let suspicious = suspicious || ctx.agent_id().is_err();
    let draft = Draft { review, suspicious, ..draft(ctx, agent, request, &resolved, lifecycle) };
    Ok(Prepared { resolved, draft, redacted })
}

impl Prepared {
    /// What the model embeds.
    pub(super) fn text(&self) -> String {
        embedded_text(&self.draft.key.topic, &self.draft.content)
    }

    /// Stores it in a transaction of its own; without a vector, that comes later. The write counts from `start`.
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
        start: Instant,
    ) -> Result<RememberResponse, Error> {
        let Self { resolved, draft, redacted } = self;
        let missing = vector.as_ref().err().copied();
        let degraded = missing.map(Missing::of_write).unwrap_or_default();
        let late = missing.is_some_and(Missing::is_late);
        let vector = vector.ok();
        let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
        if let Some(answer) = once.claim(&mut tx).await? {
            return Ok(answer);
        }
        if draft.fades() {
            quota::lock_episodes(&mut tx, draft.key.agent_id).await?;
        }
        lock_all(&mut tx, draft.locks()).await?;
        let outcome = writing::write(engine, ctx, &mut tx, &draft, vector.as_deref()).await?;
        if draft.fades() {
            quota::make_room(engine, ctx, &mut tx, draft.key.agent_id, &draft.lifecycle).await?;
        }
        let proposal = !resolved.is_canonical;
        writing::leave_traces(engine, ctx, &mut tx, &draft, &outcome, Traces { proposal, late, reason: None }).await?;
        let answer = RememberResponse { degraded, ..outcome.response(resolved, &redacted) };
        once.commit(tx, &answer, &answer.memories()).await?;
        writing::count(engine, &outcome, late, start.elapsed());
        Ok(answer)
    }
}

fn check(request: &RememberRequest) -> Result<(), Error> {
    let scope = request.scope.unwrap_or(MemoryScope::Agent);
    let private = matches!(scope, MemoryScope::Agent | MemoryScope::Session);
    let mut checks = Checks::default();
    checks
        .text("topic_raw", &request.topic_raw, TOPIC_MAX)
        .content("content", &request.content, CONTENT_MAX)
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
    checks.done()
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
pub fn check_source<'a>(checks: &'a mut Checks, source: &Source) -> &'a mut Checks {
    checks
        .text("source.platform", &source.platform, 64)
        .optional_text("source.channel_id", source.channel_id.as_deref(), 256)
        .optional_text("source.thread_id", source.thread_id.as_deref(), 256)
        .optional_text("source.message_id", source.message_id.as_deref(), 256)
        .optional_text("source.speaker", source.speaker.as_deref(), 200)
        .time("source.observed_at", source.observed_at)
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

pub(crate) fn draft(ctx: &OpContext, agent: AgentId, request: RememberRequest, resolved: &Resolved, lifecycle: LifecyclePolicy) -> Draft {
    Draft {
        review: false,
        suspicious: false,
        key: DedupKey {
            agent_id: if request.commons { ctx.commons_id } else { agent },
            user_id: ctx.user(),
            kind: request.kind.unwrap_or(MemoryKind::Profile),
            scope: request.scope.unwrap_or(MemoryScope::Agent),
            project_id: request.project_id.as_ref().and_then(ProjectRef::id),
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
