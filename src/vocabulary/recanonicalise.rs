//! Re-canonicalisation: after a decision, memories whose phrase has another meaning get their new topic, batch by batch.

use super::{Resolved, Snapshot, store};
use crate::memories::merge_twin;
use crate::memories::model::{Change, DedupKey, Memory, searched_text};
use crate::memories::store::{self as memories, Embedded};
use chrono::{DateTime, Duration, Utc};
use db::{Tx, lock_all};
use foundation::jobs::{self, NewEvent, PostedJob, Task};
use foundation::usage::Payer;
use foundation::{Engine, Error, OpContext, audit};
use serde::{Deserialize, Serialize};
use verb::verb;
use wire::EventId;

/// Memories per job; a job that finds more is followed by another.
const BATCH: i64 = 50;
/// Terms per job; a job that finds more is followed by another.
const TERMS: i64 = 100;
/// After this time nobody writes under the old version: snapshots live for a second, requests for a minute.
const STRAGGLERS: Duration = Duration::seconds(65);

/// The memories to refile: those that have one of the phrases and were resolved under an older version.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Work {
    /// Normal forms.
    pub forms: Vec<String>,
    pub version: i64,
}

/// Posts the job in the decision's own transaction; and a second one for memories that are written while the first runs.
pub(super) async fn request(engine: &Engine, ctx: &OpContext, tx: &mut Tx, work: &Work) -> Result<(), Error> {
    let now = engine.clock().now();
    for run_after in [now, now + STRAGGLERS] {
        let posted = PostedJob { task: Task::Recanonicalise, payload: payload(work)?, run_after };
        let posted = serde_json::to_value(&posted).map_err(Error::failed("a job cannot be serialised"))?;
        let id = EventId(engine.clock().id());
        audit::store::post(tx, ctx.tenant_id, ctx.commons_id, id, audit::store::Destination::Job, &posted, now).await?;
    }
    Ok(())
}

fn payload(work: &Work) -> Result<serde_json::Value, Error> {
    serde_json::to_value(work).map_err(Error::failed("a job cannot be serialised"))
}

/// Refiles one batch. The memories themselves hold the progress (`vocabulary_version`), so a killed job loses nothing and repeats nothing.
/// `topic_raw`, content and `updated_at` do not change. Memories that come under one topic and say the same become one; what differs stays.
///
/// # Errors
/// When a database is out of reach; the job is tried again. Without the model a memory is refiled all the same, and its vector follows
/// later.
#[verb]
pub async fn recanonicalise(engine: &Engine, ctx: &OpContext, work: &Work) -> Result<&'static str, Error> {
    engine.vocabulary().outdate(ctx.tenant_id);
    let snapshot = engine.vocabulary().snapshot(&engine.db().kb, ctx.tenancy()).await?;
    if snapshot.version < work.version {
        return Err(Error::Unavailable("the vocabulary cannot be read as it was decided".into()));
    }
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let batch = memories::stale(&mut tx, ctx.tenant_id, &work.forms, work.version, BATCH).await?;
    tx.commit().await?;
    let further = file_further_topics(engine, ctx, &snapshot, work).await?;
    let more = further || i64::try_from(batch.len()).unwrap_or(i64::MAX) == BATCH;
    // The job waits only once for a model that is down, not once per memory: the lease is short.
    let mut model_is_there = true;
    for memory in batch {
        let resolved = snapshot.resolve(&memory.topic_raw);
        let moves = (resolved.topic.as_str(), resolved.is_canonical) != (memory.topic.as_str(), memory.is_canonical);
        let mut vector = None;
        let text = searched_text(memory.role, &resolved.topic, &memory.content);
        if moves && memory.live && model_is_there && engine.reads(&text) {
            vector = engine.embed_for_job(Payer::of(ctx, memory.agent_id, memory.user_id), &text).await.ok();
            model_is_there = vector.is_some();
        }
        file(engine, ctx, &memory, &resolved, moves, vector.as_deref()).await?;
    }
    if more {
        let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
        jobs::store::insert(&mut tx, ctx.tenant_id, ctx.commons_id, &NewEvent::pending(engine, Task::Recanonicalise, payload(work)?))
            .await?;
        tx.commit().await?;
        engine.jobs().wake();
        return Ok("more to come");
    }
    Ok("all filed")
}

/// Refiles a batch of further topics, so that their memories are found by the words of what they are called now; whether there may be more.
async fn file_further_topics(engine: &Engine, ctx: &OpContext, snapshot: &Snapshot, work: &Work) -> Result<bool, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let topics = memories::stale_topics(&mut tx, ctx.tenant_id, &work.forms, work.version, BATCH).await?;
    let agents: Vec<_> = topics.iter().map(|topic| topic.agent_id).collect();
    memories::lock_counts(&mut tx, ctx.tenancy(), &agents).await?;
    for topic in &topics {
        memories::file_topic(&mut tx, ctx.tenant_id, topic, &snapshot.resolve(&topic.topic_raw)).await?;
        let memory = memories::by_ids(&mut tx, ctx.tenancy(), Some(topic.agent_id), &[topic.memory_id], true).await?.pop();
        if let Some(memory) = memory.filter(|memory| memory.live) {
            memories::put_words(&mut tx, ctx.tenancy(), memory.agent_id, memory.id, &memory.topic, &memory.wording()).await?;
        }
    }
    tx.commit().await?;
    Ok(i64::try_from(topics.len()).unwrap_or(i64::MAX) == BATCH)
}

async fn file(
    engine: &Engine,
    ctx: &OpContext,
    memory: &Memory,
    resolved: &Resolved,
    moves: bool,
    vector: Option<&[f32]>,
) -> Result<(), Error> {
    let (tenant, agent, id, now): (_, _, _, DateTime<Utc>) = (ctx.tenant_id, memory.agent_id, memory.id, engine.clock().now());
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    // So that nobody remembers under either key meanwhile. The order is fixed, so that two jobs never deadlock.
    lock_all(&mut tx, [memory.key().lock(), DedupKey { topic: resolved.topic.clone(), ..memory.key() }.lock()]).await?;
    let current = memories::by_ids(&mut tx, ctx.tenancy(), Some(agent), &[id], true).await?.pop();
    // A memory that was rewritten meanwhile is refiled by the next batch, or was resolved under this version.
    let Some(current) = current.filter(|current| current.version == memory.version && current.live == memory.live) else { return Ok(()) };
    memories::file_under(&mut tx, tenant, &current, resolved).await?;
    if moves {
        memories::lock_counts(&mut tx, ctx.tenancy(), &[agent]).await?;
        memories::write_version(&mut tx, ctx, agent, id, Change::Recanonicalised, None, now).await?;
        if current.live {
            memories::put_words(&mut tx, ctx.tenancy(), agent, id, &resolved.topic, &current.wording()).await?;
        }
        if let Some(vector) = vector {
            let embedded = Embedded { model: &engine.model().name, vector };
            memories::put_vector(&mut tx, ctx.tenancy(), agent, id, embedded, now).await?;
            let filed = memories::by_ids(&mut tx, ctx.tenancy(), Some(agent), &[id], false).await?.pop();
            if let Some(filed) = filed.filter(|filed| filed.live) {
                merge_twin(engine, ctx, &mut tx, &filed, embedded).await?;
            }
        } else {
            memories::drop_vectors(&mut tx, ctx.tenancy(), agent, id).await?;
            // A forgotten memory gets its vector when it is restored.
            if current.live {
                let payload = serde_json::json!({ "memory_id": id });
                jobs::store::insert(&mut tx, tenant, agent, &NewEvent::pending(engine, Task::Embed, payload)).await?;
            }
        }
    }
    tx.commit().await?;
    Ok(())
}

/// Embeds terms that have no vector of this model yet, so that phrases can be compared with their meaning.
///
/// # Errors
/// When the model or the database is out of reach: the job is tried again.
#[verb]
pub async fn embed_terms(engine: &Engine, ctx: &OpContext) -> Result<&'static str, Error> {
    let model = &engine.model().name;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let terms = store::unembedded(&mut tx, ctx.tenant_id, model, TERMS).await?;
    tx.commit().await?;
    let more = i64::try_from(terms.len()).unwrap_or(i64::MAX) == TERMS;
    let names = terms.iter().map(|(_, term)| term.clone()).collect();
    let vectors = engine.embed_batch_for_job(ctx.into(), names).await?;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    for ((id, term), vector) in terms.iter().zip(&vectors) {
        store::put_term_vector(&mut tx, ctx.tenant_id, *id, model, term, vector).await?;
    }
    if more {
        let event = NewEvent::pending(engine, Task::EmbedTerms, serde_json::json!({}));
        jobs::store::insert(&mut tx, ctx.tenant_id, ctx.commons_id, &event).await?;
    }
    tx.commit().await?;
    Ok("terms embedded")
}
