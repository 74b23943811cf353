//! A recall: the question, the ranked answer, and why each hit is in it.

use super::{
    AgentId, KnowledgeHit, MemoryId, MemoryKind, MemoryRow, MemoryScope, MemoryStatus, RetrievalId, Source, UserId, session::text_enum,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

text_enum! {
    /// The formula that orders hits.
    Ranking {
        /// similarity · exp(−Δdays/90), Δ since the memory was last written. It halves in 62 days.
        Decay = "decay",
    }
}

text_enum! {
    /// Whose knowledge a hit is.
    SourceTag {
        /// The agent's own memory.
        Private = "private",
        /// The memory that all agents of the organisation share.
        Shared = "shared",
        /// Decided knowledge: specs, ADRs, documents.
        Canonical = "canonical",
    }
}

text_enum! {
    /// How a hit was found.
    MatchedBy {
        /// By meaning: cosine of the embeddings.
        Vector = "vector",
        /// By words: BM25, normalised, for memories whose embedding is still missing.
        Lexical = "lexical",
    }
}

text_enum! {
    /// Why a recall came back empty, as far as an agent is told.
    NothingReason {
        /// There is nothing stored that could match.
        NothingFound = "nothing_found",
        /// Something was found, and none of it was relevant enough.
        BelowFloor = "below_floor",
        /// Part of the search could not run.
        Degraded = "degraded",
    }
}

/// What narrows a recall before anything is scored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "engine", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RecallFilters {
    /// Only these kinds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<MemoryKind>,
    /// Only these scopes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<MemoryScope>,
    /// Only what was said on this platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// Only what belongs to this project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<Uuid>,
}

/// Input of `agent_memory_recall`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "engine", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RecallRequest {
    /// What you want to know, as a topic or a question (1 byte to 4 KiB).
    pub query: String,
    /// How many hits at most (1 to 100; 10 unless told).
    #[serde(default = "default_k")]
    pub k: u32,
    /// True if you believe that you should know this: an empty answer is then reported to the operators.
    #[serde(default)]
    pub expected: bool,
    /// The person you are talking to: their memories and those of nobody in particular are searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Ranking>,
    #[serde(default)]
    pub filters: RecallFilters,
    /// What was known at this moment is asked instead of what is known now (RFC 3339). It is not logged and counts nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<DateTime<Utc>>,
}

fn default_k() -> u32 {
    10
}

/// The parts of a score. `score` is their product.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "engine", derive(schemars::JsonSchema))]
pub struct Breakdown {
    /// Relevance before decay, 0 to 1.
    pub similarity: f64,
    /// exp(−Δdays/90) since the memory was last written, 0 to 1.
    pub recency: f64,
    /// The relevance that this hit had to reach.
    pub floor: f64,
}

/// One memory that answers a recall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "engine", derive(schemars::JsonSchema))]
pub struct Hit {
    pub memory_id: MemoryId,
    pub short_id: String,
    pub topic: String,
    pub topic_raw: String,
    pub content: String,
    pub source: Source,
    pub similarity: f64,
    pub recency_score: f64,
    pub source_tag: SourceTag,
    pub score: f64,
    pub breakdown: Breakdown,
    pub matched_by: MatchedBy,
    /// The words of the query that the memory holds, in the memory's own spelling.
    pub matched_words: Vec<String>,
    pub matched_scope: MemoryScope,
    pub kind: MemoryKind,
    pub status: MemoryStatus,
    pub is_canonical: bool,
    pub user_id: Option<UserId>,
    /// What supports it: a source or a reference.
    pub evidence: Option<String>,
    /// The memories that say otherwise; give both sides.
    #[serde(default)]
    pub contradicts: Vec<MemoryId>,
    pub version: i32,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// exp(−Δdays/90) since the last write, derived, never stored.
    pub freshness: f64,
    /// Ready to quote: "I remember (from 3 May 2026): …".
    pub attribution: String,
    /// Why it is here, in a sentence.
    pub explanation: String,
}

/// A memory or a piece of shared knowledge, in one ranked list; `source_tag` says which.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "engine", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum RecallHit {
    /// `private` or `shared`.
    Memory(Box<Hit>),
    /// `canonical`.
    Knowledge(Box<KnowledgeHit>),
}

impl RecallHit {
    /// The memory, if it is one.
    pub fn memory(&self) -> Option<&Hit> {
        match self {
            Self::Memory(hit) => Some(hit),
            Self::Knowledge(_) => None,
        }
    }

    /// The piece of knowledge, if it is one.
    pub fn knowledge(&self) -> Option<&KnowledgeHit> {
        match self {
            Self::Memory(_) => None,
            Self::Knowledge(hit) => Some(hit),
        }
    }
}

/// Answer of `agent_memory_recall`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "engine", derive(schemars::JsonSchema))]
pub struct RecallResponse {
    pub retrieval_id: RetrievalId,
    /// Best first, memories and knowledge in one list.
    pub hits: Vec<RecallHit>,
    /// The canonical form that the query was searched under, if the vocabulary knew it.
    pub query_canonical: Option<String>,
    pub ranking: Ranking,
    /// No private or shared memory passed the relevance floor. Knowledge does not mask that.
    pub zero_hit: bool,
    /// Present when `zero_hit`.
    pub reason: Option<NothingReason>,
    /// Parts of the search that could not run: `embedding`, `knowledge`, …
    pub degraded: Vec<String>,
}

impl RecallResponse {
    /// The memories among the hits, best first.
    pub fn memories(&self) -> Vec<&Hit> {
        self.hits.iter().filter_map(RecallHit::memory).collect()
    }

    /// The knowledge among the hits, best first.
    pub fn knowledge(&self) -> Vec<&KnowledgeHit> {
        self.hits.iter().filter_map(RecallHit::knowledge).collect()
    }
}

/// A hit as the console shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchHit {
    pub memory: MemoryRow,
    pub score: f64,
    pub breakdown: Breakdown,
    pub matched_by: MatchedBy,
    pub matched_words: Vec<String>,
    pub explanation: String,
}

/// What a search in the console found. Nothing is counted and nothing is logged for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchResults {
    /// At most 100, best first.
    pub hits: Vec<SearchHit>,
    /// How many candidates reached the floor.
    pub passed: i64,
    /// How many were looked at.
    pub considered: i64,
    /// The best relevance below the floor, if nothing passed.
    pub nearest: Option<f64>,
    pub floor: f64,
    pub query_canonical: Option<String>,
    pub degraded: Vec<String>,
    /// The agents that were asked.
    pub agents: Vec<AgentId>,
}
