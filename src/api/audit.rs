use super::text_enum::text_enum;
use super::{AgentId, EventId, RequestId};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

text_enum! {
    /// Who may read an audit row.
    AuditVisibility {
        Operators = "operators",
        /// Agents may search it too; what an operator typed is never there.
        Organisation = "organisation",
    }
}

/// One row of the audit log. It names fields and hashes, never content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditEntry {
    pub event_id: EventId,
    /// Place in the tenant's hash chain, from 1, without gaps.
    pub seq: i64,
    pub at: DateTime<Utc>,
    /// `agent`, `operator` or `system`.
    pub actor_kind: String,
    pub actor_id: String,
    pub actor_name: String,
    /// `memory.remembered`, `memory.forgotten`, `operator.signed_in`, …
    pub action: String,
    /// `memory`, `operator`, `key`, …
    pub target_kind: String,
    pub target_id: String,
    /// The agent whose memory was touched.
    pub agent_id: Option<AgentId>,
    pub message: String,
    pub reason: Option<String>,
    pub request_id: Option<RequestId>,
    /// Names and SHA-256 hashes of what changed.
    pub changes: serde_json::Value,
    pub visibility: AuditVisibility,
}

/// What the audit page asks for; an absent field does not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AuditFilter {
    /// Part of the actor's name or id.
    pub actor: Option<String>,
    /// Beginning of the action: `memory.` finds every action on memories.
    pub action: Option<String>,
    /// The target's id.
    pub target: Option<String>,
    pub from: Option<DateTime<Utc>>,
    /// Exclusive.
    pub until: Option<DateTime<Utc>>,
    pub after: Option<String>,
    pub before: Option<String>,
}
