//! Brief answers: what tools answer unless they are asked to explain. A model pays for every token that it reads, so a hit says what it is,
//! how well it fits and how to quote it, and leaves out what is empty.

use super::{ChunkId, MemoryId, MemoryStatus, NothingReason, Provenance, RetrievalId, Source, SourceTag, Trust};
use serde::{Deserialize, Serialize};

/// A memory, in brief. Numbers have three digits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BriefMemory {
    pub memory_id: MemoryId,
    pub short_id: String,
    pub topic: String,
    /// The topic as the agent wrote it.
    pub topic_raw: String,
    pub content: String,
    /// Of a decision: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    pub source: Source,
    /// `private` or `shared`.
    pub source_tag: SourceTag,
    /// `reviewed` or `unreviewed`, if it is shared: `unreviewed` means that no person confirmed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    /// Absent for your own words that hold everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    pub similarity: f64,
    pub recency_score: f64,
    pub score: f64,
    pub status: MemoryStatus,
    /// The memories that say otherwise; give both sides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradicts: Vec<MemoryId>,
    /// How to begin a quotation of the content: "I remember (from 3 May 2026):".
    pub attribution: String,
    /// Why it was found, in one line.
    pub reason: String,
}

/// A part of a document, in brief. Numbers have three digits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BriefKnowledge {
    pub chunk_id: ChunkId,
    /// `SPEC-005`, if it is a specification with a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec_id: Option<String>,
    /// `ADR-008`, if it is a decision record with a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adr_id: Option<String>,
    /// `ADR-005, Consequences`.
    pub citation: String,
    pub content: String,
    /// Always `canonical`.
    pub source_tag: SourceTag,
    pub similarity: f64,
    pub score: f64,
    /// How to begin a quotation of the content: "Per ADR-005:".
    pub attribution: String,
    /// Why it was found, in one line.
    pub reason: String,
}

/// A memory or a piece of shared knowledge, in brief; `source_tag` says which.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum BriefHit {
    Memory(Box<BriefMemory>),
    Knowledge(BriefKnowledge),
}

/// A recall, in brief.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BriefRecall {
    pub retrieval_id: RetrievalId,
    /// Best first, memories and knowledge in one list.
    pub hits: Vec<BriefHit>,
    /// The canonical form that the query was searched under, if the vocabulary knew it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_canonical: Option<String>,
    /// No private or shared memory passed the relevance floor.
    pub zero_hit: bool,
    /// Present when `zero_hit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<NothingReason>,
    /// Parts of the search that could not run: `embedding`, `knowledge`, …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<String>,
}

/// A search in knowledge, in brief.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BriefKnowledgeSearch {
    /// Best first.
    pub hits: Vec<BriefKnowledge>,
    /// Parts of the search that could not run: `embedding`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<String>,
}
