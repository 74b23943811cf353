//! Erasing memories with everything that is derived from them, in parts.

use super::key::Key;
use super::rows::erase_texts;
use super::store::{self, Doomed};
use foundation::jobs::{self, NewEvent, Task};
use foundation::{Engine, Error, OpContext};
use serde_json::json;
use uuid::Uuid;
use wire::MemoryId;

/// Memories of one transaction.
pub(super) const PART: usize = 200;

/// Erases some memories, whoever has them: at most [`PART`]. Phrases in the vocabulary's queue and texts of the audit log go first, because
/// the memories lead to them: an attempt that dies in between begins with the same memories again.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor, ids = ids.len()))]
pub(super) async fn erase(engine: &Engine, ctx: &OpContext, key: &Key, ids: &[MemoryId]) -> Result<(), Error> {
    let (tenant, now) = (ctx.tenant_id, engine.clock().now());
    let mut tx = engine.db().memory.begin_erasure(tenant).await?;
    let memories = store::doomed(&mut tx, tenant, ids).await?;
    let versions = store::hashes_of_versions(&mut tx, tenant, ids).await?;
    let current = memories.iter().map(|memory| (memory.agent_id, memory.user_id, memory.content_hash.clone()));
    let fingerprints: Vec<_> = current.chain(versions).map(|(agent, user, hash)| (agent, key.text(agent, user, &hash))).collect();
    store::put_fingerprints(&mut tx, tenant, &fingerprints, now).await?;

    erase_phrases(engine, ctx, ids, &[]).await?;
    let targets: Vec<Uuid> = memories.iter().map(|memory| memory.id.0).collect();
    erase_texts(engine, ctx, &targets).await?;

    let disputed = store::contradicted_by(&mut tx, tenant, ids).await?;
    store::delete_memories(&mut tx, tenant, &memories).await?;
    let forms: Vec<String> =
        memories.into_iter().flat_map(|Doomed { topic_normal, further, .. }| further.into_iter().chain([topic_normal])).collect();
    store::strip_forms(&mut tx, tenant, &forms).await?;
    for (agent, id) in disputed {
        let event = NewEvent::pending(engine, Task::SettleLinks, json!({ "memory_id": id }));
        jobs::store::insert(&mut tx, tenant, agent, &event).await?;
    }
    tx.commit().await?;
    engine.jobs().wake();
    Ok(())
}

/// Removes phrases that only these memories proposed, and the named proposals, with the texts of the audit log about them.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn erase_phrases(engine: &Engine, ctx: &OpContext, ids: &[MemoryId], named: &[Uuid]) -> Result<(), Error> {
    let mut tx = engine.db().kb.begin_erasure(ctx.tenant_id).await?;
    let changed = store::delete_phrases(&mut tx, ctx.tenant_id, ids, named).await?;
    // The texts about them first: an attempt that dies after the commit would not find them again.
    erase_texts(engine, ctx, &changed).await?;
    Ok(tx.commit().await?)
}
