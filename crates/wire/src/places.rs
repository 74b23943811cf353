//! What the console can open by its name.

use super::{AgentId, DocumentId, MemoryId, TermId, UserId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Something that has a page of its own in the console.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    Agent {
        id: AgentId,
        slug: String,
        name: String,
    },
    Project {
        id: Uuid,
        slug: String,
        name: String,
    },
    Memory {
        id: MemoryId,
        short_id: String,
        topic: String,
        agent_slug: String,
        deleted: bool,
    },
    Term {
        id: TermId,
        term: String,
        definition: String,
    },
    Document {
        id: DocumentId,
        title: String,
        /// `SPEC-005`, `ADR-008`, …
        reference: Option<String>,
        collection: String,
    },
    /// What one agent knows about one person.
    Person {
        agent_id: AgentId,
        agent_slug: String,
        user_id: UserId,
        /// The person's name, or else the organisation's reference to them.
        name: Option<String>,
    },
}
