//! The names that the sources of a context have today, for operators.

use crate::{knowledge, memories};
use foundation::{Engine, Error, OpContext};
use std::collections::BTreeSet;
use wire::{BULK_MAX, ChunkId, ContextBlock, MemoryId, MemoryRow, MemoryStatus, NamedSource};

/// Topics of memories and titles of documents in a context, of at most [`BULK_MAX`] each. What is erased has no name.
pub(super) async fn names(engine: &Engine, ctx: &OpContext, blocks: &[ContextBlock]) -> Result<Vec<NamedSource>, Error> {
    let items = || blocks.iter().flat_map(|block| &block.items);
    let ids: BTreeSet<MemoryId> = items().filter_map(|item| item.memory_id).take(BULK_MAX).collect();
    let chunks: BTreeSet<ChunkId> = items().filter_map(|item| item.chunk_id).take(BULK_MAX).collect();
    let (ids, chunks): (Vec<MemoryId>, Vec<ChunkId>) = (ids.into_iter().collect(), chunks.into_iter().collect());
    let rows = memories::rows_by_id(engine, ctx, &ids).await?;
    let passages = knowledge::passages(engine, ctx, &chunks).await?;
    let now = engine.clock().now();
    let gone = |row: &MemoryRow| {
        row.deleted_at.is_some()
            || row.expires_at.is_some_and(|end| end <= now)
            || !matches!(row.status, MemoryStatus::Active | MemoryStatus::Contradicted)
    };
    let memory = |row: MemoryRow| NamedSource { id: row.id.0, gone: gone(&row), name: row.topic };
    let mut sources: Vec<NamedSource> = rows.into_iter().map(memory).collect();
    sources.extend(passages.into_values().map(|one| NamedSource { id: one.chunk_id.0, name: one.title, gone: !one.in_force }));
    Ok(sources)
}
