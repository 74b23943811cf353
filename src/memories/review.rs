//! Review of what is shared: a person confirms the present content of a shared memory, and agents see it as reviewed from then on.

use super::model::Change;
use super::shown::Shown;
use super::store;
use foundation::audit::{self, NewEntry};
use foundation::{Checks, Engine, Error, OpContext};
use verb::verb;
use wire::{BULK_MAX, BulkOutcome, MemoryId};

/// Marks up to 100 shared memories as reviewed, all or none, as they were shown. It holds for their present text: after a later change of
/// the content or of a detail they are unreviewed again. Those that were reviewed already do not change.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `Invalid` for no ids or too many; `NotFound` if any is not the tenant's; `Conflict` for a memory
/// that is not shared, that no agent recalls, or that has changed since it was shown.
#[verb(role = Reviewer, ids = ids.len())]
pub async fn review(engine: &Engine, ctx: &OpContext, ids: &[MemoryId], shown: &Shown) -> Result<BulkOutcome, Error> {
    let ids = named(ids)?;
    let mut outcome = BulkOutcome::at(engine.clock().now());
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let memories = store::by_ids(&mut tx, ctx.tenancy(), None, &ids, true).await?;
    if memories.len() < ids.len() {
        return Err(Error::NotFound("memory"));
    }
    shown.check(&memories)?;
    let reviewed = store::reviewed(&mut tx, ctx.tenancy(), &ids).await?;
    for memory in memories {
        if memory.agent_id != ctx.commons_id {
            return Err(Error::Conflict(format!("{} is private: only shared memories are reviewed", memory.short_id)));
        }
        if !memory.live {
            return Err(Error::Conflict(format!("{} cannot be recalled: restore it first", memory.short_id)));
        }
        if reviewed.contains(&memory.id) {
            outcome.unchanged.push(memory.id);
            continue;
        }
        store::next_version(&mut tx, ctx.tenancy(), memory.agent_id, memory.id).await?;
        store::write_version(&mut tx, ctx, memory.agent_id, memory.id, Change::Reviewed, None, outcome.at).await?;
        let entry = NewEntry::new(engine, ctx, "memory.reviewed", "memory", memory.id, "reviewed").agent(memory.agent_id);
        audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
        outcome.changed.push(memory.id);
    }
    tx.commit().await?;
    // The reviewer looks at the audit trail next.
    engine.relay().settle().await;
    Ok(outcome)
}

/// The ids of a decision about some memories, each once, in the order in which rows are locked.
///
/// # Errors
/// `Invalid` for none or too many.
pub(super) fn named(ids: &[MemoryId]) -> Result<Vec<MemoryId>, Error> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    let message = format!("names {} memories; it may name 1 to {BULK_MAX}", ids.len());
    Checks::default().that((1..=BULK_MAX).contains(&ids.len()), "ids", message).done()?;
    Ok(ids)
}
