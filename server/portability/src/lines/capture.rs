//! Lines of capture: the places in sources that memories come from, turns in quarantine, and proposals about two memories.

use super::record::record;
use super::{NAME_MAX, Owner, Record, SOURCE_MAX, entries, owned};
use crate::values::Stamp;
use foundation::Checks;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use uuid::Uuid;
use wire::{AgentId, EventId, MemoryId, QuarantineId, REASON_MAX, SourceId, SuggestionId, SuggestionRelation, UserId};

/// The states of a turn in quarantine; the first one waits for a decision.
const TURN_STATES: [&str; 3] = ["waiting", "released", "dismissed"];
/// The states of a proposal; the first one waits for a decision.
const SUGGESTION_STATES: [&str; 3] = ["open", "accepted", "declined"];

/// A place in a source that a memory comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct EvidenceLine {
    pub agent_id: AgentId,
    pub id: Uuid,
    pub memory_id: MemoryId,
    pub user_id: Option<UserId>,
    /// The candidate that was made from this place: another memory if it was merged since.
    pub candidate_id: MemoryId,
    pub source_id: SourceId,
    /// The event that found it, which need not be in the file.
    pub event_id: EventId,
    /// The first byte of the quote in the source's content (UTF-8), and the byte after the last.
    pub starts: i32,
    pub ends: i32,
    pub quote: String,
    pub speaker: Option<String>,
    pub observed_at: Option<Stamp>,
    pub created_at: Stamp,
}

/// A turn that may carry instructions for an agent; a person decides whether memories are extracted from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct QuarantinedTurnLine {
    pub agent_id: AgentId,
    pub id: QuarantineId,
    pub user_id: Option<UserId>,
    pub source_id: SourceId,
    /// The event that found it, which need not be in the file.
    pub event_id: EventId,
    pub starts: i32,
    pub ends: i32,
    pub quote: String,
    pub reasons: Vec<String>,
    pub state: String,
    pub created_at: Stamp,
    pub decided_at: Option<Stamp>,
    /// The name of the reviewer.
    pub decided_by: Option<String>,
}

/// A suggestion about two memories: "the first duplicates, contradicts or supersedes the second".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct SuggestionLine {
    pub agent_id: AgentId,
    pub id: SuggestionId,
    pub user_id: Option<UserId>,
    pub from_id: MemoryId,
    pub to_id: MemoryId,
    pub relation: SuggestionRelation,
    pub reason: String,
    pub state: String,
    pub created_at: Stamp,
    pub decided_at: Option<Stamp>,
    /// The name of the reviewer.
    pub decided_by: Option<String>,
}

/// A quoted place in a source.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub source_id: SourceId,
    pub starts: i32,
    pub ends: i32,
    pub quote: &'a str,
}

impl Place<'_> {
    fn check(self, checks: &mut Checks) {
        let (bytes, length) = (self.quote.len(), i64::from(self.ends) - i64::from(self.starts));
        checks
            .that(self.starts >= 0, "starts", "must not be negative")
            .that(length > 0, "ends", "must be after starts")
            .that(bytes <= SOURCE_MAX, "quote", format!("has {bytes} bytes; at most {SOURCE_MAX} are allowed"))
            .that(i64::try_from(bytes) == Ok(length) || length <= 0, "quote", format!("has {bytes} bytes; starts and ends say {length}"));
    }
}

impl Record for EvidenceLine {
    record! {
        Evidence in "evidence", of_users: true, by: [id], author: none, derived: none,
        owner: |it| Owner::User(it.agent_id, it.user_id, Some(it.created_at)),
        needs: |it| [("owned_memory", it.memory_id.0), ("owned_memory", it.candidate_id.0), ("owned_source", it.source_id.0)]
            .map(|(kind, id)| (kind, owned(it.agent_id, it.user_id, id))),
    }

    fn check(&self, checks: &mut Checks) {
        self.place().check(checks);
        checks.limit("speaker", self.speaker.as_deref().unwrap_or_default(), NAME_MAX);
    }
}

impl EvidenceLine {
    pub(super) fn place(&self) -> Place<'_> {
        Place { source_id: self.source_id, starts: self.starts, ends: self.ends, quote: &self.quote }
    }
}

impl Record for QuarantinedTurnLine {
    record! {
        QuarantinedTurn in "quarantine", of_users: true, by: [id], author: none, derived: none,
        owner: |it| Owner::User(it.agent_id, it.user_id, Some(it.created_at)),
        needs: |it| [("owned_source", owned(it.agent_id, it.user_id, it.source_id.0))],
    }

    fn check(&self, checks: &mut Checks) {
        self.place().check(checks);
        entries(checks, "reasons", &self.reasons);
        for reason in &self.reasons {
            checks.text("reasons", reason, REASON_MAX);
        }
        decision(checks, &TURN_STATES, &self.state, self.decided_at, self.decided_by.as_deref());
    }
}

impl QuarantinedTurnLine {
    pub(super) fn place(&self) -> Place<'_> {
        Place { source_id: self.source_id, starts: self.starts, ends: self.ends, quote: &self.quote }
    }
}

impl Record for SuggestionLine {
    record! {
        Suggestion in "memory_proposals", of_users: true, by: [id], author: none, derived: none,
        owner: |it| Owner::User(it.agent_id, it.user_id, Some(it.created_at)),
        needs: |it| [it.from_id, it.to_id].map(|id| ("owned_memory", owned(it.agent_id, it.user_id, id.0))),
    }

    fn check(&self, checks: &mut Checks) {
        checks.that(self.from_id != self.to_id, "to_id", "must not be the same memory as from_id").text("reason", &self.reason, REASON_MAX);
        decision(checks, &SUGGESTION_STATES, &self.state, self.decided_at, self.decided_by.as_deref());
    }
}

/// Checks a state, and that it has a decision unless it waits for one.
fn decision(checks: &mut Checks, states: &[&str; 3], state: &str, at: Option<Stamp>, by: Option<&str>) {
    let [waits, ..] = states;
    let decided = state != *waits;
    let message = format!("is required, unless the state is {waits}: then it must be absent");
    checks
        .that(states.contains(&state), "state", format!("must be one of {}", states.join(", ")))
        .that(at.is_some() == decided, "decided_at", message.as_str())
        .that(by.is_some() == decided, "decided_by", message.as_str())
        .optional_text("decided_by", by, NAME_MAX);
}
