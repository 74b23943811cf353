//! How a candidate becomes durable, and how that is undone.

use super::store;
use crate::memories::model::{Change, Details, Memory, wording};
use crate::memories::store::{self as memories, Repetition};
use crate::memories::{post_settling, share};
use chrono::{DateTime, Utc};
use db::{Tx, lock_all};
use foundation::audit::{self, NewEntry};
use foundation::jobs::{self, NewEvent, Task};
use foundation::{Engine, Error, OpContext};
use uuid::Uuid;
use wire::{MemoryStatus, Relation};

/// What became of a candidate that was to be durable.
pub(super) enum Durable {
    Active,
    /// An active memory says it already.
    Merged,
}

/// Makes a candidate durable, or merges it into an active memory with the same content. The caller has locked its row.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn make_durable(engine: &Engine, ctx: &OpContext, tx: &mut Tx, memory: &Memory) -> Result<Durable, Error> {
    let (tenancy, agent, id, now) = (ctx.tenancy(), memory.agent_id, memory.id, engine.clock().now());
    lock_all(tx, memory.locks()).await?;
    if let Some(twin) = memories::same_content(tx, tenancy, &memory.key(), &memory.content_hash, now).await?
        && twin.id != id
    {
        merge(engine, ctx, tx, memory, &twin).await?;
        add_details(ctx, tx, &twin, memory, now).await?;
        return Ok(Durable::Merged);
    }
    let Some(standing) = memories::set_status(tx, tenancy, agent, id, MemoryStatus::Active).await? else {
        return Err(Error::NotFound("memory"));
    };
    memories::write_version(tx, ctx, agent, id, Change::Promoted, None, now).await?;
    memories::put_words(tx, tenancy, agent, id, &memory.topic, &memory.wording()).await?;
    memories::sync_live(tx, tenancy, agent, &[id]).await?;
    post_settling(engine, ctx, tx, agent, id).await?;
    if standing.awaiting_vector {
        let payload = serde_json::json!({ "memory_id": id });
        jobs::store::insert(tx, ctx.tenant_id, agent, &NewEvent::pending(engine, Task::Embed, payload)).await?;
    }
    if !memory.is_canonical {
        audit::propose(engine, ctx, tx, agent, &memory.topic_raw, Some(id)).await?;
    }
    let entry = NewEntry::new(engine, ctx, "memory.promoted", "memory", id, "confirmed").agent(agent);
    audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    Ok(Durable::Active)
}

/// Gives a memory the details of a candidate with the same content, as far as it has none: a person confirmed them.
async fn add_details(ctx: &OpContext, tx: &mut Tx, into: &Memory, from: &Memory, now: DateTime<Utc>) -> Result<(), Error> {
    let missing = |known: &Option<String>, new: &Option<String>| new.clone().filter(|_| known.is_none());
    let details = Details {
        subject: missing(&into.subject, &from.subject),
        title: missing(&into.title, &from.title),
        summary: missing(&into.summary, &from.summary),
        evidence_ref: missing(&into.evidence_ref, &from.evidence_ref),
        rationale: missing(&into.rationale, &from.rationale),
        alternatives: from.alternatives.clone().filter(|_| into.alternatives.is_none()),
        ..Details::default()
    };
    if details.amendments(into).is_empty() {
        return Ok(());
    }
    let (tenancy, agent) = (ctx.tenancy(), into.agent_id);
    let repetition = Repetition { retention: into.retention, details: &details, expires_at: into.expires_at, stated_at: into.stated_at };
    memories::touch(tx, tenancy, into, repetition, now).await?;
    let title = details.title.as_deref().or(into.title.as_deref());
    let summary = details.summary.as_deref().or(into.summary.as_deref());
    memories::put_words(tx, tenancy, agent, into.id, &into.topic, &wording(&into.content, title, summary)).await?;
    Ok(memories::write_version(tx, ctx, agent, into.id, Change::Amended, None, now).await?)
}

/// Gives a candidate's evidence and topics to another memory, which supersedes it; which places, and which topics it did not have.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn merge(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    candidate: &Memory,
    into: &Memory,
) -> Result<(Vec<Uuid>, Vec<String>), Error> {
    let (tenancy, agent, now) = (ctx.tenancy(), candidate.agent_id, engine.clock().now());
    let places = store::move_evidence(tx, tenancy, agent, candidate.id, into.id).await?;
    memories::set_status(tx, tenancy, agent, candidate.id, MemoryStatus::Superseded).await?;
    memories::write_version(tx, ctx, agent, candidate.id, Change::Superseded, None, now).await?;
    if candidate.live {
        memories::drop_words(tx, tenancy, agent, candidate.id).await?;
        memories::sync_live(tx, tenancy, agent, &[candidate.id]).await?;
        post_settling(engine, ctx, tx, agent, candidate.id).await?;
    }
    let topics = memories::take_topics(tx, tenancy, into, candidate, now).await?;
    if into.live {
        memories::put_words(tx, tenancy, into.agent_id, into.id, &into.topic, &into.wording()).await?;
    }
    memories::link(tx, ctx, into.owner(), into.id, candidate.id, Relation::Supersedes, now).await?;
    let message = format!("merged into {}", into.short_id);
    let entry = NewEntry::new(engine, ctx, "memory.merged", "memory", candidate.id, message).agent(agent);
    audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    Ok((places, topics))
}

/// Puts a memory that was a candidate back into the inbox, also after a decision. False: it waits already.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn return_to_inbox(engine: &Engine, ctx: &OpContext, tx: &mut Tx, memory: &Memory) -> Result<bool, Error> {
    let (tenancy, agent, id, now) = (ctx.tenancy(), memory.agent_id, memory.id, engine.clock().now());
    if memory.status == MemoryStatus::Inbox && memory.deleted_at.is_none() {
        return Ok(false);
    }
    if memory.deleted_at.is_some() {
        memories::mark_restored(tx, tenancy, memory).await?;
    }
    if memory.status == MemoryStatus::Superseded {
        share::take_back(engine, ctx, tx, memory).await?;
        for into in store::merged_into(tx, tenancy, agent, id).await? {
            memories::unlink(tx, tenancy, agent, into, id, Relation::Supersedes).await?;
        }
        store::take_evidence_back(tx, tenancy, agent, id).await?;
    }
    if memory.live {
        memories::drop_words(tx, tenancy, agent, id).await?;
    }
    memories::set_status(tx, tenancy, agent, id, MemoryStatus::Inbox).await?;
    memories::sync_live(tx, tenancy, agent, &[id]).await?;
    post_settling(engine, ctx, tx, agent, id).await?;
    memories::write_version(tx, ctx, agent, id, Change::Returned, None, now).await?;
    let entry = NewEntry::new(engine, ctx, "memory.returned", "memory", id, "decision undone: it waits in the inbox again").agent(agent);
    audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    Ok(true)
}
