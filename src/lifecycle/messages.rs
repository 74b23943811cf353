//! Messages of a session: each is stored as an episode, with an importance and an end of its retention.

use crate::memories::model::{DedupKey, Details, Draft, content_hash};
use crate::memories::remember;
use crate::memories::store::{self as memories, Embedded};
use crate::memories::writing::{self, Outcome};
use crate::memories::{lock_episodes, make_room};
use crate::vocabulary::Resolved;
use db::Tx;
use foundation::audit::{self, NewEntry};
use foundation::idempotency::Once;
use foundation::identity::{self, acting_for};
use foundation::intake::{self, Admitted};
use foundation::jobs::{self, NewEvent, Task};
use foundation::sessions::store::{self as sessions, Touch};
use foundation::{Checks, Engine, Error, OpContext};
use serde_json::json;
use uuid::Uuid;
use verb::verb;
use wire::{
    AgentId, CONTENT_MAX, FactorShare, KeyScope, LifecyclePolicy, MESSAGES_MAX, MemoryKind, MemoryScope, MessagesRequest, MessagesResponse,
    NewMessage, Retention, RetentionRule, Role, SESSION_MAX, Source, SourceKind, StoredMessage, TOPIC_MAX,
};
use words::aging::{importance, retention};

/// The topic of messages whose session has none.
const TOPIC: &str = "conversation";
/// Longest name of a platform, in characters.
const PLATFORM_MAX: usize = 64;
/// Longest id of a message, in characters.
const MESSAGE_ID_MAX: usize = 256;

/// Stores messages of a session in one transaction: all or none. They propose no vocabulary, and equal ones stay separate. The weakest
/// episodes of the agent make room for them.
///
/// # Errors
/// `Forbidden` without `memory:write`; `Invalid` with every message that is wrong; `Conflict` if the agent has its most memories.
#[verb(messages = request.messages.len())]
pub async fn add_messages(engine: &Engine, ctx: &OpContext, session: &str, request: MessagesRequest) -> Result<MessagesResponse, Error> {
    let agent = ctx.agent_id()?;
    ctx.require(KeyScope::MemoryWrite)?;
    let request = Admitted::id("session", session)?.with(Admitted::new(request)?);
    check(session, &request.1)?;
    let ctx = &acting_for(engine, ctx, request.1.user_id.as_ref()).await?;
    let once = Once::new(engine, ctx, "add_messages", &request)?;
    let (_, request) = request.into_inner();
    let policy = identity::lifecycle_policy(engine, ctx, agent).await?;
    let id = ctx.session_id(agent, session);
    let resolved = remember::resolve(engine, ctx, request.topic.as_deref().unwrap_or(TOPIC)).await;
    let platform = request.platform.unwrap_or_else(|| "api".into());
    let place = Place { agent, id, session, platform: &platform, resolved: &resolved, lifecycle: policy };
    let mut drafts: Vec<Draft> = Vec::with_capacity(request.messages.len());
    for message in request.messages {
        let suspicious = !intake::findings(&(&message, &resolved.topic))?.is_empty();
        drafts.push(draft(ctx, &place, message, suspicious));
    }
    let texts = drafts.iter().map(|draft| draft.content.clone()).collect();
    let vectors = engine.embed_batch_for_write(ctx.into(), texts).await;
    let degraded = vectors.iter().find_map(|vector| vector.as_ref().err()).map(|missing| missing.of_write()).unwrap_or_default();

    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    // In the order of everybody who writes: episodes, then counts.
    lock_episodes(&mut tx, agent).await?;
    memories::lock_counts(&mut tx, ctx.tenancy(), &[agent]).await?;
    let (user, messages) = (ctx.user(), i64::try_from(drafts.len()).unwrap_or(i64::MAX));
    let touch = Touch { user, messages, ..Touch::named(agent, id, session.to_owned(), engine.clock().now()) };
    sessions::touch(&mut tx, ctx.tenant_id, &touch).await?;
    let mut stored = Vec::with_capacity(drafts.len());
    for (draft, vector) in drafts.iter().zip(&vectors) {
        stored.push(insert(engine, ctx, &mut tx, draft, vector.as_deref().ok()).await?);
    }
    trace(engine, ctx, &mut tx, agent, id, &stored).await?;
    let archived = make_room(engine, ctx, &mut tx, agent, &policy).await?;
    let ids: Vec<_> = stored.iter().map(|message| message.memory_id).collect();
    let answer = MessagesResponse { session_id: id, messages: stored, archived, degraded };
    once.commit(tx, &answer, &ids).await?;
    engine.relay().wake();
    engine.jobs().wake();
    metrics::counter!("remembrancer_messages_total").increment(u64::try_from(ids.len()).unwrap_or_default());
    Ok(answer)
}

fn check(session: &str, request: &MessagesRequest) -> Result<(), Error> {
    let count = request.messages.len();
    let mut checks = Checks::default();
    checks
        .text("session", session, SESSION_MAX)
        .that((1..=MESSAGES_MAX).contains(&count), "messages", format!("has {count} entries; it may have 1 to {MESSAGES_MAX}"))
        .optional_text("topic", request.topic.as_deref(), TOPIC_MAX)
        .optional_text("platform", request.platform.as_deref(), PLATFORM_MAX);
    for (message, number) in request.messages.iter().zip(0..) {
        let field = |name: &str| format!("messages[{number}].{name}");
        checks
            .content(&field("content"), &message.content, CONTENT_MAX)
            .optional_text(&field("message_id"), message.message_id.as_deref(), MESSAGE_ID_MAX)
            .time(&field("observed_at"), message.observed_at)
            .that(
                message.importance.is_none_or(|share| (0.0..=1.0).contains(&share)),
                &field("importance"),
                "must be a number from 0 to 1",
            );
    }
    checks.done()
}

/// Where the messages of a request are stored.
struct Place<'a> {
    agent: AgentId,
    /// The session's id, and the caller's name for it.
    id: Uuid,
    session: &'a str,
    platform: &'a str,
    resolved: &'a Resolved,
    lifecycle: LifecyclePolicy,
}

fn draft(ctx: &OpContext, place: &Place<'_>, message: NewMessage, suspicious: bool) -> Draft {
    let Place { agent, id, session, platform, resolved, lifecycle } = *place;
    // "Remember this" is for the person to say: in a tool's output, or beside orders to the agent, it is somebody else's wish.
    let may_ask = message.role == Role::User && !suspicious;
    let computed = importance(&message.content, may_ask, &lifecycle.importance);
    let kept = retention(&message.content, message.role, &computed);
    let given = message.importance.is_some();
    Draft {
        review: false,
        suspicious,
        key: DedupKey {
            agent_id: agent,
            user_id: ctx.user(),
            kind: MemoryKind::Episode,
            scope: MemoryScope::Session,
            project_id: None,
            repo_id: None,
            session_id: Some(id),
            connection_id: None,
            topic: resolved.topic.clone(),
        },
        created_by: agent,
        topic_raw: resolved.topic.clone(),
        is_canonical: resolved.is_canonical,
        vocabulary_version: resolved.version,
        content_hash: content_hash(&message.content),
        content: message.content,
        source: Source {
            platform: platform.to_owned(),
            thread_id: Some(session.to_owned()),
            message_id: message.message_id,
            observed_at: message.observed_at,
            ..Source::default()
        },
        origin: None,
        source_kind: SourceKind::Conversation,
        retention: message.retention.unwrap_or(kept.retention),
        lifecycle,
        details: Details {
            importance: Some(message.importance.unwrap_or(computed.value)),
            role: Some(message.role),
            retention_rule: message.retention.is_none().then_some(kept.rule),
            importance_factors: (!given).then_some(computed.factors),
            ..Details::default()
        },
    }
}

async fn insert(engine: &Engine, ctx: &OpContext, tx: &mut Tx, draft: &Draft, vector: Option<&[f32]>) -> Result<StoredMessage, Error> {
    let embedded = vector.map(|vector| Embedded { model: &engine.model().name, vector });
    let Outcome::Created { id, short_id, .. } = writing::create(engine, ctx, tx, draft, embedded).await? else {
        return Err(Error::internal("a message was not created"));
    };
    if vector.is_none() {
        let event = NewEvent::pending(engine, Task::Embed, json!({ "memory_id": id }));
        jobs::store::insert(tx, ctx.tenant_id, draft.key.agent_id, &event).await?;
    }
    Ok(stored(engine, draft, id, short_id))
}

fn stored(engine: &Engine, draft: &Draft, memory_id: wire::MemoryId, short_id: String) -> StoredMessage {
    let factors: Vec<FactorShare> = draft.details.importance_factors.clone().unwrap_or_default();
    let retention_rule: Option<RetentionRule> = draft.details.retention_rule;
    let retention: Retention = draft.retention;
    let expires_at = words::aging::expiry(&draft.lifecycle.retention_days, retention, false, engine.clock().now());
    let importance = draft.details.importance.unwrap_or(1.0);
    StoredMessage { memory_id, short_id, importance, factors, retention, retention_rule, expires_at }
}

/// The event and the audit row of a request, which name the memories.
async fn trace(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    agent: AgentId,
    session: Uuid,
    stored: &[StoredMessage],
) -> Result<(), Error> {
    let ids: Vec<_> = stored.iter().map(|message| message.memory_id).collect();
    let event = NewEvent::done(engine, Task::Remember, json!({ "session_id": session, "memories": ids, "outcome": "messages" }));
    jobs::store::insert(tx, ctx.tenant_id, agent, &event).await?;
    let message = format!("{} messages stored", ids.len());
    let entry =
        NewEntry::new(engine, ctx, "session.messages", "session", session, message).agent(agent).changes(json!({ "memories": ids }));
    audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry).await
}
