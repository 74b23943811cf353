//! Writing a draft: a new memory, a new version of one, or a note that it was said again, with the traces that every write leaves.

use super::model::{Change, Details, Draft, Memory, searched_text, wording};
use super::quota;
use super::store::{self, Birth, Embedded, Repetition};
use super::twins::{self, Near, Verdict};
use chrono::{DateTime, Utc};
use db::{DbError, Tx};
use foundation::audit::{self, NewEntry};
use foundation::intake::Reason;
use foundation::jobs::{self, NewEvent, Task};
use foundation::terms::Resolved;
use foundation::{Engine, Error, OpContext};
use std::time::Duration;
use wire::{MemoryId, MemoryKind, MemoryStatus, Relation, RememberResponse, Retention, SimilarMemory};
use words::aging::expiry;
use words::compare::{Likeness, compare};
use words::guard::SecretKind;

/// Tries for a free short id. Two collisions in a row among 218 trillion do not happen.
const SHORT_ID_TRIES: usize = 4;

/// The result of writing a draft.
pub(crate) enum Outcome {
    Unchanged(Memory),
    /// The content is the same, but details were added or changed.
    Amended(Memory),
    Revised(Memory),
    /// It was said before what the memory says: the memory stays, and the earlier text is kept as one that it superseded.
    Earlier(Memory),
    Created {
        id: MemoryId,
        short_id: String,
        /// Near memories that say something else.
        similar: Vec<SimilarMemory>,
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
            Self::Earlier(_) => "earlier",
            Self::Created { .. } => "created",
            Self::Proposed { .. } => "proposed",
        }
    }

    pub(crate) fn id(&self) -> MemoryId {
        match self {
            Self::Unchanged(memory) | Self::Amended(memory) | Self::Revised(memory) | Self::Earlier(memory) => memory.id,
            Self::Created { id, .. } | Self::Proposed { id, .. } => *id,
        }
    }

    /// Whether the content is new, so that it needs a vector of its own.
    pub(crate) fn is_new_content(&self) -> bool {
        matches!(self, Self::Revised(_) | Self::Created { .. })
    }

    pub(super) fn response(&self, resolved: Resolved, redacted: &[SecretKind]) -> RememberResponse {
        let was_update = matches!(self, Self::Revised(_) | Self::Amended(_));
        let unchanged = matches!(self, Self::Unchanged(_) | Self::Earlier(_));
        let (memory_id, short_id, previous_version) = match self {
            Self::Unchanged(memory) | Self::Earlier(memory) => (memory.id, &memory.short_id, None),
            Self::Revised(memory) | Self::Amended(memory) => (memory.id, &memory.short_id, Some(memory.version)),
            Self::Created { id, short_id, .. } | Self::Proposed { id, short_id } => (*id, short_id, None),
        };
        let similar = if let Self::Created { similar, .. } = self { similar.clone() } else { vec![] };
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
            similar,
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
        // New details are read by others like new content, so they wait like it.
        if draft.review && draft.adds_to(&memory) {
            return propose(engine, ctx, tx, draft, embedded).await;
        }
        return repeat(ctx, tx, draft, memory, embedded, now).await;
    }
    if draft.review {
        return propose(engine, ctx, tx, draft, embedded).await;
    }
    let near = match embedded {
        Some(embedded) => store::nearest(tx, ctx.tenancy(), &draft.key, embedded, None, twins::NEIGHBOURS, now).await?,
        None => vec![],
    };
    let mut near = twins::judge_all(model, &draft.content, near);
    let twin = near.iter().position(|one| one.verdict == Verdict::Same).map(|place| near.remove(place).memory);
    match twin {
        Some(memory) if draft.key.kind != MemoryKind::Decision => update(engine, ctx, tx, draft, memory, embedded, now).await,
        twin => {
            let created = create_beside(engine, ctx, tx, draft, embedded, near).await?;
            // A decision that says the same as another is a decision of its own: both stay, linked.
            if let Some(memory) = twin {
                store::link(tx, ctx, draft.key.owner(), created.id(), memory.id, Relation::RelatedTo, now).await?;
            }
            Ok(created)
        }
    }
}

/// Gives a memory that says the same the new text. A text that was said earlier never replaces a newer one.
pub(super) async fn update(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    draft: &Draft,
    memory: Memory,
    embedded: Option<Embedded<'_>>,
    now: DateTime<Utc>,
) -> Result<Outcome, Error> {
    // What is said now is the newest, even if the memory's date comes from a clock that is ahead.
    if draft.source.observed_at.is_none_or(|at| at >= memory.stated_at) {
        return replace(ctx, tx, draft, memory, embedded, now).await;
    }
    let (tenancy, agent) = (ctx.tenancy(), draft.key.agent_id);
    if !store::is_kept_as_earlier(tx, tenancy, &memory, &draft.content_hash).await? {
        let (id, _) = insert(engine, ctx, tx, draft, MemoryStatus::Superseded, false).await?;
        store::write_version(tx, ctx, agent, id, Change::Superseded, draft.origin.as_ref(), now).await?;
        store::link(tx, ctx, draft.key.owner(), memory.id, id, Relation::Supersedes, now).await?;
    }
    let (retention, expires_at) = kept(draft, &memory, now);
    let repetition = Repetition { retention, details: &Details::default(), expires_at, stated_at: memory.stated_at };
    store::touch(tx, tenancy, &memory, repetition, now).await?;
    Ok(Outcome::Earlier(memory))
}

/// Stores a new memory beside the near ones that say something else.
async fn create_beside(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    draft: &Draft,
    embedded: Option<Embedded<'_>>,
    near: Vec<Near>,
) -> Result<Outcome, Error> {
    match create(engine, ctx, tx, draft, embedded).await? {
        Outcome::Created { id, short_id, .. } => {
            let similar = twins::set_beside(engine, ctx, tx, &draft.key, id, draft.stated_at(engine.clock().now()), near).await?;
            Ok(Outcome::Created { id, short_id, similar })
        }
        other => Ok(other),
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
    let stated_at = draft.stated_at(now);
    let repetition = Repetition { retention, details: &draft.details, expires_at, stated_at };
    store::touch(tx, ctx.tenancy(), &memory, repetition, now).await?;
    if draft.suspicious {
        store::mark_captured(tx, ctx.tenancy(), memory.agent_id, memory.id).await?;
    }
    let has_topic = store::add_topic(tx, ctx.tenancy(), &memory, draft, now).await?;
    if has_topic || draft.details.title.is_some() || draft.details.summary.is_some() {
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

/// Gives a memory new content, as its next version. A title, a rationale and alternatives describe the old content: without others, they stay
/// only if the new one says the same.
pub(super) async fn replace(
    ctx: &OpContext,
    tx: &mut Tx,
    draft: &Draft,
    memory: Memory,
    embedded: Option<Embedded<'_>>,
    now: DateTime<Utc>,
) -> Result<Outcome, Error> {
    let (retention, expires_at) = kept(draft, &memory, now);
    let mut details = draft.details.clone();
    if compare(&memory.content, &draft.content) == Likeness::Same {
        details.title = details.title.or_else(|| memory.title.clone());
        details.rationale = details.rationale.or_else(|| memory.rationale.clone());
        details.alternatives = details.alternatives.or_else(|| memory.alternatives.clone());
    }
    let draft = Draft { retention, details, ..draft.clone() };
    store::revise(tx, ctx.tenancy(), &memory, &draft, expires_at, now).await?;
    renew(ctx, tx, &draft, memory.id, embedded, now).await?;
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
    let (id, short_id) = insert(engine, ctx, tx, draft, MemoryStatus::Active, embedded.is_none()).await?;
    let (agent, now) = (draft.key.agent_id, engine.clock().now());
    store::write_version(tx, ctx, agent, id, Change::Created, draft.origin.as_ref(), now).await?;
    let text = searched_text(draft.details.role, &draft.key.topic, &draft.wording());
    store::add_words(tx, ctx.tenancy(), agent, id, &text).await?;
    if let Some(embedded) = embedded {
        store::add_vector(tx, ctx.tenancy(), agent, id, embedded, now).await?;
    }
    Ok(Outcome::Created { id, short_id, similar: vec![] })
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
    let (id, short_id) = insert(engine, ctx, tx, draft, MemoryStatus::Inbox, embedded.is_none()).await?;
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
    status: MemoryStatus,
    awaiting_vector: bool,
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

/// Writes what derives from new content, instead of what derived from the former: a version, the words, the vector.
async fn renew(
    ctx: &OpContext,
    tx: &mut Tx,
    draft: &Draft,
    id: MemoryId,
    embedded: Option<Embedded<'_>>,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    let agent = draft.key.agent_id;
    store::write_version(tx, ctx, agent, id, Change::Revised, draft.origin.as_ref(), now).await?;
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
    pub reason: Option<&'a Reason>,
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
        Outcome::Earlier(_) => ("memory.repeated", "remembered as it was said earlier"),
        Outcome::Amended(_) => ("memory.amended", "details added"),
        Outcome::Unchanged(_) => ("memory.repeated", "remembered again"),
        Outcome::Proposed { .. } => ("memory.proposed", "waits for review"),
    };
    let entry =
        NewEntry::new(engine, ctx, action, "memory", id, message).agent(agent).reason(traces.reason).changes(changes(draft, outcome));
    audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    if traces.proposal && !waits {
        audit::propose(engine, ctx, tx, agent, &draft.topic_raw, Some(id)).await?;
    }
    Ok(())
}

fn changes(draft: &Draft, outcome: &Outcome) -> serde_json::Value {
    match outcome {
        Outcome::Unchanged(_) | Outcome::Earlier(_) => serde_json::json!({}),
        Outcome::Amended(memory) => serde_json::json!({ "amended": draft.details.amendments(memory) }),
        Outcome::Revised(memory) => serde_json::json!({ "content": [hex::encode(&memory.content_hash), hex::encode(&draft.content_hash)] }),
        Outcome::Created { .. } | Outcome::Proposed { .. } => serde_json::json!({ "content": [null, hex::encode(&draft.content_hash)] }),
    }
}

/// How long a memory is kept that is written again, and when it expires. Its retention never becomes shorter.
fn kept(draft: &Draft, memory: &Memory, now: DateTime<Utc>) -> (Retention, Option<DateTime<Utc>>) {
    let all = &draft.lifecycle.retention_days;
    let days = |retention: Retention| all.of(retention).unwrap_or(u32::MAX);
    let longer = if days(memory.retention) >= days(draft.retention) { memory.retention } else { draft.retention };
    (longer, expiry(all, longer, draft.details.pinned.unwrap_or(memory.pinned), now))
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
