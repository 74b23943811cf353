//! Ids as types of their own: an agent's id cannot be passed where a memory's is meant.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta] $name:ident),+ $(,)?) => {$(
        #[$doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type, schemars::JsonSchema)]
        #[sqlx(transparent)]
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
    /// A one-time link for somebody who becomes an operator, or needs a new password.
    InvitationId,
    /// One thing remembered.
    MemoryId,
    /// One row of an event bus, of an outbox or of the audit log.
    EventId,
    /// One logged recall.
    RetrievalId,
    /// One assembled context.
    ContextId,
    /// A canonical term. Its id stays the same when the term is renamed.
    TermId,
    /// A phrase that waits for a decision, or had one.
    ProposalId,
    /// One decision on the vocabulary.
    DecisionId,
    /// One text of a document; a changed file is a new one.
    DocumentId,
    /// A request to erase a person.
    ErasureId,
    /// A part of a document.
    ChunkId,
    /// One ingestion.
    RunId,
    /// A chat bot, bound to one API key.
    BotId,
    /// An address that is called when something happens.
    WebhookId,
    /// Raw material that was captured, as one text.
    SourceId,
    /// A turn that is kept from extraction until a person decides.
    QuarantineId,
    /// A suggestion about two memories.
    SuggestionId,
    /// One value of a profile.
    LeafId,
    /// A list that an operator keeps under a name.
    ViewId,
    /// Expectations that are run together.
    ExpectationSetId,
    /// A question with the memories that should answer it.
    ExpectationId,
    /// One run of a set of expectations.
    ExpectationRunId,
    /// One request at an edge; it is in logs, errors and audit rows.
    RequestId,
}

/// A reference to a memory: its id, or the eight characters that prompts show.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(with = "String", extend("pattern" = MEMORY_REF))]
#[serde(try_from = "String", into = "String")]
pub enum MemoryRef {
    Id(MemoryId),
    Short(String),
}

/// The two forms, as a regular expression for JSON Schema.
const MEMORY_REF: &str = "^([0-9A-Za-z]{8}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$";

/// Characters of a short id.
pub const SHORT_ID_LENGTH: usize = 8;

impl std::str::FromStr for MemoryRef {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() == SHORT_ID_LENGTH && text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Ok(Self::Short(text.to_owned()));
        }
        text.parse().map(Self::Id).map_err(|_| "must be a memory's id, or its short id of eight letters and digits")
    }
}

impl TryFrom<String> for MemoryRef {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<MemoryId> for MemoryRef {
    fn from(id: MemoryId) -> Self {
        Self::Id(id)
    }
}

impl From<MemoryRef> for String {
    fn from(name: MemoryRef) -> Self {
        name.to_string()
    }
}

impl std::fmt::Display for MemoryRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Short(short) => f.write_str(short),
        }
    }
}

/// Longest reference to a user, in characters.
pub const USER_REF_MAX: usize = 256;

/// A user as a caller names them: by id, or by the organisation's own reference, such as `crm-4711` (1 to 256 characters).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(with = "String")]
#[serde(try_from = "String", into = "String")]
pub enum UserRef {
    Id(UserId),
    External(String),
}

impl std::str::FromStr for UserRef {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(id) = text.parse::<UserId>() {
            // The database reads the highest id as "every user".
            return if id.0.is_max() { Err("is not the id of a user".into()) } else { Ok(Self::Id(id)) };
        }
        let characters = text.chars().count();
        if text.trim().is_empty() || characters > USER_REF_MAX || text.chars().any(char::is_control) {
            return Err(format!("must be a user's id or your own reference to a user: 1 to {USER_REF_MAX} printable characters"));
        }
        Ok(Self::External(text.to_owned()))
    }
}

impl TryFrom<String> for UserRef {
    type Error = String;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<UserId> for UserRef {
    fn from(id: UserId) -> Self {
        Self::Id(id)
    }
}

impl From<UserRef> for String {
    fn from(user: UserRef) -> Self {
        user.to_string()
    }
}

impl std::fmt::Display for UserRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::External(reference) => f.write_str(reference),
        }
    }
}
