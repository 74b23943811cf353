//! Ids as types of their own: an agent's id cannot be passed where a memory's is meant.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta] $name:ident),+ $(,)?) => {$(
        #[$doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "engine", derive(sqlx::Type, schemars::JsonSchema), sqlx(transparent))]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    )+};
}

id! {
    /// The organisation.
    TenantId,
    /// An LLM agent, or a tenant's commons.
    AgentId,
    /// The person an agent works for.
    UserId,
    /// A person who signs in to the console.
    OperatorId,
    /// An API key.
    KeyId,
    /// One thing remembered.
    MemoryId,
    /// One row of an event bus, of an outbox or of the audit log.
    EventId,
    /// One logged recall.
    RetrievalId,
    /// A canonical term, through all its names.
    TermId,
    /// A phrase that waits for a decision, or had one.
    ProposalId,
    /// One decision on the vocabulary.
    DecisionId,
    /// One text of a document; a changed file is a new one.
    DocumentId,
    /// A part of a document.
    ChunkId,
    /// One ingestion.
    RunId,
    /// One request at an edge; stands in logs, errors and audit rows.
    RequestId,
}
