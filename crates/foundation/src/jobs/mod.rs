//! The one queue: the events of the bus and their states. The workers claim them in batches, under a lease.

mod attempt;
pub mod listener;
pub mod store;

pub use attempt::{ATTEMPTS_MAX, LEASE, attempt};

use crate::engine::Engine;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;
use wire::{AgentId, CaptureMode, EventId, EventKind, ExpectationSetId, MemoryScope, RunCause, SourceId, TenantId, UserId};

/// The state of an event that this server made. Imported events have the state `imported`, which is not listed here: no worker claims them,
/// and no number of the queue counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "lowercase")]
pub enum State {
    Pending,
    Running,
    Done,
    Failed,
    Dead,
}

/// What an event asks an extraction to do.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct ExtractPayload {
    pub mode: Option<CaptureMode>,
    pub scope: Option<MemoryScope>,
    pub project_id: Option<Uuid>,
    pub repo_id: Option<Uuid>,
    pub session_id: Option<Uuid>,
    /// A turn that a person released from quarantine, by its bytes: only this one is read, and it is not inspected.
    pub only: Option<(usize, usize)>,
}

/// The set of expectations that an event asks to run.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct ExpectationsPayload {
    pub set_id: ExpectationSetId,
    pub cause: RunCause,
}

/// The work that an event requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Task {
    /// No work: the record of a finished write.
    Remember,
    /// A vector for a memory that was stored without one.
    Embed,
    /// The statuses of memories that contradict one that was forgotten or restored.
    SettleLinks,
    /// New topics for the memories that a decision on the vocabulary concerns.
    Recanonicalise,
    /// Vectors for terms.
    EmbedTerms,
    /// Vectors for the chunks of a document.
    EmbedDocument,
    /// Vectors for imported memories.
    EmbedImported,
    /// Documents of a profile that lack, and their vectors.
    IndexProfile,
    /// Candidates from a part of a captured source.
    Extract,
    /// A candidate from what an agent proposes.
    Ingest,
    /// No work of its own: an observation, which a synthesis reads together with others.
    Observe,
    /// Candidates from the observations of an agent and a user.
    Synthesise,
    /// Duplicates and contradictions of some candidates.
    Consolidate,
    /// Duplicates and contradictions among active memories.
    Survey,
    /// What faded or expired is archived.
    Sweep,
    /// A set of expectations is compared with what recalls find.
    RunExpectations,
    /// A person is erased.
    Erase,
    /// A notice is sent to a webhook.
    Webhook,
}

impl Task {
    /// What captures need: work of seconds, done in steps.
    pub const HEAVY: [Self; 4] = [Self::Extract, Self::Ingest, Self::Synthesise, Self::Consolidate];
    /// What keeps the memories of an organisation in order, and what measures them. It may take long, and nobody waits for it.
    pub const UPKEEP: [Self; 3] = [Self::Survey, Self::Sweep, Self::RunExpectations];
    /// What erases people. It waits for nothing else.
    pub const ERASURE: [Self; 1] = [Self::Erase];
    /// What waits for servers of others. [`crate::webhooks`] claims it.
    pub const OUTBOUND: [Self; 1] = [Self::Webhook];

    /// The text form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Remember => "remember",
            Self::Embed => "embed",
            Self::SettleLinks => "settle_links",
            Self::Recanonicalise => "recanonicalise",
            Self::EmbedTerms => "embed_terms",
            Self::EmbedDocument => "embed_document",
            Self::EmbedImported => "embed_imported",
            Self::IndexProfile => "index_profile",
            Self::Extract => "extract",
            Self::Ingest => "ingest",
            Self::Observe => "observe",
            Self::Synthesise => "synthesise",
            Self::Consolidate => "consolidate",
            Self::Survey => "survey",
            Self::Sweep => "sweep",
            Self::RunExpectations => "run_expectations",
            Self::Erase => "erase",
            Self::Webhook => "webhook",
        }
    }

    /// What causes an event with this task, unless it says otherwise.
    fn kind(self) -> EventKind {
        match self {
            Self::Remember | Self::Ingest => EventKind::ManualWrite,
            Self::Extract => EventKind::ConversationCapture,
            Self::Observe => EventKind::Observation,
            _ => EventKind::Maintenance,
        }
    }
}

/// What an event was requested for.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// Of background work, which runs in the name of every user; otherwise the user of the transaction counts.
    pub user_id: Option<UserId>,
    pub source_id: Option<SourceId>,
    pub session_id: Option<Uuid>,
    pub connection_id: Option<Uuid>,
    pub requested_scope: Option<MemoryScope>,
    /// Of an observation: its category, `scaffold_update` or `learned_fact`.
    pub event_type: Option<&'static str>,
    /// `{source, session_id, connection_id, …}`: where it came from.
    pub metadata: Option<serde_json::Value>,
}

pub struct NewEvent {
    pub id: EventId,
    pub kind: EventKind,
    pub task: Task,
    pub payload: serde_json::Value,
    pub state: State,
    pub origin: Origin,
    pub now: DateTime<Utc>,
}

impl NewEvent {
    /// Work to be done.
    pub fn pending(engine: &Engine, task: Task, payload: serde_json::Value) -> Self {
        let (id, now) = (EventId(engine.clock().id()), engine.clock().now());
        Self { id, kind: task.kind(), task, payload, state: State::Pending, origin: Origin::default(), now }
    }

    /// The record of finished work.
    pub fn done(engine: &Engine, task: Task, payload: serde_json::Value) -> Self {
        Self { state: State::Done, ..Self::pending(engine, task, payload) }
    }
}

/// An event that a worker holds, as far as its work needs it.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub tenant_id: TenantId,
    pub agent_id: AgentId,
    pub id: EventId,
    /// The fencing token of the lease.
    pub attempt: i32,
}

/// A job that comes from another database, in the payload of an outbox row.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct PostedJob {
    pub task: Task,
    pub payload: serde_json::Value,
    pub run_after: DateTime<Utc>,
}

/// How the work on an event ended.
pub enum Work {
    /// The event is to be marked as done, with this outcome.
    Done(serde_json::Value),
    /// The work marked the event itself, in the transaction of its effects.
    Ended,
    /// A step is done and stored. The rest is due now, after a step of each other organisation.
    Continues,
    /// The server is stopping; a part is done.
    Stopped,
    /// It cannot be done at the moment, which says nothing about the job: it is tried again after a pause, and this was no attempt.
    Waits { error: String, pause: TimeDelta },
    /// It failed. It is tried again after a pause of at least `again`; without one, trying again would not help.
    Failed { error: String, again: Option<TimeDelta> },
}

impl From<&'static str> for Work {
    fn from(result: &'static str) -> Self {
        Self::Done(serde_json::json!({ "result": result }))
    }
}
