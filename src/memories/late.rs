//! Late vectors: stored when they arrive, and compared with the memories that came meanwhile.

use super::model::Memory;
use super::store::{self, Embedded};
use super::twins::{self, Verdict};
use db::{Tx, lock};
use foundation::usage::Payer;
use foundation::{Engine, Error, OpContext};
use tracing::instrument;
use verb::verb;
use wire::{AgentId, MemoryId, MemoryKind};

/// Embeds a memory that was stored without a vector. If another one says the same by now, the later supersedes the earlier, with a link;
/// what differs stays. Candidates get their vector, too, so that new ones are compared with them.
///
/// # Errors
/// When the model or the database is out of reach: the job is tried again.
#[verb]
pub async fn embed_late(engine: &Engine, ctx: &OpContext, agent: AgentId, id: MemoryId) -> Result<&'static str, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let memory = store::by_ids(&mut tx, ctx.tenancy(), Some(agent), &[id], false).await?.pop();
    tx.commit().await?;
    let Some(memory) = memory.filter(|memory| memory.live || memory.waits()) else { return Ok("no longer live") };
    let text = memory.embedded_text();
    if !engine.reads(&text) {
        return Ok("in a language that the model does not know");
    }
    let vector = engine.embed_for_job(Payer::of(ctx, agent, memory.user_id), &text).await?;
    let embedded = Embedded { model: &engine.model().name, vector: &vector };

    let now = engine.clock().now();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    lock(&mut tx, memory.key().lock()).await?;
    let current = store::by_ids(&mut tx, ctx.tenancy(), Some(agent), &[id], true).await?.pop();
    let Some(current) = current.filter(|current| (current.live || current.waits()) && current.content_hash == memory.content_hash) else {
        // It was rewritten or forgotten while the model worked; a rewrite brings its own vector.
        return Ok("changed meanwhile");
    };
    store::put_vector(&mut tx, ctx.tenancy(), agent, id, embedded, now).await?;
    if !current.live || !merge_twin(engine, ctx, &mut tx, &current, embedded).await? {
        tx.commit().await?;
        return Ok("embedded");
    }
    tx.commit().await?;
    engine.relay().wake();
    Ok("superseded a near-duplicate")
}

/// Compares a live memory, whose key is locked, with the others under its key. If one says the same, the later stated one supersedes the
/// earlier; whether it did.
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn merge_twin(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    memory: &Memory,
    embedded: Embedded<'_>,
) -> Result<bool, Error> {
    if memory.kind == MemoryKind::Decision {
        return Ok(false);
    }
    let now = engine.clock().now();
    let near = store::nearest(tx, ctx.tenancy(), &memory.key(), embedded, Some(memory.id), twins::NEIGHBOURS, now).await?;
    let mut near = twins::judge_all(engine.model(), &memory.content, near);
    let Some(place) = near.iter().position(|one| one.verdict == Verdict::Same) else {
        twins::set_beside(engine, ctx, tx, &memory.key(), memory.id, memory.stated_at, near).await?;
        return Ok(false);
    };
    let twin = near.swap_remove(place).memory;
    store::lock_counts(tx, ctx.tenancy(), &[memory.agent_id]).await?;
    let (newer, older) = twins::in_order(memory, &twin);
    twins::supersede(engine, ctx, tx, newer, older, now).await?;
    Ok(true)
}
