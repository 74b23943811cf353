//! The one queue: the events of the bus and their states. The workers claim them in batches, under a lease.

pub mod store;

use crate::api::EventId;
use crate::engine::Engine;
use chrono::{DateTime, Utc};

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
}

impl Task {
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
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Remember => "manual_write",
            Self::Embed | Self::SettleLinks | Self::Recanonicalise | Self::EmbedTerms | Self::EmbedDocument | Self::EmbedImported => {
                "maintenance"
            }
        }
    }
}

/// A new event.
pub struct NewEvent {
    pub id: EventId,
    pub task: Task,
    pub payload: serde_json::Value,
    pub state: State,
    pub now: DateTime<Utc>,
}

impl NewEvent {
    /// Work to be done.
    pub fn pending(engine: &Engine, task: Task, payload: serde_json::Value) -> Self {
        Self { id: EventId(engine.clock().id()), task, payload, state: State::Pending, now: engine.clock().now() }
    }

    /// The record of finished work.
    pub fn done(engine: &Engine, task: Task, payload: serde_json::Value) -> Self {
        Self { state: State::Done, ..Self::pending(engine, task, payload) }
    }
}

/// A job that comes from another database, in the payload of an outbox row.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct PostedJob {
    pub task: Task,
    pub payload: serde_json::Value,
    pub run_after: DateTime<Utc>,
}
