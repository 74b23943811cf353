//! Late vectors: stored when they arrive, and compared with the memories that came meanwhile.

use super::link::post_settling;
use super::model::{Change, embedded_text};
use super::store::{self, Embedded};
use crate::api::{AgentId, MemoryId, MemoryKind, Relation};
use crate::audit::{self, NewEntry};
use crate::db::lock;
use crate::engine::Engine;
use crate::error::Error;
use crate::op::OpContext;
use crate::usage::Payer;
use async_recursion::async_recursion as boxed;
use tracing::instrument;

/// Embeds a memory that was stored without a vector. If it has a near-duplicate by now, a link supersedes the earlier one; nothing is
/// merged silently.
///
/// # Errors
/// When the model or the database is out of reach: the job is tried again.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn embed_late(engine: &Engine, ctx: &OpContext, agent: AgentId, id: MemoryId) -> Result<&'static str, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let memory = store::by_ids(&mut tx, ctx.tenancy(), Some(agent), &[id], false).await?.pop();
    tx.commit().await?;
    let Some(memory) = memory.filter(|memory| memory.live) else { return Ok("no longer live") };
    let vector = engine.embed_for_job(Payer::of(ctx, agent, memory.user_id), &embedded_text(&memory.topic, &memory.content)).await?;
    let embedded = Embedded { model: &engine.model().name, vector: &vector };

    let now = engine.clock().now();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    lock(&mut tx, memory.key().lock()).await?;
    let current = store::by_ids(&mut tx, ctx.tenancy(), Some(agent), &[id], true).await?.pop();
    let Some(current) = current.filter(|current| current.live && current.content_hash == memory.content_hash) else {
        // It was rewritten or forgotten while the model worked; a rewrite brings its own vector.
        return Ok("changed meanwhile");
    };
    store::put_vector(&mut tx, ctx.tenancy(), agent, id, embedded, now).await?;
    let near = store::nearest(&mut tx, ctx.tenancy(), &current.key(), embedded, Some(id), now).await?;
    let twin = near.filter(|(_, similarity)| *similarity > engine.model().dedup_threshold && current.kind != MemoryKind::Decision);
    let Some((twin, _)) = twin else {
        tx.commit().await?;
        return Ok("embedded");
    };
    // The later memory stays in force, even if the vector belongs to the earlier one.
    let (newer, older) = if (current.updated_at, current.id) >= (twin.updated_at, twin.id) { (&current, &twin) } else { (&twin, &current) };
    store::mark_superseded(&mut tx, ctx.tenancy(), agent, older.id).await?;
    store::write_version(&mut tx, ctx, agent, older.id, Change::Superseded, None, now).await?;
    store::drop_words(&mut tx, ctx.tenancy(), agent, older.id).await?;
    store::sync_live(&mut tx, ctx.tenancy(), agent, &[older.id]).await?;
    post_settling(engine, ctx, &mut tx, agent, older.id).await?;
    store::link(&mut tx, ctx, (agent, newer.user_id), newer.id, older.id, Relation::Supersedes, now).await?;
    let message = format!("superseded by the near-duplicate {}", newer.short_id);
    let entry = NewEntry::new(engine, ctx, "memory.superseded", "memory", older.id, message).agent(agent);
    audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    tx.commit().await?;
    engine.relay().wake();
    Ok("superseded a near-duplicate")
}
