//! A recall that found nothing, and the memories that came close.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use wire::{AgentId, MemoryId, NearMissState, NothingReason, TenantId, UserId};

/// A near miss, as the log stores it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
pub struct Near {
    pub agent_id: AgentId,
    pub memory_id: MemoryId,
    pub similarity: f64,
    /// The floor that it missed.
    pub floor: f64,
    pub state: NearMissState,
}

/// A recall that found nothing.
pub struct EmptyRecall<'a> {
    pub tenant: TenantId,
    pub agent: AgentId,
    pub commons: AgentId,
    pub user_id: Option<UserId>,
    pub at: DateTime<Utc>,
    pub model: &'a str,
    /// The vector floor.
    pub floor: f64,
    pub reason: Option<NothingReason>,
    /// How many memories were scored.
    pub considered: i64,
    pub vector: Option<&'a [f32]>,
}
