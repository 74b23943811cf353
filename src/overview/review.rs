//! How much waits for a person.

use crate::{consolidation, memories, vocabulary};
use foundation::{Engine, Error, OpContext};
use verb::verb;
use wire::{InboxFilter, MemoryFilter, MemoryStatus, ProposalFilter, ReviewNumbers};

/// How much waits for a person, each kind counted by the statement that counts its list.
#[verb(role = Viewer)]
pub async fn review_numbers(engine: &Engine, ctx: &OpContext) -> Result<ReviewNumbers, Error> {
    let (tenant, tenancy) = (ctx.tenant_id, ctx.tenancy());
    let mut tx = engine.db().kb.begin(tenancy).await?;
    let terms = vocabulary::store::count_proposals(&mut tx, tenant, &ProposalFilter::default()).await?;
    tx.commit().await?;
    let unreviewed = MemoryFilter { unreviewed: Some(true), ..MemoryFilter::default() };
    let contradicted = MemoryFilter { status: Some(MemoryStatus::Contradicted), ..MemoryFilter::default() };
    let mut tx = engine.db().memory.begin(tenancy).await?;
    let numbers = ReviewNumbers {
        candidates: consolidation::store::count(&mut tx, tenant, &InboxFilter::default()).await?,
        terms,
        suggestions: consolidation::store::suggestion_count(&mut tx, tenancy, None).await?,
        contradicted: memories::store::count(&mut tx, tenant, &contradicted).await?,
        quarantined: consolidation::store::quarantine_count(&mut tx, tenancy).await?,
        shared: memories::store::count(&mut tx, tenant, &unreviewed).await?,
    };
    tx.commit().await?;
    Ok(numbers)
}
