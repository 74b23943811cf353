//! Capture: what is sent in, the events that process it, and how a tenant lets it become memory.

use super::text_enum::text_enum;
use super::{AgentId, EventId, MemoryKind, MemoryScope, SourceId, UserId, UserRef};
use chrono::{DateTime, Utc};
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

text_enum! {
    /// What an agent observed of a person.
    ObservationCategory { Fact = "fact", Preference = "preference", ProjectDetails = "project_details", Correction = "correction" }
}

text_enum! {
    /// What caused an event.
    EventKind {
        ManualWrite = "manual_write",
        SessionClose = "session_close",
        ConversationCapture = "conversation_capture",
        Observation = "observation",
        Maintenance = "maintenance",
    }
}

text_enum! {
    /// The state of an event.
    EventState {
        Pending = "pending",
        Running = "running",
        Done = "done",
        /// An attempt failed; it is tried again.
        Failed = "failed",
        /// Every attempt failed. A person can retry it.
        Dead = "dead",
        /// It came with an import and is history.
        Imported = "imported",
    }
}

text_enum! {
    /// The queue of an event: each database of memories and of knowledge has one.
    #[derive(Default)]
    EventBus {
        #[default]
        Memories = "memories",
        Knowledge = "knowledge",
    }
}

/// What belongs to a source besides its text: the parameters of `POST /api/sources`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "engine", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SourceDetails {
    /// `transcript` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<SourceForm>,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "engine", schemars(length(min = 1, max = 256)))]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "engine", schemars(length(min = 1, max = 256)))]
    pub filename: Option<String>,
    /// The attachment's id in the system that it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "engine", schemars(length(min = 1, max = 256)))]
    pub attachment_id: Option<String>,
    /// The media type of an attachment that is not text, such as `application/pdf`; guessed from its bytes by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "engine", schemars(length(max = 255)))]
    pub media_type: Option<String>,
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "engine", derive(schemars::JsonSchema))]
pub struct SourceResponse {
    /// Pass it as `source_ref` to capture it. The same text of the same agent and user has the same id.
    pub source_id: SourceId,
    /// True: this text was stored before.
    pub known: bool,
    /// Bytes of the text as stored.
    pub bytes: i64,
    /// Turns that were recognised.
    pub turns: i64,
    /// Parts that a long source was split into.
    pub parts: i64,
    /// Secrets that were replaced by a marker before the text was stored: `API key`, `password`, …
    pub redacted: Vec<String>,
    /// The media type of an attachment that is not text. It is kept; nothing is read out of it, and it cannot be captured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
}

/// Input of `capture_conversation`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(
    feature = "engine",
    derive(schemars::JsonSchema),
    schemars(extend("examples" = [{ "source_ref": "0193a1f2-7c1e-8a55-9d3e-5b0c4f6a7d21", "capture_mode": "transcript" }]))
)]
#[serde(deny_unknown_fields)]
pub struct CaptureConversationRequest {
    /// The id of a stored source.
    pub source_ref: SourceId,
    /// Of the memories; `agent` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<MemoryScope>,
    /// `transcript` (turns with speakers), `note` or `summary`; as the source was sent by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture_mode: Option<CaptureMode>,
    /// Only with the scope `project` or `repo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<Uuid>,
    /// Only with the scope `repo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_id: Option<Uuid>,
    /// The person you are talking to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// Input of `capture_session`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(
    feature = "engine",
    derive(schemars::JsonSchema),
    schemars(extend("examples" = [{ "source_ref": "0193a1f2-7c1e-8a55-9d3e-5b0c4f6a7d21", "scope": "agent" }]))
)]
#[serde(deny_unknown_fields)]
pub struct CaptureSessionRequest {
    /// The id of a stored source: the session's transcript, summary or output.
    pub source_ref: SourceId,
    /// Of the memories; `agent` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<MemoryScope>,
    /// Only with the scope `session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Uuid>,
    /// Only with the scope `project` or `repo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<Uuid>,
    /// Only with the scope `repo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_id: Option<Uuid>,
    /// The person you are talking to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// Answer of the tools that capture: the work is queued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "engine", derive(schemars::JsonSchema))]
pub struct CaptureResponse {
    /// One event for each part of the source, or for each entry.
    pub event_ids: Vec<EventId>,
}

/// Input of `record_observation`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(
    feature = "engine",
    derive(schemars::JsonSchema),
    schemars(extend("examples" = [{ "content": "Vera prefers short e-mails.", "category": "preference" }]))
)]
#[serde(deny_unknown_fields)]
pub struct ObservationRequest {
    /// One sentence that can be understood alone.
    ///
    /// 1 byte to 4 KiB.
    #[cfg_attr(feature = "engine", schemars(length(min = 1)))]
    pub content: String,
    /// What sort of observation it is.
    pub category: ObservationCategory,
    /// The session in which you observed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Uuid>,
    /// The connection of the tool that you used.
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
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(
    feature = "engine",
    derive(schemars::JsonSchema),
    schemars(extend("examples" = [{ "scaffold_updates": { "Role": "Engineering manager" }, "persistent_info_additions": ["Vera works in Zurich."] }]))
)]
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
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(
    feature = "engine",
    derive(schemars::JsonSchema),
    schemars(extend("examples" = [{ "connection_id": "0193a1f2-7c1e-7a55-9d3e-5b0c4f6a7d21", "learned": { "default_project": "PROJ" } }]))
)]
#[serde(deny_unknown_fields)]
pub struct ConnectionContextRequest {
    /// The connection of a tool.
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

/// A source as lists show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceRow {
    pub id: SourceId,
    pub agent_id: AgentId,
    pub agent_slug: String,
    pub user_id: Option<UserId>,
    pub form: SourceForm,
    /// The title, the file name or the beginning of the text.
    pub title: String,
    /// Of an attachment that is not text: nothing is read out of it.
    pub media_type: Option<String>,
    /// Of all parts.
    pub bytes: i64,
    pub turns: i64,
    pub parts: i32,
    pub created_at: DateTime<Utc>,
    /// Absent: it was stored and never captured.
    pub state: Option<EventState>,
    /// Share of the text that was read, 0 to 1.
    pub progress: f64,
    /// Memories that came from it, by what became of them.
    pub waiting: i64,
    pub active: i64,
    pub rejected: i64,
    /// Turns in quarantine that wait for a decision.
    pub quarantined: i64,
}

/// What a list of sources shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFilter {
    pub agent_id: Option<AgentId>,
    pub form: Option<SourceForm>,
    pub after: Option<String>,
    pub before: Option<String>,
}

/// A piece of a source's text, and the memory that was made from it, if there is one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourcePiece {
    pub text: String,
    /// The memory that quotes it, with its status.
    pub memory: Option<QuotedMemory>,
    /// Why it is in quarantine; empty if it is not.
    pub quarantined: Vec<String>,
}

/// A memory as a quotation refers to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotedMemory {
    pub id: super::MemoryId,
    pub content: String,
    pub status: super::MemoryStatus,
    pub deleted: bool,
}

/// A turn of a source, cut where memories quote it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceTurn {
    pub speaker: Option<String>,
    pub at: Option<DateTime<Utc>>,
    pub pieces: Vec<SourcePiece>,
}

/// A source with a page of its turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceDetail {
    pub source: SourceRow,
    pub turns: Vec<SourceTurn>,
    /// The turn that comes after this page; absent at the end.
    pub next_turn: Option<i64>,
    /// The first turn of the page before this one.
    pub previous_turn: Option<i64>,
    /// The events that worked on it, newest first.
    pub events: Vec<EventRow>,
}

/// An event as lists show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    pub id: EventId,
    pub bus: EventBus,
    pub agent_id: AgentId,
    pub agent_slug: String,
    pub kind: EventKind,
    /// What a worker does: `extract`, `embed`, …
    pub task: String,
    pub state: EventState,
    pub attempt: i32,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// What became of it, in words.
    pub outcome: Option<String>,
    /// What it concerns, in words: a topic, a title or phrases.
    pub about: Option<String>,
    /// The source, memory, document or request for an erasure that it concerns.
    pub source_id: Option<SourceId>,
    pub memory_id: Option<super::MemoryId>,
    pub document_id: Option<super::DocumentId>,
    pub erasure_id: Option<super::ErasureId>,
    pub created_at: DateTime<Utc>,
    /// When the next attempt is due, if one is.
    pub run_after: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
}

/// What a list of events shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventFilter {
    /// Memories by default.
    pub bus: Option<EventBus>,
    pub agent_id: Option<AgentId>,
    pub kind: Option<EventKind>,
    /// What a worker does: `extract`, `embed`, …
    pub task: Option<String>,
    pub state: Option<EventState>,
    pub after: Option<String>,
    pub before: Option<String>,
}

/// How many events of a bus have a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventCount {
    pub bus: EventBus,
    pub state: EventState,
    pub events: i64,
}

/// What the front page says about capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CaptureNumbers {
    /// Candidates in the inbox, counted up to [`super::TOTAL_MAX`] and one more.
    pub inbox: i64,
    /// Turns in quarantine.
    pub quarantined: i64,
    /// Events that wait or are being worked on.
    pub waiting: i64,
    pub dead: i64,
    /// When the oldest candidate came in.
    pub oldest: Option<DateTime<Utc>>,
}

text_enum! {
    /// Whether a memory becomes durable by itself.
    Promotion {
        Automatic = "automatic",
        /// It waits in the inbox for a person.
        Review = "review",
    }
}

text_enum! {
    /// A sensitive matter. Profiles leave it out unless the organisation allows it.
    Matter {
        Health = "health",
        Faith = "faith",
        Politics = "politics",
        Money = "money",
    }
}

/// Most days for which a policy may keep a sensitive matter.
pub const MATTER_DAYS_MAX: i32 = 3650;

/// For how many days after its last observation a profile keeps an entry about each sensitive matter. 0 keeps the matter out, which is the
/// default; without a number there is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "engine", derive(sqlx::FromRow))]
pub struct SensitiveMatters {
    #[cfg_attr(feature = "engine", sqlx(rename = "profile_health"))]
    pub health: Option<i32>,
    #[cfg_attr(feature = "engine", sqlx(rename = "profile_faith"))]
    pub faith: Option<i32>,
    #[cfg_attr(feature = "engine", sqlx(rename = "profile_politics"))]
    pub politics: Option<i32>,
    #[cfg_attr(feature = "engine", sqlx(rename = "profile_money"))]
    pub money: Option<i32>,
}

impl Default for SensitiveMatters {
    fn default() -> Self {
        Self { health: Some(0), faith: Some(0), politics: Some(0), money: Some(0) }
    }
}

impl SensitiveMatters {
    /// The days of a matter; `None` without a limit.
    pub fn days(&self, matter: Matter) -> Option<i32> {
        match matter {
            Matter::Health => self.health,
            Matter::Faith => self.faith,
            Matter::Politics => self.politics,
            Matter::Money => self.money,
        }
    }

    /// For each matter with a limit the time after which an entry must have been observed to be kept, as `{"health": "2026-11-01T00:00:00Z"}`.
    #[cfg(feature = "engine")]
    pub fn ended(&self, now: DateTime<Utc>) -> serde_json::Value {
        let ended = |matter: &Matter| {
            let end = now.checked_sub_signed(chrono::TimeDelta::days(self.days(*matter)?.into()))?;
            Some((matter.to_string(), serde_json::Value::from(end.to_rfc3339())))
        };
        Matter::ALL.iter().filter_map(ended).collect::<serde_json::Map<_, _>>().into()
    }

    /// Whether profiles may not hold a matter.
    pub fn keep_out(&self, matter: Matter) -> bool {
        self.days(matter) == Some(0)
    }
}

/// What a tenant lets happen without a person.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "engine", derive(sqlx::FromRow))]
pub struct CapturePolicy {
    pub episodes: Promotion,
    /// Facts about people.
    pub profile: Promotion,
    /// A decision also needs a rationale to become durable by itself.
    pub decisions: Promotion,
    /// Project facts, artifacts and hints.
    pub others: Promotion,
    /// What agents write to the commons.
    pub commons: Promotion,
    /// Anything less sure than this waits, 0 to 1.
    pub confidence_min: f32,
    /// Whether text may be sent to a model outside.
    pub outside_models: bool,
    /// What profiles may hold besides harmless facts.
    #[cfg_attr(feature = "engine", sqlx(flatten))]
    pub sensitive: SensitiveMatters,
    /// Whether every agent reads what the commons' profile says about a person.
    pub shared_profiles: bool,
}

impl Default for CapturePolicy {
    fn default() -> Self {
        Self {
            episodes: Promotion::Automatic,
            profile: Promotion::Review,
            decisions: Promotion::Review,
            others: Promotion::Review,
            commons: Promotion::Automatic,
            confidence_min: 0.5,
            outside_models: false,
            sensitive: SensitiveMatters::default(),
            shared_profiles: false,
        }
    }
}

impl CapturePolicy {
    /// What it says about a kind of memory.
    pub fn of(&self, kind: MemoryKind) -> Promotion {
        match kind {
            MemoryKind::Episode => self.episodes,
            MemoryKind::Profile => self.profile,
            MemoryKind::Decision => self.decisions,
            MemoryKind::Project | MemoryKind::Artifact | MemoryKind::TaskHint => self.others,
        }
    }
}
