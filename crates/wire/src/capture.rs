//! Capture: what is sent in.

use super::text_enum::text_enum;
use super::{EventId, MemoryScope, ProjectRef, Role, SourceId, UserRef};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

/// Largest source, in bytes.
pub const SOURCE_MAX: usize = 16 * 1024 * 1024;
/// Largest attachment that is not text, in bytes.
pub const ATTACHMENT_MAX: usize = 4 * 1024 * 1024;
/// Longest observation, in bytes.
pub const OBSERVATION_MAX: usize = 4 * 1024;
/// Most entries of one update of a context.
pub const UPDATES_MAX: usize = 100;
/// Longest name of a file, an attachment or a session, in characters.
pub const FILENAME_MAX: usize = 256;

text_enum! {
    /// What a source is.
    SourceForm {
        Transcript = "transcript",
        Note = "note",
        Summary = "summary",
        Document = "document",
        ToolOutput = "tool_output",
        Attachment = "attachment",
    }
}

text_enum! {
    /// How a captured conversation is read.
    CaptureMode {
        /// Turns with speakers.
        Transcript = "transcript",
        /// Somebody's notes.
        Note = "note",
        /// A summary that an agent wrote.
        Summary = "summary",
    }
}

impl CaptureMode {
    /// What a text is that is read in this way.
    pub fn form(self) -> SourceForm {
        match self {
            Self::Transcript => SourceForm::Transcript,
            Self::Note => SourceForm::Note,
            Self::Summary => SourceForm::Summary,
        }
    }
}

text_enum! {
    /// What an agent observed of a person.
    ObservationCategory { Fact = "fact", Preference = "preference", ProjectDetails = "project_details", Correction = "correction" }
}

/// What belongs to a source besides its text: the parameters of `POST /api/sources`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceDetails {
    /// `transcript` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<SourceForm>,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub filename: Option<String>,
    /// The attachment's id in the system that it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub attachment_id: Option<String>,
    /// The media type of an attachment that is not text, such as `application/pdf`; guessed from its bytes by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 255))]
    pub media_type: Option<String>,
    /// Of the times in it that have no zone, such as `Europe/Zurich`; UTC by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Uuid>,
    /// The connection of the tool that it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_id: Option<Uuid>,
    /// The person whose source it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// Answer of `POST /api/sources`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SourceResponse {
    /// Pass it as `source_ref` to capture it. The same text of the same agent and user has the same id, unless `time_zone` changes its times.
    pub source_id: SourceId,
    /// True: this text was stored before.
    pub known: bool,
    /// Bytes of the text as stored.
    pub bytes: i64,
    /// Turns that were recognised.
    pub turns: i64,
    /// Turns that have a time. A time without a zone is in `time_zone`; one outside the years 1970 to 2100 is none.
    #[serde(default)]
    pub timed_turns: i64,
    /// How many different speakers the turns have.
    #[serde(default)]
    pub speakers: i64,
    /// Messages of a list that could not be read and were left out.
    #[serde(default)]
    pub skipped_messages: i64,
    /// Sentences about what could not be read, such as that no speakers were found.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Parts that a long source was split into.
    pub parts: i64,
    /// Secrets that were replaced by a marker before the text was stored: `API key`, `password`, …
    pub redacted: Vec<String>,
    /// The media type of an attachment that is not text. It is kept; nothing is read out of it, and it cannot be captured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
}

/// Input of `capture_conversation`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "source_ref": "0193a1f2-7c1e-8a55-9d3e-5b0c4f6a7d21", "capture_mode": "transcript" }]))]
#[serde(deny_unknown_fields)]
pub struct CaptureConversationRequest {
    /// The id of a stored source.
    pub source_ref: SourceId,
    /// Of the memories; by default that of `repo_id` or `project_id`, else `agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<MemoryScope>,
    /// `transcript` (turns with speakers), `note` or `summary`; as the source was sent by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture_mode: Option<CaptureMode>,
    /// Their project, by id or slug.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectRef>,
    /// The repository that they hold for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_id: Option<Uuid>,
    /// The person you are talking to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// Input of `capture_session`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "source_ref": "0193a1f2-7c1e-8a55-9d3e-5b0c4f6a7d21", "scope": "agent" }]))]
#[serde(deny_unknown_fields)]
pub struct CaptureSessionRequest {
    /// The id of a stored source: the session's transcript, summary or output.
    pub source_ref: SourceId,
    /// Of the memories; by default that of `repo_id` or `project_id`, else `agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<MemoryScope>,
    /// Only with the scope `session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Uuid>,
    /// Their project, by id or slug.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectRef>,
    /// The repository that they hold for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_id: Option<Uuid>,
    /// The person you are talking to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// Answer of the tools that capture: the work is queued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CaptureResponse {
    /// One event for each part of the source, or for each entry.
    pub event_ids: Vec<EventId>,
}

/// Input of `capture_text`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "content": "Vera: The invoices are due on the fifth.", "title": "Stand-up of Monday" }]))]
#[serde(deny_unknown_fields)]
pub struct CaptureTextRequest {
    /// The whole text; of a conversation, lines such as `Vera: …`.
    ///
    /// Or any form that `POST /api/sources` reads.
    #[schemars(length(min = 1))]
    pub content: String,
    /// `transcript` (turns with speakers) by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture_mode: Option<CaptureMode>,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub title: Option<String>,
    /// Of the times in it that have no zone, such as `Europe/Zurich`; UTC by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Of the memories; by default that of `repo_id` or `project_id`, else `agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<MemoryScope>,
    /// Their project, by id or slug.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectRef>,
    /// The repository that they hold for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_id: Option<Uuid>,
    /// The person you are talking to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// Answer of `capture_text`: the source is stored, and the work is queued.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CaptureTextResponse {
    pub source: SourceResponse,
    /// One event for each part of the source.
    pub event_ids: Vec<EventId>,
}

/// Input of `record_observation`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "content": "Vera prefers short e-mails.", "category": "preference" }]))]
#[serde(deny_unknown_fields)]
pub struct ObservationRequest {
    /// One sentence that can be understood alone.
    ///
    /// 1 byte to 4 KiB.
    #[schemars(length(min = 1))]
    pub content: String,
    /// What sort of observation it is.
    pub category: ObservationCategory,
    /// Who said it.
    ///
    /// What a person says of themselves (`user`) takes effect at once, marked as unconfirmed, unless the organisation reviews it first. What a
    /// tool or you said waits for a person, and so does an observation without a speaker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// The session in which you observed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Uuid>,
    /// The connection of the tool that you used.
    ///
    /// It must be stored (`PUT /api/connections/{id}`), and belongs to one agent: leave it out with `commons`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_id: Option<Uuid>,
    /// The person you observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
    /// True: share it with every agent, if your organisation shares profiles.
    ///
    /// Needs a key with the scope `commons:write`.
    #[serde(default)]
    pub commons: bool,
}

/// Input of `update_user_context`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "scaffold_updates": { "Role": "Engineering manager" }, "persistent_info_additions": ["Vera works in Zurich."] }]))]
#[serde(deny_unknown_fields)]
pub struct UserContextRequest {
    /// Keys of the person's profile with their new values.
    #[serde(default)]
    pub scaffold_updates: Map<String, Value>,
    /// Facts to keep, one sentence each.
    #[serde(default)]
    pub persistent_info_additions: Vec<String>,
    /// The session in which you learned it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Uuid>,
    /// The person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
    /// True: share it with every agent, if your organisation shares profiles.
    ///
    /// Needs a key with the scope `commons:write`.
    #[serde(default)]
    pub commons: bool,
}

/// Input of `update_connection_context`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "connection_id": "0193a1f2-7c1e-7a55-9d3e-5b0c4f6a7d21", "learned": { "default_project": "PROJ" } }]))]
#[serde(deny_unknown_fields)]
pub struct ConnectionContextRequest {
    /// The connection of a tool.
    ///
    /// It must be stored: `PUT /api/connections/{id}`.
    pub connection_id: Uuid,
    /// What you learned about using it: keys with their values.
    pub learned: Map<String, Value>,
    /// The session in which you learned it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Uuid>,
    /// The person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}
