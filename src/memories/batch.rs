//! remember, for many facts at once: embedded together, stored one by one.

use super::remember::{self, Prepared};
use foundation::engine::Missing;
use foundation::idempotency::Once;
use foundation::identity::acting_for;
use foundation::intake::Admitted;
use foundation::{Checks, Engine, Error, OpContext};
use sha2::{Digest, Sha256};
use tokio::time::Instant;
use verb::verb;
use wire::{BATCH_MAX, BatchOutcome, BatchResponse, ErrorCode, KeyScope, MemoryId, RememberRequest, RememberResponse, UserRef};

/// Remembers up to 500 facts of one user in order, each as [`super::remember()`] does. Each item has a transaction of its own, so an error
/// in one does not affect the others. An item that could not be parsed is passed as its error, which becomes its result.
///
/// With an idempotency key, an interrupted batch can be sent again: stored items repeat their answers, and the rest is stored.
///
/// # Errors
/// `Forbidden` without `memory:write`; `Invalid` for no items or too many. Errors that no item caused, such as a lost database, end the
/// batch.
#[verb(items = items.len())]
pub async fn remember_batch(
    engine: &Engine,
    ctx: &OpContext,
    user: Option<UserRef>,
    items: Vec<Result<RememberRequest, Error>>,
) -> Result<BatchResponse, Error> {
    let agent = ctx.agent_id()?;
    ctx.require(KeyScope::MemoryWrite)?;
    let ctx = &acting_for(engine, ctx, user.as_ref()).await?;
    let message = format!("has {} entries; it may have 1 to {BATCH_MAX}", items.len());
    Checks::default().that((1..=BATCH_MAX).contains(&items.len()), "items", message).done()?;

    let items: Vec<_> = items.into_iter().map(|item| remember::admit(ctx, with_user(item?, user.as_ref())?)).collect();
    let once = Once::new(engine, ctx, "batch", &Admitted::new(digest(&items)?)?)?;
    // From here on, a different batch with this key is refused. Each item has a key of its own, derived from this one.
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    match once.claim::<bool>(&mut tx).await? {
        // Its connection must be free before the items ask for theirs.
        Some(_) => tx.rollback().await?,
        None => once.commit(tx, &true, &[]).await?,
    }

    let mut prepared = Vec::with_capacity(items.len());
    for item in items {
        prepared.push(match item {
            Ok(item) => remember::prepare(engine, ctx, agent, item).await,
            Err(error) => Err(error),
        });
    }
    let texts = prepared.iter().flatten().map(Prepared::text).collect();
    let mut vectors = engine.embed_batch_for_write(ctx.into(), texts).await.into_iter();

    let (mut results, mut stored) = (Vec::with_capacity(prepared.len()), Vec::new());
    for (index, item) in prepared.into_iter().enumerate() {
        let result = match item {
            Ok(item) => {
                let ctx = &ctx.with_part_of_key(index);
                let once = Once::new(engine, ctx, "batch item", &Admitted::new(index)?)?;
                item.store(engine, ctx, vectors.next().unwrap_or(Err(Missing::Embedding)), &once, Instant::now()).await
            }
            Err(error) => Err(error),
        };
        results.push(outcome(result, &mut stored)?);
    }
    once.add_memories(engine, &stored).await?;
    let failed = i64::try_from(results.len() - stored.len()).unwrap_or(i64::MAX);
    Ok(BatchResponse { stored: i64::try_from(stored.len()).unwrap_or(i64::MAX), failed, results })
}

/// What makes two batches the same.
fn digest(items: &[Result<Admitted<RememberRequest>, Error>]) -> Result<Vec<u8>, Error> {
    let items: Vec<_> = items.iter().map(|item| item.as_ref().map_err(Error::message)).collect();
    let text = serde_json::to_vec(&items).map_err(Error::failed("a batch cannot be serialised"))?;
    Ok(Sha256::digest(text).to_vec())
}

/// Checks that an item names no other user than the batch.
fn with_user(item: RememberRequest, user: Option<&UserRef>) -> Result<RememberRequest, Error> {
    match &item.user_id {
        Some(named) if Some(named) != user => {
            Err(Error::invalid("user_id", "must be named next to items: all items of a batch have the same user"))
        }
        _ => Ok(item),
    }
}

/// The result of an item. An error that the item did not cause ends the batch.
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
