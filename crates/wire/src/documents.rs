//! Documents of a person's context: what is known about the person and the tools that they use, found by meaning.

use super::text_enum::text_enum;
use super::{MatchedBy, UserRef};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Documents of one answer, by default and at most.
pub const DOCUMENTS_N: u32 = 5;
pub const DOCUMENTS_N_MAX: u32 = 50;
/// Largest cosine distance: that of opposite meanings.
pub const DISTANCE_MAX: f64 = 2.0;
/// Most connections that a request may name.
pub const CONNECTIONS_MAX: usize = 200;
/// Most entities of one connection.
pub const ENTITIES_MAX: usize = 1000;
/// Longest text of an entity, in bytes.
pub const ENTITY_MAX: usize = 8 * 1024;
/// Most bytes that the texts of a connection's entities have together.
pub const ENTITIES_BYTES_MAX: usize = 1024 * 1024;
/// Longest key of an entity and longest id of its message, in characters.
pub const ENTITY_KEY_MAX: usize = 256;

text_enum! {
    /// What a document of a person's context is about.
    ContextType {
        /// A value of the person's structured profile.
        UserProfile = "user_profile",
        /// A fact to keep about the person.
        UserPersistent = "user_persistent",
        /// What the tool of a connection can do.
        ToolSchema = "tool_schema",
        /// Something that the tool of a connection holds: an issue, a contact, a folder.
        ToolEntity = "tool_entity",
        /// What was learned about using a connection.
        ToolPersistent = "tool_persistent",
        /// A part of the text of an attachment.
        ToolAttachmentContent = "tool_attachment_content",
    }
}

text_enum! {
    /// Where a document of a person's context comes from.
    ContextSource {
        /// An observation in a conversation with the person.
        UserProvided = "user_provided",
        /// What an agent learned while it worked.
        SystemLearned = "system_learned",
        /// What a tool reports about itself: its schema and its entities.
        ToolIndexed = "tool_indexed",
        /// Text that a tool took out of a file.
        ToolExtractedContent = "tool_extracted_content",
    }
}

/// Input of `search_user_context` and of `POST /api/profile/search`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "query": "Which project do new issues go to?", "context_types": ["tool_persistent", "tool_entity"] }]))]
#[serde(deny_unknown_fields)]
pub struct SearchUserContextRequest {
    /// What you need to know.
    ///
    /// 1 byte to 4 KiB.
    #[schemars(length(min = 1))]
    pub query: String,
    /// Documents at most.
    #[serde(default = "default_n")]
    #[schemars(range(min = 1, max = 50))]
    pub n: u32,
    /// Leaves out documents that are farther away.
    ///
    /// A cosine distance: 0 is the same meaning, 1 is unrelated, 2 is the opposite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 2.0))]
    pub max_distance: Option<f64>,
    /// Only documents of these types; of all types if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context_types: Vec<ContextType>,
    /// The connections that are in use; documents of others are left out.
    ///
    /// By default all connections of the person that are active; an empty list means none. What is known about the person belongs to no
    /// connection and is always searched. At most 200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub connections: Option<Vec<Uuid>>,
    /// The person you are talking to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

fn default_n() -> u32 {
    DOCUMENTS_N
}

impl SearchUserContextRequest {
    /// A search among all documents of the person.
    pub fn new(query: &str) -> Self {
        Self { query: query.into(), n: default_n(), max_distance: None, context_types: vec![], connections: None, user_id: None }
    }
}

/// What is known about a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ContextMetadata {
    pub context_type: ContextType,
    pub source: ContextSource,
    /// What kind of tool the connection uses.
    pub tool_id: Option<String>,
    pub connection_id: Option<Uuid>,
    /// Of a value of the profile: the keys that lead to it, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// Of an entity: its key in the tool.
    pub entity: Option<String>,
    /// The message that it comes from.
    pub message_id: Option<String>,
    /// Of the text of an attachment: the attachment's id in the tool, and the name of the file.
    pub attachment_id: Option<String>,
    pub filename: Option<String>,
}

/// A document of a person's context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ContextDocument {
    /// Derived from content and metadata, so the same document always has the same key.
    pub document_key: Uuid,
    pub content: String,
    pub metadata: ContextMetadata,
    /// 0 is the same meaning, 2 the opposite. For a document that was found by words: 1 minus its relevance.
    pub distance: f64,
    /// `lexical`: the document or the query has no vector, so its words were compared.
    pub matched_by: MatchedBy,
}

/// Answer of `search_user_context` and of `POST /api/profile/search`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SearchUserContextResponse {
    /// The nearest first; each document once.
    pub documents: Vec<ContextDocument>,
    /// `embedding`: the query has no vector. `vectors`: some documents have none yet. Words decide in their place.
    pub degraded: Vec<String>,
}

/// Something that the tool of a connection holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConnectionEntity {
    /// Its name or id in the tool, once in a request.
    #[schemars(length(min = 1, max = 256))]
    pub key: String,
    /// What it is, in words: 1 byte to 8 KiB.
    #[schemars(length(min = 1))]
    pub content: String,
    /// The message that it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub message_id: Option<String>,
}

/// Input of `PUT /api/connections/{id}/entities`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "entities": [{ "key": "PROJ", "content": "Project of the harbour team: cranes and moorings" }] }]))]
#[serde(deny_unknown_fields)]
pub struct PutEntitiesRequest {
    /// All entities of the connection. Earlier entities that are not listed are removed.
    ///
    /// At most 1000, with 1 MiB of text together.
    #[schemars(length(max = 1000))]
    pub entities: Vec<ConnectionEntity>,
}

/// Answer of `PUT /api/connections/{id}/entities`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PutEntitiesResponse {
    pub connection_id: Uuid,
    /// How many are stored.
    pub entities: u32,
    /// Keys of entities that were not stored, because their text may carry instructions for an agent.
    pub refused: Vec<String>,
}
