//! The entries of the memory block: categorised memories by short id, as a prompt shows them.

use super::text_enum::text_enum;
use super::{Category, MemoryRef, Source, UserRef};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

text_enum! {
    /// How eagerly an agent writes.
    Discipline {
        /// Stores what lasts, and does not ask.
        Aggressive = "aggressive",
        /// Asks before it stores something new; corrects without asking.
        Confirming = "confirming",
    }
}

/// Shortest content of an entry, in characters.
pub const ENTRY_MIN: usize = 5;
/// Longest content of an entry, in characters.
pub const ENTRY_MAX: usize = 500;
/// Longest text of a chat command, in characters.
pub const COMMAND_MAX: usize = 4096;

/// Input of `add_to_memory` and of `POST /api/memory/`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "content": "Vera works from Bern.", "category": "context", "subject": "Vera" }]))]
#[serde(deny_unknown_fields)]
pub struct AddMemoryRequest {
    /// The fact to remember, in 5 to 500 characters.
    #[schemars(length(min = 5, max = 500))]
    pub content: String,
    /// The heading it belongs under.
    pub category: Category,
    /// Whom or what it is about, such as a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub subject: Option<String>,
    /// Store it although entries about the same subject say something else, because they stay true.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
    /// Where it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// The person it belongs to, if others must not learn it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// Body of `PUT /api/memory/{id}`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "content": "Vera works from Basel." }]))]
#[serde(deny_unknown_fields)]
pub struct PutMemoryRequest {
    /// The new text, in 5 to 500 characters.
    #[schemars(length(min = 5, max = 500))]
    pub content: String,
    /// The conversation that the change comes from; without it the words are the agent's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

/// Input of `update_memory`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "memory_id": "k3v9x2aq", "content": "Vera works from Basel." }]))]
#[serde(deny_unknown_fields)]
pub struct UpdateMemoryRequest {
    /// The eight characters that your memory shows behind `id:`.
    pub memory_id: MemoryRef,
    /// The new text, in 5 to 500 characters.
    #[schemars(length(min = 5, max = 500))]
    pub content: String,
    /// Where that was said.
    ///
    /// Without it the words are the agent's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// The person you are talking to.
    ///
    /// The memory must belong to that person or to nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// One entry of `/api/memory/`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MemoryResponse {
    /// Eight letters and digits.
    pub id: String,
    pub category: Category,
    pub subject: Option<String>,
    pub content: String,
    pub version: i32,
    pub created_at: DateTime<Utc>,
    /// When the content was last written or said again.
    pub updated_at: Option<DateTime<Utc>>,
}

/// Answer of `GET /api/memory/`: by category, then creation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MemoryListResponse {
    pub memories: Vec<MemoryResponse>,
    pub total: i64,
}

/// One version in `GET /api/memory/{id}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MemoryVersionResponse {
    pub version_number: i32,
    pub content: String,
    pub created_at: DateTime<Utc>,
    /// Who wrote it.
    pub created_by: String,
    /// The conversation that the change came from.
    pub source: Source,
}

/// Answer of `GET /api/memory/{id}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MemoryWithVersions {
    #[serde(flatten)]
    pub memory: MemoryResponse,
    /// Oldest first.
    pub versions: Vec<MemoryVersionResponse>,
}

/// A memory that should be updated instead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "MemorySuggestion")]
pub struct SimilarEntry {
    /// Its short id, for `update_memory`.
    pub id: String,
    pub category: Category,
    pub subject: Option<String>,
    /// Its present text.
    pub content: String,
    /// Cosine of the two, topics included; 1 when they are equal.
    pub similarity: f64,
}

/// Answer of `add_to_memory`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AddMemoryResponse {
    /// False: nothing was stored. `suggestion` says the same; or `same_subject` lists what is known about the subject, and one of these
    /// entries may be out of date: update that one, or add yours with `force`.
    pub stored: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryResponse>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<SimilarEntry>,
    /// Other entries of the category about the same subject, nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same_subject: Vec<SimilarEntry>,
}

/// Answer of `update_memory`: old and new.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct UpdateMemoryResponse {
    pub id: String,
    pub old_content: String,
    pub new_content: String,
    pub version: i32,
}

/// Body of `POST /api/commands/memory`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "text": "/memory list" }]))]
#[serde(deny_unknown_fields)]
pub struct CommandRequest {
    /// What was typed: `/memory`, `/memory list`, `/memory list 2` for the second page, `/memory delete <id>`. Any other command is
    /// answered with help, and other text with a sentence that says what this is for.
    #[schemars(length(max = 4096))]
    pub text: String,
    /// Who typed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// Answer of `POST /api/commands/memory`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CommandResponse {
    pub text: String,
}
