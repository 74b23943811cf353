//! The retrieval log: what was asked, what was answered, and the same question asked again.

use super::{
    AgentId, ChunkId, DocumentId, MatchedBy, MemoryId, MemoryRecord, MemoryRef, Part, Ranking, RetrievalId, SourceTag, UserId, UserRef,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Which recalls the log lists; an absent field does not filter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RetrievalFilter {
    /// Operators only; an agent sees its own recalls.
    pub agent_id: Option<AgentId>,
    /// Part of the query, without regard to case.
    pub q: Option<String>,
    pub ranking: Option<Ranking>,
    /// True: only recalls that found no memory; false: only those that did.
    pub zero_hit: Option<bool>,
    /// The person you are talking to; the list has their recalls and those without a user. For an operator it has theirs alone.
    pub user_id: Option<UserRef>,
    /// Only recalls that returned this memory.
    pub memory_id: Option<MemoryId>,
    /// Only recalls at or after this time.
    pub from: Option<DateTime<Utc>>,
    /// Only recalls before this time.
    pub until: Option<DateTime<Utc>>,
    pub after: Option<String>,
    pub before: Option<String>,
    /// Only recalls that were made in this session. The console sets it, no request has it.
    #[serde(skip)]
    pub session_id: Option<Uuid>,
    /// True: in the reverse of the usual order. The console sets it, no request has it.
    #[serde(skip)]
    pub reversed: bool,
}

/// One recall as the log lists it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema, sqlx::FromRow)]
pub struct Retrieval {
    pub id: RetrievalId,
    pub agent_id: AgentId,
    #[sqlx(skip)]
    pub agent_slug: String,
    pub at: DateTime<Utc>,
    pub user_id: Option<UserId>,
    pub query: String,
    /// The term that the whole query resolved to.
    pub query_canonical: Option<String>,
    #[sqlx(try_from = "i32")]
    pub k: u32,
    pub ranking: Ranking,
    /// The agent expected a result.
    pub expected: bool,
    /// How many memories were returned.
    #[sqlx(try_from = "i32")]
    pub hits: u32,
    /// How many pieces of knowledge were returned.
    #[sqlx(try_from = "i32")]
    pub knowledge_hits: u32,
    pub zero_hit: bool,
    /// Parts of the search that could not run.
    pub degraded: Vec<String>,
    pub took_ms: f64,
    /// It is the search behind a context before a task. Only the console shows it.
    #[serde(skip)]
    pub for_context: bool,
    /// How many memories and passages that context gave, those that always apply included. Only the console shows it.
    #[serde(skip)]
    pub given: Option<i32>,
}

/// A memory or a piece of knowledge that a recall considered, as it was then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Considered {
    /// Its place in the answer, from 1; absent when it was not returned.
    pub rank: Option<u32>,
    pub source_tag: SourceTag,
    /// The memory, if it is one.
    pub memory_id: Option<MemoryId>,
    /// The owner of the memory.
    pub agent_id: Option<AgentId>,
    /// Which of its versions was seen.
    pub version: Option<i32>,
    /// The document, if it is a piece of knowledge.
    pub document_id: Option<DocumentId>,
    pub chunk_id: Option<ChunkId>,
    /// Topic of the memory, or title of the document.
    pub title: String,
    pub content: String,
    pub score: f64,
    /// Relevance before decay, 0 to 1.
    pub similarity: f64,
    pub matched_by: MatchedBy,
    /// Recency at the time, 0 to 1; 1 for knowledge.
    pub recency: f64,
    /// The terms of the score where it is a sum; empty under `decay`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// The words of the query that it holds, in its own spelling.
    pub matched_words: Vec<String>,
    /// Why it has this rank, in a sentence.
    pub explanation: String,
    /// Whether it reached its floor.
    pub passed: bool,
    /// Whether it is out of reach by now: deleted, superseded, expired, retired.
    pub gone: bool,
}

/// One recall with everything that it considered and the log kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RetrievalDetail {
    pub retrieval: Retrieval,
    /// The filters of the request.
    pub filters: serde_json::Value,
    pub model: String,
    pub vector_floor: f64,
    pub lexical_floor: f64,
    pub vocabulary_version: i64,
    /// Hits in the order of the answer, then what was closest below.
    pub considered: Vec<Considered>,
}

/// A logged recall, repeated with the data of its time and with the data of today.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Replay {
    pub logged: RetrievalDetail,
    /// The answer as of the time of the recall, with the versions, deletions, terms and documents of that time; best first.
    pub replayed: Vec<Considered>,
    /// The answer to the same question today, best first.
    pub today: Vec<Considered>,
    /// Whether `replayed` holds the same hits in the same order as the log.
    pub same: bool,
    /// What can no longer be reproduced, one sentence each; empty if everything can.
    pub lost: Vec<String>,
}

/// Input of `explain`: name a memory or a retrieval.
#[derive(Clone, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "memory_id": "k3v9x2aq" }]))]
#[serde(deny_unknown_fields, default)]
pub struct ExplainRequest {
    /// A memory, by id or short id.
    ///
    /// The answer says where it comes from, what happened to it and which recalls returned it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_id: Option<MemoryRef>,
    /// A recall, by its id.
    ///
    /// The answer says why each hit was returned, and what was close.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retrieval_id: Option<RetrievalId>,
    /// The person you are talking to.
    ///
    /// The memory must belong to that person or to nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// Answer of `explain`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Explanation {
    /// A summary.
    pub sentence: String,
    /// If a memory was named: the memory in full, with its evidence, every version and every link. Without it, the memory was forgotten.
    pub memory: Option<Box<MemoryRecord>>,
    /// The latest of your recalls that returned it, at most ten.
    pub recalled_by: Vec<Retrieval>,
    /// If a recall was named: everything that it considered, with scores and reasons.
    pub retrieval: Option<Box<RetrievalDetail>>,
}
