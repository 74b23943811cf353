//! What the console can open by its name.

use super::{AgentId, ChunkId, DocumentId, MemoryId, TermId, UserId};
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
    /// A memory that holds words of the text.
    Content {
        id: MemoryId,
        topic: String,
        content: String,
        agent_slug: String,
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
    /// A section of a document that holds words of the text.
    Section {
        document_id: DocumentId,
        chunk_id: ChunkId,
        citation: String,
        content: String,
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
