//! Why a recall does not return a memory: every gate on the way of the memory into the answer, with what it says.

use super::text_enum::text_enum;
use super::{AgentId, MemoryId, MemoryRef, RecallRequest, UserId};
use serde::{Deserialize, Serialize};

text_enum! {
    /// A condition that a memory must meet to be in an agent's answer, in the order in which they are checked.
    Gate {
        /// The organisation has the memory.
        Tenant = "tenant",
        /// A key of the agent may recall.
        Key = "key",
        /// The memory is the agent's own or shared.
        Agent = "agent",
        /// It belongs to nobody, or to the user of the recall.
        User = "user",
        /// It is active or contradicted: no candidate of the inbox, and not superseded.
        Status = "status",
        Deleted = "deleted",
        Expired = "expired",
        Archived = "archived",
        /// The filters of the recall let it through.
        Filters = "filters",
        /// It belongs to the project of the recall, to none or to a linked one, or is strongly relevant.
        Scope = "scope",
        /// It has a vector of the model that recalls use.
        Vector = "vector",
        /// The vocabulary gives the question and the memory the same name.
        Vocabulary = "vocabulary",
        /// It is near the question in meaning.
        Similarity = "similarity",
        /// It shares words with the question.
        Words = "words",
        /// It is relevant enough by meaning or by words.
        Floor = "floor",
        /// It is among the candidates that are scored.
        Rank = "rank",
        /// Its rank is within the number of hits that the recall asks for.
        K = "k",
    }
}

text_enum! {
    /// The result of a gate.
    GateOutcome {
        Passed = "passed",
        /// It is not enough here, and another gate may make up for it.
        Short = "short",
        Stopped = "stopped",
        /// The gate says nothing about this memory, because an earlier one keeps it away or because it does not count.
        Open = "open",
    }
}

/// The place where a person can mend something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MendLink {
    /// The page of a memory.
    Memory(MemoryId),
    /// A candidate in the inbox.
    Candidate(MemoryId),
    /// The same question on behalf of this user.
    User(UserId),
    /// The same question for this many hits.
    Hits(u32),
    /// The list of background work.
    Events,
    /// The terms of the vocabulary.
    Terms,
}

/// What would let a memory through a gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mend {
    /// A sentence or two.
    pub text: String,
    pub link: Option<MendLink>,
}

impl Mend {
    /// Words alone.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), link: None }
    }

    /// The same words, with the page where it is done.
    #[must_use]
    pub fn at(self, link: MendLink) -> Self {
        Self { link: Some(link), ..self }
    }
}

/// A gate and what it says about a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateResult {
    pub gate: Gate,
    pub outcome: GateOutcome,
    /// Why, in one sentence.
    pub detail: String,
    /// Present if the gate stops the memory or falls short.
    pub mend: Option<Mend>,
}

/// A recall of an agent, and the memory that it should return.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiagnoseRequest {
    pub agent_id: AgentId,
    pub memory: MemoryRef,
    /// As the agent would send it. It cannot be about the past: a replay is.
    pub recall: RecallRequest,
}

/// The memory that a diagnosis is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiagnosedMemory {
    pub id: MemoryId,
    pub short_id: String,
    /// The owner of the memory.
    pub agent_slug: String,
    pub topic: String,
    pub content: String,
    /// It is deleted or archived, so that a person can restore it.
    pub restorable: bool,
    /// Who deleted it, and why: a person may have wished it.
    pub deleted_by: Option<String>,
    pub delete_reason: Option<String>,
}

/// How relevant a memory is for a question, in reach or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Relevance {
    /// Cosine of the embeddings, 0 to 1; absent if the question or the memory has no vector.
    pub similarity: Option<f64>,
    pub similarity_floor: f64,
    /// Normalised BM25, 0 to about 1; absent if they share no word.
    pub words: Option<f64>,
    pub words_floor: f64,
    /// Words of the question that it has, in its own spelling.
    pub matched_words: Vec<String>,
    /// Its score under the ranking, if it was scored.
    pub score: Option<f64>,
    /// The score of the last hit, if the answer has as many hits as the recall asks for.
    pub last_hit: Option<f64>,
    /// The score in words, if it was scored.
    pub explanation: Option<String>,
}

/// Whether a recall returns a memory, and what stops it if not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// The agent that asks.
    pub agent_slug: String,
    /// Absent if the organisation has no such memory.
    pub memory: Option<DiagnosedMemory>,
    /// In a sentence.
    pub verdict: String,
    /// The first gate that stopped it; absent if the agent gets it.
    pub stopped_by: Option<Gate>,
    /// Its place in the answer, from 1.
    pub rank: Option<u32>,
    /// Every gate, in the order in which they are checked.
    pub gates: Vec<GateResult>,
    /// Absent if the organisation has no such memory.
    pub relevance: Option<Relevance>,
    /// What was searched for; empty if the organisation has no such memory.
    pub searched: String,
    /// Parts of the search that could not run.
    pub degraded: Vec<String>,
}

impl Diagnosis {
    /// The gate that stopped the memory, with what it says.
    pub fn stop(&self) -> Option<&GateResult> {
        self.gates.iter().find(|result| Some(result.gate) == self.stopped_by)
    }
}
