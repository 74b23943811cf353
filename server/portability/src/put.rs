//! Writes one batch into the database, in the caller's transaction: the records, and what derives from them.

use super::lines::{ConnectionLine, Line, MemoryLine, ProfileLeafLine, Section};
use super::read::Batch;
use super::store::{self, Importing};
use super::values::bytes;
use db::Tx;
use foundation::jobs::{self, NewEvent, Task};
use foundation::{Engine, Error, OpContext, intake};
use remembrancer::memories::model::wording;
use remembrancer::memories::store as memories;
use remembrancer::profile::{self, Subject};
use remembrancer::vocabulary::Snapshot;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use verb::verb;
use wire::{AgentId, MemoryId};
use words::normal;

/// Memories that one job embeds: a lease is short.
const VECTORS: usize = 32;

/// The records of a batch as the database reads them, with derived columns that the file does not have.
///
/// # Errors
/// `Internal`, when one cannot be written as JSON.
pub fn rows(batch: &Batch, snapshot: Option<&Snapshot>) -> Result<Value, Error> {
    let row = |line: &Line| row(line, snapshot).map_err(Error::failed("a row cannot be serialised"));
    batch.lines.iter().map(|(_, line)| row(line)).collect::<Result<Vec<Value>, Error>>().map(Value::Array)
}

fn row(line: &Line, snapshot: Option<&Snapshot>) -> serde_json::Result<Value> {
    let mut row = line.row()?;
    match line {
        Line::Document(line) => row["content_hash"] = bytes(&line.content_hash.0).into(),
        Line::Tombstone(line) => row["content_hash"] = bytes(&line.content_hash.0).into(),
        Line::Memory(line) => add_what_follows(&mut row, line, snapshot),
        _ => {}
    }
    Ok(row)
}

/// A version of the vocabulary means something in one installation only. If the vocabulary here gives the phrase the topic of the file, the
/// row gets its version; otherwise 0, which is older than any other, so that the next decision on the phrase includes the memory.
fn add_what_follows(row: &mut Value, line: &MemoryLine, snapshot: Option<&Snapshot>) {
    let resolved = snapshot.map(|snapshot| snapshot.resolve(&line.topic_raw));
    let same = resolved.filter(|resolved| resolved.topic == line.topic && resolved.is_canonical == line.is_canonical);
    row["vocabulary_version"] = same.map_or(0, |resolved| resolved.version).into();
    row["topic_normal"] = normal(&line.topic_raw).into();
    row["topic_key"] = normal(&line.topic).into();
}

/// The rows of the further topics of some memories.
fn topics<'a>(memories: impl Iterator<Item = &'a MemoryLine>) -> Value {
    let row = |memory: &'a MemoryLine| {
        memory.topics.iter().map(|topic| {
            json!({
                "agent_id": memory.agent_id, "memory_id": memory.id, "topic": topic.topic, "topic_raw": topic.topic_raw,
                "topic_normal": normal(&topic.topic_raw), "is_canonical": topic.is_canonical, "created_at": topic.created_at,
            })
        })
    };
    memories.flat_map(row).collect()
}

/// Writes a batch. Memories get their words at once, and jobs for their vectors.
#[verb]
pub async fn put(engine: &Engine, ctx: &OpContext, tx: &mut Tx, batch: &Batch) -> Result<(), Error> {
    if batch.section == Section::Memory {
        return put_memories(engine, ctx, tx, batch).await;
    }
    let (tenancy, rows, importing) = (ctx.tenancy(), rows(batch, None)?, importing(engine, ctx));
    match batch.section {
        // Merges are made by people, so an agent's import repeats none.
        Section::Evidence if importing.revives => store::forward_evidence(tx, tenancy, &rows).await?,
        section @ (Section::QuarantinedTurn | Section::Suggestion) => store::forward_decisions(tx, tenancy, section, &rows).await?,
        Section::ProfileVersion => store::put_profiles(tx, tenancy, &rows).await?,
        _ => {}
    }
    match batch.section {
        Section::Version => store::put_versions(tx, tenancy, &rows, importing).await?,
        Section::Link => store::put_links(tx, tenancy, &rows).await?,
        Section::Tombstone => store::put_tombstones(tx, tenancy, &rows).await?,
        section => store::put(tx, tenancy, section, &rows).await?,
    }
    for subject in subjects(batch) {
        profile::documents::request(engine, ctx, tx, subject).await?;
    }
    Ok(())
}

/// Whose connections and leaves a batch has: their documents are made later.
fn subjects(batch: &Batch) -> BTreeSet<Subject> {
    let connections = batch.of::<ConnectionLine>().map(|(_, line)| (line.agent_id, line.user_id));
    let leaves = batch.of::<ProfileLeafLine>().map(|(_, line)| (line.agent_id, line.user_id));
    connections.chain(leaves).map(|(agent_id, user_id)| Subject { agent_id, user_id }).collect()
}

/// An agent's import brings back nothing that is deleted or expired here: that is for operators.
fn importing<'a>(engine: &Engine, ctx: &'a OpContext) -> Importing<'a> {
    Importing { by: ctx.actor.name(), revives: ctx.agent_id().is_err(), now: engine.clock().now() }
}

/// Marks memories as captured if their texts may carry instructions, even if the file says otherwise: `remember` does the same.
fn distrust(rows: &mut Value, batch: &Batch) -> Result<(), Error> {
    for (row, (_, memory)) in rows.as_array_mut().into_iter().flatten().zip(batch.of::<MemoryLine>()) {
        let texts = (&memory.topic_raw, &memory.title, &memory.subject, &memory.content, &memory.summary, &memory.rationale);
        let others = (&memory.alternatives, &memory.evidence_ref, &memory.source);
        if !intake::findings(&(texts, others))?.is_empty() {
            row["trust"] = "captured".into();
        }
    }
    Ok(())
}

async fn put_memories(engine: &Engine, ctx: &OpContext, tx: &mut Tx, batch: &Batch) -> Result<(), Error> {
    let tenant = ctx.tenant_id;
    let snapshot: Option<Arc<Snapshot>> = engine.vocabulary().snapshot(&engine.db().kb, ctx.tenancy()).await.ok();
    let mut rows = rows(batch, snapshot.as_deref())?;
    distrust(&mut rows, batch)?;
    let written = store::put_memories(tx, ctx.tenancy(), &rows, importing(engine, ctx)).await?;
    let mut agents: Vec<AgentId> = written.iter().map(|(agent, _, _)| *agent).collect();
    let was_there: HashMap<MemoryId, bool> = written.into_iter().map(|(_, id, was_there)| (id, was_there)).collect();
    let lines = batch.of::<MemoryLine>().map(|(_, memory)| memory);
    let replaced: Vec<MemoryId> = was_there.iter().filter(|(_, was_there)| **was_there).map(|(id, _)| *id).collect();
    let mut told = store::put_topics(tx, ctx.tenancy(), &topics(lines), &replaced).await?;
    told.retain(|id| !was_there.contains_key(id));
    let told = memories::by_ids(tx, ctx.tenancy(), None, &told, true).await?;
    agents.extend(told.iter().map(|memory| memory.agent_id));
    memories::lock_counts(tx, ctx.tenancy(), &agents).await?;
    // A memory that is as it was and got a further topic is found by it, too.
    for memory in told.iter().filter(|memory| memory.live) {
        memories::put_words(tx, ctx.tenancy(), memory.agent_id, memory.id, &memory.topic, &memory.wording()).await?;
    }
    let mut wanting: BTreeMap<AgentId, Vec<MemoryId>> = BTreeMap::new();
    for (_, memory) in batch.of::<MemoryLine>() {
        let Some(was_there) = was_there.get(&memory.id) else { continue };
        if *was_there {
            memories::drop_vectors(tx, ctx.tenancy(), memory.agent_id, memory.id).await?;
            memories::drop_words(tx, ctx.tenancy(), memory.agent_id, memory.id).await?;
            if importing(engine, ctx).revives {
                store::drop_tombstones(tx, ctx.tenancy(), memory.agent_id, &[memory.id]).await?;
            }
        }
        if memory.live() {
            let text = wording(&memory.content, memory.title.as_deref(), memory.summary.as_deref());
            memories::put_words(tx, ctx.tenancy(), memory.agent_id, memory.id, &memory.topic, &text).await?;
            wanting.entry(memory.agent_id).or_default().push(memory.id);
        }
    }
    for (agent, ids) in wanting {
        for ids in ids.chunks(VECTORS) {
            let payload = json!({ "memory_ids": ids });
            jobs::store::insert(tx, tenant, agent, &NewEvent::pending(engine, Task::EmbedImported, payload)).await?;
        }
    }
    Ok(())
}
