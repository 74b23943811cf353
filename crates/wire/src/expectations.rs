//! Expectations: what recalls should find, and how well they do.

use super::text_enum::text_enum;
use super::{AgentId, ExpectationId, ExpectationRunId, ExpectationSetId, Gate, MemoryId, MemoryRef, UserId, UserRef};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Longest name of a set, in characters.
pub const EXPECTATION_SET_NAME_MAX: usize = 64;
/// Longest note of an expectation, in characters.
pub const EXPECTATION_NOTE_MAX: usize = 500;
/// Most sets of an organisation.
pub const EXPECTATION_SETS_MAX: i64 = 50;
/// Most expectations of a set.
pub const EXPECTATIONS_MAX: i64 = 500;
/// Most memories that one expectation names.
pub const EXPECTED_MEMORIES_MAX: usize = 10;

text_enum! {
    /// The page on which a person saw that a memory was missed.
    ExpectationOrigin {
        ZeroHit = "zero_hit",
        Retrieval = "retrieval",
        Playground = "playground",
        Diagnosis = "diagnosis",
    }
}

text_enum! {
    /// Why a set was run.
    RunCause {
        /// Somebody requested it.
        Requested = "requested",
        /// The embedding model, its thresholds or the vocabulary changed.
        Changed = "changed",
    }
}

text_enum! {
    /// How an expectation changed between two runs.
    ExpectationChange {
        /// It is met now, and was not before.
        Won = "won",
        /// It was met before, and is not any more.
        Lost = "lost",
    }
}

/// What a person expects a recall to find.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewExpectation {
    /// The name of the set. A set that does not exist is made.
    pub set: String,
    pub query: String,
    /// The agent that asks.
    pub agent_id: AgentId,
    /// The person on whose behalf it asks.
    pub user_id: Option<UserRef>,
    /// The memories that should be found.
    pub memories: Vec<MemoryRef>,
    pub origin: ExpectationOrigin,
    pub note: Option<String>,
}

/// A run of a set, with what it ran on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema, sqlx::FromRow)]
pub struct ExpectationRun {
    pub id: ExpectationRunId,
    pub at: DateTime<Utc>,
    pub cause: RunCause,
    /// The embedding model, and the least relevance of a hit by meaning and by words.
    pub model: String,
    pub vector_floor: f64,
    pub lexical_floor: f64,
    pub vocabulary_version: i64,
    /// How many hits each recall asked for.
    pub k: i64,
    pub expectations: i64,
    /// Those of them that have a memory left; the others count in no number.
    pub counted: i64,
    /// Those whose memories were all found.
    pub met: i64,
    /// The share of expected memories that was found, averaged over the expectations; absent if none was counted.
    pub recall: Option<f64>,
    /// The mean of 1 divided by the rank of the first expected memory, 0 where none was found; absent if none was counted.
    pub mrr: Option<f64>,
}

/// A set of expectations with its last two runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExpectationSet {
    pub id: ExpectationSetId,
    pub name: String,
    /// A run waits or is under way.
    pub waiting: bool,
    pub last: Option<ExpectationRun>,
    /// The run before the last one.
    pub before: Option<ExpectationRun>,
}

/// Answer of `GET /api/expectations`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExpectationSetList {
    /// By name.
    pub sets: Vec<ExpectationSet>,
}

/// Answer of `POST /api/expectations/{id}/runs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExpectationRunRequested {
    pub set_id: ExpectationSetId,
    /// False: a run of the set waits already, or is under way.
    pub requested: bool,
}

/// A set as the list of the console shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectationSetRow {
    pub set: ExpectationSet,
    pub expectations: i64,
    /// Expectations that changed between the last two runs.
    pub won: i64,
    pub lost: i64,
}

/// A memory of an expectation, as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpectedMemory {
    /// The memory, or the one that superseded it.
    pub id: MemoryId,
    /// Absent: it was erased.
    pub topic: Option<String>,
    /// It was deleted or erased, so nothing is expected of it.
    pub is_gone: bool,
}

/// What a run found for an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpectationOutcome {
    /// Memories that were left, and those of them that the recall returned.
    pub expected: i64,
    pub found: i64,
    /// The best of their ranks, from 1.
    pub rank: Option<i64>,
    /// The gate that stopped the first one that was not returned; absent if the recall was refused.
    pub stopped_by: Option<Gate>,
}

impl ExpectationOutcome {
    /// Whether every memory that was left was found.
    pub fn is_met(&self) -> bool {
        self.expected > 0 && self.found == self.expected
    }

    /// How an expectation changed since an earlier run; nothing if one of the two did not count it.
    pub fn change(before: Option<&Self>, now: Option<&Self>) -> Option<ExpectationChange> {
        let counted = |outcome: &&Self| outcome.expected > 0;
        match (before.filter(counted)?.is_met(), now.filter(counted)?.is_met()) {
            (false, true) => Some(ExpectationChange::Won),
            (true, false) => Some(ExpectationChange::Lost),
            _ => None,
        }
    }
}

/// An expectation with the results of the last two runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectationRow {
    pub id: ExpectationId,
    pub query: String,
    pub agent_id: AgentId,
    pub agent_slug: String,
    pub user_id: Option<UserId>,
    pub memories: Vec<ExpectedMemory>,
    pub origin: ExpectationOrigin,
    pub note: Option<String>,
    pub added_by: String,
    pub created_at: DateTime<Utc>,
    /// Absent: no run had it.
    pub outcome: Option<ExpectationOutcome>,
    pub change: Option<ExpectationChange>,
}

impl ExpectationRow {
    /// Whether none of its memories is left.
    pub fn is_gone(&self) -> bool {
        self.memories.iter().all(|memory| memory.is_gone)
    }
}

/// Everything on the page of a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectationSetDetail {
    pub set: ExpectationSet,
    /// The last 30, newest first.
    pub runs: Vec<ExpectationRun>,
    /// Newest first.
    pub rows: Vec<ExpectationRow>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(expected: i64, found: i64) -> ExpectationOutcome {
        ExpectationOutcome { expected, found, rank: None, stopped_by: None }
    }

    #[test]
    fn only_a_change_of_what_both_runs_counted_is_one() {
        let (none, part, whole) = (outcome(0, 0), outcome(2, 1), outcome(2, 2));
        let change = |before: &ExpectationOutcome, now: &ExpectationOutcome| ExpectationOutcome::change(Some(before), Some(now));
        assert_eq!(change(&part, &whole), Some(ExpectationChange::Won), "a part was not enough");
        assert_eq!(change(&whole, &part), Some(ExpectationChange::Lost));
        assert_eq!(change(&whole, &none), None, "its memories were deleted: it is not lost");
        assert_eq!(change(&none, &whole), None);
        assert_eq!(change(&whole, &whole), None);
        assert_eq!(ExpectationOutcome::change(None, Some(&whole)), None, "it is new");
        assert!(!none.is_met());
    }
}
