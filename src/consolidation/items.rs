//! consolidate: candidates are compared once more with what is known now.

use super::model::Place;
use super::place::{NEIGHBOURS, reason};
use super::promote::merge;
use super::store;
use crate::memories::access::{self, Purpose};
use crate::memories::model::Memory;
use crate::memories::store::{self as memories, Embedded, NewSuggestion};
use crate::memories::twins::{self, Verdict, judge};
use db::{lock, lock_key};
use foundation::idempotency::Once;
use foundation::identity::acting_for;
use foundation::intake::Admitted;
use foundation::jobs::{self, NewEvent, Task};
use foundation::{Checks, Engine, Error, OpContext};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use verb::verb;
use wire::{AgentId, BULK_MAX, ConsolidateRequest, KeyScope, MemoryId, QueuedResponse};

/// The candidates of an event.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ItemsPayload {
    pub memory_ids: Vec<MemoryId>,
}

/// Queues the comparison of some candidates with everything that is known: duplicates are merged, contradictions proposed. Promotion stays
/// with the tenant's policy and its reviewers.
///
/// # Errors
/// `Forbidden` without `capture:write`; `Invalid` for no items or too many; `NotFound` for one that the agent cannot see.
#[verb]
pub async fn consolidate(engine: &Engine, ctx: &OpContext, request: ConsolidateRequest) -> Result<QueuedResponse, Error> {
    let agent = ctx.agent_id()?;
    ctx.require(KeyScope::CaptureWrite)?;
    let request = Admitted::new(request)?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    let message = format!("has {} entries; it may have 1 to {BULK_MAX}", request.inbox_items.len());
    Checks::default().that((1..=BULK_MAX).contains(&request.inbox_items.len()), "inbox_items", message).done()?;
    let once = Once::new(engine, ctx, "consolidate", &request)?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let mut memory_ids = Vec::with_capacity(request.inbox_items.len());
    for item in &request.inbox_items {
        memory_ids.push(access::find(&mut tx, ctx, item, Purpose::Read, engine.clock().now()).await?.id);
    }
    let payload = serde_json::to_value(ItemsPayload { memory_ids }).map_err(Error::failed("a payload cannot be serialised"))?;
    let event = NewEvent::pending(engine, Task::Consolidate, payload);
    jobs::store::insert(&mut tx, ctx.tenant_id, agent, &event).await?;
    let answer = QueuedResponse { event_id: event.id };
    once.commit(tx, &answer, &[]).await?;
    engine.captures().wake();
    Ok(answer)
}

/// Compares candidates with everything that is known. Those that were decided meanwhile are left alone.
///
/// # Errors
/// When the database or the model is out of reach: the event is tried again.
#[verb]
pub async fn consolidate_items(engine: &Engine, ctx: &OpContext, agent: AgentId, payload: &ItemsPayload) -> Result<Value, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let candidates = store::candidates(&mut tx, ctx.tenancy(), agent, &payload.memory_ids).await?;
    tx.rollback().await?;
    let texts: Vec<String> = candidates.iter().map(Memory::embedded_text).collect();
    let vectors = engine.embed_batch_for_write(ctx.into(), texts).await;
    let (mut merged, mut proposed) = (0, 0);
    for (candidate, vector) in candidates.iter().zip(vectors) {
        let done = compare_one(engine, ctx, candidate, vector.ok().as_deref()).await?;
        merged += u32::from(done.0);
        proposed += done.1;
    }
    engine.relay().wake();
    Ok(json!({ "observations": candidates.len(), "merged": merged, "proposed": proposed }))
}

/// Whether a candidate was merged, and how many suggestions are new.
async fn compare_one(engine: &Engine, ctx: &OpContext, candidate: &Memory, vector: Option<&[f32]>) -> Result<(bool, u32), Error> {
    let owner = candidate.owner();
    let user = owner.user_id.map_or([0; 16], |user| user.0.into_bytes());
    let now = engine.clock().now();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    lock(&mut tx, lock_key(&[b"consolidate", owner.agent_id.0.as_bytes(), &user])).await?;
    let current = store::candidates(&mut tx, ctx.tenancy(), owner.agent_id, &[candidate.id]).await?.pop();
    let Some(candidate) = current.filter(|current| current.content_hash == candidate.content_hash) else { return Ok((false, 0)) };
    let near = match vector {
        Some(vector) => {
            let embedded = Embedded { model: &engine.model().name, vector };
            memories::put_vector(&mut tx, ctx.tenancy(), owner.agent_id, candidate.id, embedded, now).await?;
            store::nearest(&mut tx, ctx.tenancy(), owner, embedded, Place::of_memory(&candidate), NEIGHBOURS, now).await?
        }
        None => Vec::new(),
    };
    let mut proposed = 0;
    for (memory, similarity) in near.into_iter().filter(|(memory, _)| memory.id != candidate.id) {
        let model = engine.model();
        if judge(model, &candidate.content, &memory.content, similarity) == Verdict::Same && memory.kind == candidate.kind && memory.live {
            merge(engine, ctx, &mut tx, &candidate, &memory).await?;
            tx.commit().await?;
            return Ok((true, proposed));
        }
        let Some(relation) = twins::relation(model, &candidate.content, &memory.content, similarity) else { continue };
        let (id, reason) = (engine.clock().id(), reason(relation, similarity));
        let suggestion = NewSuggestion { owner, id, from: candidate.id, to: memory.id, relation, reason: &reason };
        proposed += u32::from(memories::suggest(&mut tx, ctx.tenancy(), suggestion, now).await?);
    }
    tx.commit().await?;
    Ok((false, proposed))
}
