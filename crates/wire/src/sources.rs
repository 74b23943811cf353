//! One search over four sources: memories, what agents did, workflow steps and knowledge.

use super::text_enum::text_enum;
use super::{ActionKind, MatchedBy, MemoryStatus, Provenance, Trust, UserRef};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Most hits of a search over all sources.
pub const SOURCES_K_MAX: u32 = 50;

text_enum! {
    /// Where a hit comes from.
    SearchSource {
        /// The agent's own memories and those that all agents share.
        Memory = "memory",
        /// What agents of the organisation reported that they did.
        Audit = "audit",
        /// Outputs of workflow steps.
        Workflow = "workflow",
        /// Documents of the organisation.
        Knowledge = "knowledge",
    }
}

impl SearchSource {
    /// How much the source counts, 0 to 1 (seed: agent_memory > audit_log > workflow_steps > KB).
    pub fn priority(self) -> f64 {
        match self {
            Self::Memory => 1.0,
            Self::Audit => 0.8,
            Self::Workflow => 0.6,
            Self::Knowledge => 0.5,
        }
    }
}

text_enum! {
    /// A moment at which an agent looks back before it acts.
    DecisionPoint {
        /// A task arrived: how did similar ones go?
        TaskIntake = "task_intake",
        /// Before a tool is chosen: which ones worked for this?
        ToolSelection = "tool_selection",
        /// Before an approval is requested: what was approved or rejected?
        DecisionMemo = "decision_memo",
        /// Before something is written or published: what did well?
        Content = "content",
        /// Before a task is handed on: who handled similar work well?
        Delegation = "delegation",
    }
}

text_enum! {
    /// Whether a source took part in an answer.
    SourceState {
        Answered = "answered",
        /// It did not answer within its deadline.
        TimedOut = "timed_out",
        /// Its database could not be reached.
        Unavailable = "unavailable",
        /// The key lacks the scope of this source.
        NotPermitted = "not_permitted",
    }
}

/// The weights of the combined score: the sum of each times its component.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    pub similarity: f64,
    pub recency: f64,
    pub importance: f64,
    pub source_priority: f64,
}

impl Default for Weights {
    /// Half for the similarity, a fifth each for recency and importance, a tenth for the source.
    fn default() -> Self {
        Self { similarity: 0.5, recency: 0.2, importance: 0.2, source_priority: 0.1 }
    }
}

/// How a tenant ranks what `search_my_memories` finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchPolicy {
    pub weights: Weights,
    /// Least similarity of a hit, 0 to 1. Absent: the floors that are registered for the embedding model.
    pub similarity_min: Option<f64>,
}

/// Input of `search_my_memories`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "query": "send the quarterly invoice by e-mail", "decision_point": "tool_selection" }]))]
#[serde(deny_unknown_fields)]
pub struct SearchMyMemoriesRequest {
    /// The task, operation or question.
    ///
    /// 1 byte to 4 KiB.
    #[schemars(length(min = 1))]
    pub query: String,
    /// How many hits, up to 50; 5 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 50))]
    pub k: Option<u32>,
    /// True: the hits also as system messages for your prompt.
    #[serde(default)]
    pub as_messages: bool,
    /// The moment that you are at: it chooses sources, kinds and weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision_point: Option<DecisionPoint>,
    /// The person you are talking to.
    ///
    /// The search covers their rows and those without a user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

impl SearchMyMemoriesRequest {
    /// A request without options.
    pub fn new(query: &str) -> Self {
        Self { query: query.into(), k: None, as_messages: false, decision_point: None, user_id: None }
    }
}

/// Something that was found in one of the sources.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SourceHit {
    pub source: SearchSource,
    /// Of the memory, the action, the step or the chunk.
    pub id: Uuid,
    /// The topic, the action, `workflow / step`, or the citation.
    pub title: String,
    pub content: String,
    /// How to begin a quotation of the content.
    pub attribution: String,
    /// Of an action: what it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ActionKind>,
    /// Of an action: how it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Of actions and steps: the agent that reported them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// `own`, `reviewed` or `unreviewed`: whether a person confirmed what another agent wrote. Absent for knowledge, which was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    /// Of a memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// Of a memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<MemoryStatus>,
    /// When it was written or completed. Absent for knowledge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<DateTime<Utc>>,
    pub matched_by: MatchedBy,
    /// 0 to 1.
    pub similarity: f64,
    /// 0 to 1.
    pub recency: f64,
    /// 0 to 1.
    pub importance: f64,
    /// 0 to 1.
    pub source_priority: f64,
    /// The sum of the four components, each times its weight.
    pub score: f64,
    /// Other sources that hold the same content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_in: Vec<SearchSource>,
}

/// How one source took part in the answer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SourceReport {
    pub source: SearchSource,
    pub state: SourceState,
    /// Candidates that were similar enough.
    pub found: u32,
    pub took_ms: f64,
}

/// A message for the beginning of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SystemMessage {
    /// Always `system`.
    pub role: String,
    pub content: String,
}

/// Answer of `search_my_memories`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SearchMyMemoriesResponse {
    /// Best first.
    pub hits: Vec<SourceHit>,
    /// Each source that was searched.
    pub sources: Vec<SourceReport>,
    /// The weights of this answer.
    pub weights: Weights,
    /// Parts that could not run: a source, `embedding`, `vocabulary` or `settings`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<String>,
    /// The hits as system messages, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<SystemMessage>,
}
