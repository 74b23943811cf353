//! The queries of the short list of entries.

use super::queries::{FLOORS, Query, queries};
use foundation::registry::EmbeddingModel;
use remembrancer::memory_block::store::{self as memory_block, EntryFilter, Likeness};

/// In the database of memories; kept apart by tenant and by agent.
pub const MEMORY_BLOCK: &[Query] = queries! {
    "memory_block::entries" |tx, c| {
        sqlx::query("update agent_memories set category = 'person' where tenant_id = $1 and id = $2 and (user_id is null or user_id = $3 or $3 = 'ffffffff-ffff-ffff-ffff-ffffffffffff')")
            .bind(c.tenant).bind(c.id).bind(c.ctx.users).execute(&mut **tx).await?;
        memory_block::entries(tx, c.ctx.tenancy(), &[c.agent], EntryFilter::Categorised, c.now).await?.len()
    };
    "memory_block::alike" |tx, c| {
        sqlx::query("update agent_memories set category = 'person' where tenant_id = $1 and id = $2 and (user_id is null or user_id = $3 or $3 = 'ffffffff-ffff-ffff-ffff-ffffffffffff')")
            .bind(c.tenant).bind(c.id).bind(c.ctx.users).execute(&mut **tx).await?;
        let model = EmbeddingModel {
            name: "all-MiniLM-L6-v2".into(),
            dimension: 384,
            dedup_threshold: 0.9,
            suggestion_threshold: 0.8,
            related_threshold: 0.6,
            term_threshold: 0.4,
            floors: FLOORS,
        };
        let likeness = Likeness { agents: &[c.agent], vector: Some(&c.vector), model: &model, with_subject: true, now: c.now };
        memory_block::alike(tx, c.ctx.tenancy(), &c.draft(), &likeness).await?.len()
    };
};
