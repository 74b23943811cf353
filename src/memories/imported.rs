//! Vectors of imported memories.

use super::store::{self, Embedded};
use foundation::{Engine, Error, OpContext};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use verb::verb;
use wire::{AgentId, MemoryId};

/// Imported memories without vectors.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Wanting {
    pub memory_ids: Vec<MemoryId>,
}

/// Gives imported memories their vectors. Unlike late vectors of memories that were just remembered, they are not compared with other
/// memories: an import changes nothing in its records.
///
/// # Errors
/// When the model or the database is out of reach: the job is tried again.
#[verb]
pub async fn embed_imported(engine: &Engine, ctx: &OpContext, agent: AgentId, wanting: &Wanting) -> Result<&'static str, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let mut found = store::by_ids(&mut tx, ctx.tenancy(), Some(agent), &wanting.memory_ids, false).await?;
    tx.commit().await?;
    found.retain(|memory| memory.live);
    if found.is_empty() {
        return Ok("no longer live");
    }
    found.retain(|memory| engine.reads(&memory.embedded_text()));
    if found.is_empty() {
        return Ok("in a language that the model does not know");
    }
    let texts = found.iter().map(|memory| memory.embedded_text()).collect();
    let vectors = engine.embed_batch_for_job(ctx.into(), texts).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let current = store::by_ids(&mut tx, ctx.tenancy(), Some(agent), &wanting.memory_ids, true).await?;
    let embedded: HashMap<MemoryId, _> = found.iter().zip(&vectors).map(|(memory, vector)| (memory.id, (memory, vector))).collect();
    for memory in current.iter().filter(|memory| memory.live) {
        // A memory that was rewritten while the model worked has a vector of its own.
        let same =
            embedded.get(&memory.id).filter(|(before, _)| before.topic == memory.topic && before.content_hash == memory.content_hash);
        if let Some((_, vector)) = same {
            let embedded = Embedded { model: &engine.model().name, vector };
            store::put_vector(&mut tx, ctx.tenancy(), agent, memory.id, embedded, engine.clock().now()).await?;
        }
    }
    tx.commit().await?;
    Ok("embedded")
}
