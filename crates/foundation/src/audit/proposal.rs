//! Proposals on their way to the vocabulary.

use super::store::{self, Destination};
use crate::engine::Engine;
use crate::error::Error;
use crate::op::OpContext;
use chrono::{DateTime, Utc};
use db::Tx;
use serde::{Deserialize, Serialize};
use verb::verb;
use wire::{AgentId, EventId, MemoryId};
use words::normal;

/// A phrase that a memory met and the vocabulary did not know.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Proposal {
    pub phrase: String,
    pub normal: String,
    pub agent_id: AgentId,
    /// The memory that met it; absent when an agent proposed it without one.
    pub memory_id: Option<MemoryId>,
    pub seen_at: DateTime<Utc>,
}

/// Posts a proposal to the outbox, in the caller's transaction; returns the id of its row. It holds the phrase and the memory's id, never
/// its content.
#[verb]
pub async fn propose(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    agent: AgentId,
    phrase: &str,
    memory: Option<MemoryId>,
) -> Result<EventId, Error> {
    let now: DateTime<Utc> = engine.clock().now();
    let proposal = Proposal { phrase: phrase.trim().to_owned(), normal: normal(phrase), agent_id: agent, memory_id: memory, seen_at: now };
    let payload = serde_json::to_value(&proposal).map_err(Error::failed("a proposal cannot be serialised"))?;
    let event = EventId(engine.clock().id());
    store::post(tx, ctx.tenant_id, agent, event, Destination::Proposal, &payload, now).await?;
    metrics::counter!("remembrancer_vocabulary_proposals_total").increment(1);
    Ok(event)
}
