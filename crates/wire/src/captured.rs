//! What was captured: sources, the events that process them, and their numbers, as the console shows them.

use super::text_enum::text_enum;
use super::{AgentId, DocumentId, ErasureId, EventId, MemoryId, MemoryStatus, SourceForm, SourceId, UserId, UserRef};
use chrono::{DateTime, FixedOffset, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

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
    /// The session that they were captured from.
    pub session_id: Option<Uuid>,
    pub form: Option<SourceForm>,
    /// On whose behalf: an id, a reference or a name.
    pub user_id: Option<UserRef>,
    pub after: Option<String>,
    pub before: Option<String>,
    /// True: in the reverse of the usual order. The console sets it, no request has it.
    #[serde(skip)]
    pub reversed: bool,
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
    pub id: MemoryId,
    pub content: String,
    pub status: MemoryStatus,
    pub deleted: bool,
}

/// A turn of a source, cut where memories quote it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceTurn {
    pub speaker: Option<String>,
    /// On the clock of the speaker; UTC where no zone is known.
    pub at: Option<DateTime<FixedOffset>>,
    pub pieces: Vec<SourcePiece>,
}

/// What was read from a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceReading {
    /// Turns whose time is known.
    pub timed_turns: i64,
    /// Those who speak, most turns first. What machines say is not counted.
    pub speakers: Vec<SourceSpeaker>,
    /// Turns of nobody who is named.
    pub unnamed_turns: i64,
    /// What was not found, in sentences.
    pub warnings: Vec<String>,
}

/// Somebody who speaks in a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceSpeaker {
    pub name: String,
    pub turns: i64,
}

/// A source with a page of its turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceDetail {
    pub source: SourceRow,
    pub reading: SourceReading,
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
    pub memory_id: Option<MemoryId>,
    pub document_id: Option<DocumentId>,
    pub erasure_id: Option<ErasureId>,
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
    /// True: in the reverse of the usual order. The console sets it, no request has it.
    #[serde(skip)]
    pub reversed: bool,
}

/// How many events of a bus have a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventCount {
    pub bus: EventBus,
    pub state: EventState,
    pub events: i64,
}
