//! Candidates on their way into the inbox.

use crate::memories::model::Memory;
use crate::vocabulary::Resolved;
use chrono::{DateTime, Utc};
use uuid::Uuid;
use wire::{Category, EventId, LifecyclePolicy, MemoryId, MemoryKind, MemoryScope, Retention, SourceId};

/// A place in a source, found by an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    pub source_id: SourceId,
    pub event_id: EventId,
    /// Bytes of the source's text.
    pub starts: usize,
    pub ends: usize,
    /// Exactly that text.
    pub quote: String,
    pub speaker: Option<String>,
}

/// What a memory applies to. What holds for one connection of a tool or for one project says nothing about another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub connection_id: Option<Uuid>,
    /// The project or the repository. What holds for the agent, a session or everywhere has none: a fact of a project beside it is narrower, and
    /// no contradiction.
    pub project: Option<Uuid>,
}

impl Place {
    pub fn of_candidate(one: &NewCandidate) -> Self {
        Self { connection_id: one.connection_id, project: project_of(one.scope, one.project_id, one.repo_id) }
    }

    pub fn of_memory(one: &Memory) -> Self {
        Self { connection_id: one.connection_id, project: project_of(one.scope, one.project_id, one.repo_id) }
    }
}

fn project_of(scope: MemoryScope, project: Option<Uuid>, repo: Option<Uuid>) -> Option<Uuid> {
    match scope {
        MemoryScope::Project => project,
        MemoryScope::Repo => repo,
        MemoryScope::Global | MemoryScope::Agent | MemoryScope::Session => None,
    }
}

/// A candidate before it is stored.
#[derive(Clone, Debug)]
pub struct NewCandidate {
    pub statement: String,
    pub kind: MemoryKind,
    pub scope: MemoryScope,
    pub project_id: Option<Uuid>,
    pub repo_id: Option<Uuid>,
    pub session_id: Option<Uuid>,
    /// Of what was learned about using a tool.
    pub connection_id: Option<Uuid>,
    pub topic: String,
    pub subject: Option<String>,
    pub category: Option<Category>,
    pub confidence: f32,
    pub importance: f32,
    pub observed_at: Option<DateTime<Utc>>,
    pub rationale: Option<String>,
    pub alternatives: Vec<String>,
    /// The speaker corrects something that was said before.
    pub corrects: bool,
    /// A person says it of themselves, in these words.
    pub own_statement: bool,
    /// Of an attachment: the name of its file, and its id in the system that it comes from.
    pub filename: Option<String>,
    pub attachment_id: Option<String>,
    pub spot: Spot,
}

impl NewCandidate {
    /// A statement about a person, with plain values elsewhere.
    pub fn statement(statement: String, spot: Spot) -> Self {
        Self {
            statement,
            kind: MemoryKind::Profile,
            scope: MemoryScope::Agent,
            project_id: None,
            repo_id: None,
            session_id: None,
            connection_id: None,
            topic: String::new(),
            subject: None,
            category: None,
            confidence: 1.0,
            importance: 0.5,
            observed_at: None,
            rationale: None,
            alternatives: Vec::new(),
            corrects: false,
            own_statement: false,
            filename: None,
            attachment_id: None,
            spot,
        }
    }

    /// How long it is kept once it is durable.
    pub fn retention(&self) -> Retention {
        retention(self.kind)
    }
}

/// How long a confirmed candidate of a kind is kept.
pub(super) fn retention(kind: MemoryKind) -> Retention {
    if kind == MemoryKind::Episode { Retention::Task } else { Retention::Permanent }
}

/// A candidate with what a model and the vocabulary say about it, ready for a transaction.
pub struct Ready {
    pub candidate: NewCandidate,
    pub resolved: Resolved,
    /// How its owner's memories age.
    pub lifecycle: LifecyclePolicy,
    /// Absent if the model did not answer in time: it comes when the candidate becomes durable.
    pub vector: Option<Vec<f32>>,
    /// What an erasure keeps of the statement; absent if nothing was erased in the organisation.
    pub fingerprint: Option<Vec<u8>>,
}

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// It waits in the inbox.
    Waiting(MemoryId),
    /// A rule made it durable.
    Promoted(MemoryId),
    /// This memory says it already; it has one more place as evidence.
    Merged(MemoryId),
    /// It was made from the same place before.
    Known,
    /// Somebody forgot exactly this.
    Forgotten,
}
