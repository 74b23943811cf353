//! remember, for many facts at once: embedded together, stored one by one.

use super::remember::{self, Prepared};
use crate::api::{BATCH_MAX, BatchOutcome, BatchResponse, ErrorCode, MemoryId, RememberRequest, RememberResponse, Scope, UserRef};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::idempotency::Once;
use crate::identity::acting_for;
use crate::op::OpContext;
use async_recursion::async_recursion as boxed;
use tracing::instrument;

/// Remembers up to 500 facts of one user, each as [`super::remember()`] does, in their order. Each is a transaction of its own: stored whole
/// or not at all, whatever happens to the others. An item that could not be read is passed as its error, and has it as its outcome.
///
/// With an idempotency key, a batch that was broken off is repeated: what is stored answers as before, and the rest is stored.
///
/// # Errors
/// `Forbidden` without `memory:write`; `Invalid` for no item or too many; errors that no item is to blame for, which end the batch.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor, items = items.len()))]
pub async fn remember_batch(
    engine: &Engine,
    ctx: &OpContext,
    user: Option<UserRef>,
    items: Vec<Result<RememberRequest, Error>>,
) -> Result<BatchResponse, Error> {
    ctx.agent_id()?;
    ctx.require(Scope::MemoryWrite)?;
    let ctx = &acting_for(engine, ctx, user.as_ref()).await?;
    let message = format!("has {} entries; it may have 1 to {BATCH_MAX}", items.len());
    Checks::default().that((1..=BATCH_MAX).contains(&items.len()), "items", message).done()?;

    let request: Vec<_> = items.iter().map(|item| item.as_ref().map_err(Error::message)).collect();
    let once = Once::new(engine, ctx, "batch", &request)?;
    // From here on, another batch with this key is refused. Each item has a key of its own, made from this one.
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if once.claim::<bool>(&mut tx).await?.is_none() {
        once.commit(tx, &true, &[]).await?;
    }

    let mut prepared = Vec::with_capacity(items.len());
    for item in items {
        prepared.push(match item.and_then(|item| of_the_batch(item, user.as_ref())) {
            Ok(item) => remember::prepare(engine, ctx, item).await,
            Err(error) => Err(error),
        });
    }
    let texts = prepared.iter().flatten().map(Prepared::text).collect();
    let mut vectors = engine.embed_batch_for_write(texts).await.into_iter();

    let (mut results, mut stored) = (Vec::with_capacity(prepared.len()), Vec::new());
    for (index, item) in prepared.into_iter().enumerate() {
        let result = match item {
            Ok(item) => {
                let ctx = &ctx.with_part_of_key(index);
                let once = Once::new(engine, ctx, "batch item", &index)?;
                item.store(engine, ctx, vectors.next().flatten(), &once).await
            }
            Err(error) => Err(error),
        };
        results.push(outcome(result, &mut stored)?);
    }
    once.add_memories(engine, &stored).await?;
    let failed = i64::try_from(results.len() - stored.len()).unwrap_or(i64::MAX);
    Ok(BatchResponse { stored: i64::try_from(stored.len()).unwrap_or(i64::MAX), failed, results })
}

/// An item of a batch has the batch's user.
fn of_the_batch(item: RememberRequest, user: Option<&UserRef>) -> Result<RememberRequest, Error> {
    match &item.user_id {
        Some(named) if Some(named) != user => Err(Error::invalid("user_id", "is named once, beside items: all of them are of one user")),
        _ => Ok(item),
    }
}

/// What became of an item; an error that it is not to blame for ends the batch.
fn outcome(result: Result<RememberResponse, Error>, stored: &mut Vec<MemoryId>) -> Result<BatchOutcome, Error> {
    match result {
        Ok(memory) => {
            stored.push(memory.memory_id);
            Ok(BatchOutcome { memory: Some(memory), error: None })
        }
        Err(error) => match error.code() {
            ErrorCode::Unavailable | ErrorCode::Internal | ErrorCode::KeyReused => Err(error),
            _ => Ok(BatchOutcome { memory: None, error: Some(error.in_batch()) }),
        },
    }
}
