//! Loud silence: how often recall comes back empty, why, and what was nearest; the front page's numbers; the playground.

use super::text_enum::text_enum;
use super::{AgentId, DocumentId, MatchedBy, MemoryId, RecallHit, RecallRequest, RetrievalId, SourceTag, UserId};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

text_enum! {
    /// Why a recall came back empty, as operators see it.
    ZeroHitCause {
        /// The agent has no memory that could be searched.
        NothingStored = "nothing_stored",
        /// There are memories, and none was relevant enough.
        BelowFloor = "below_floor",
        /// A relevant one exists, and is deleted, expired, superseded, another user's, or was filtered out.
        FilteredOut = "filtered_out",
        /// Part of the search could not run.
        Degraded = "degraded",
    }
}

text_enum! {
    /// Why a near miss was not a hit.
    NearMissState {
        /// In reach, but not relevant enough.
        BelowFloor = "below_floor",
        Deleted = "deleted",
        Expired = "expired",
        Superseded = "superseded",
        OtherUser = "other_user",
        /// The recall's own filters excluded it.
        Filtered = "filtered",
    }
}

/// Which recalls the health page counts and lists.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HealthFilter {
    /// 7, 30 or 90; 30 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// A canonical term, or `other` for queries outside the vocabulary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<ZeroHitCause>,
    /// Only recalls whose agent said that it should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// Recalls, and those of them that found nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Silence {
    pub recalls: i64,
    pub zero_hits: i64,
    /// Recalls whose agent said that it should know.
    pub expected: i64,
    pub expected_zero_hits: i64,
}

impl Silence {
    /// The share of recalls that found nothing, 0 to 1; 0 without recalls.
    pub fn rate(&self) -> f64 {
        if self.recalls == 0 { 0.0 } else { self.zero_hits as f64 / self.recalls as f64 }
    }
}

/// Recall health over a period, without the list of zero hits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecallHealth {
    pub totals: Silence,
    /// One entry per day (UTC), oldest first, without gaps.
    pub days: Vec<(NaiveDate, Silence)>,
    /// Zero hits by cause, most first.
    pub causes: Vec<(ZeroHitCause, i64)>,
    /// Agents by zero hits, most first: id, slug, counts.
    pub agents: Vec<(AgentId, String, Silence)>,
    /// Topics by zero hits, most first, at most ten; `other` gathers queries outside the vocabulary.
    pub topics: Vec<(String, Silence)>,
}

/// A memory that was close and is not a hit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NearMiss {
    pub memory_id: MemoryId,
    pub agent_slug: String,
    /// As it reads now.
    pub topic: String,
    /// Relevance, 0 to 1.
    pub similarity: f64,
    /// The relevance that it would have needed.
    pub floor: f64,
    pub state: NearMissState,
    /// It is deleted or archived now, so that a person can restore it.
    pub restorable: bool,
}

/// A recall that found nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ZeroHit {
    pub retrieval_id: RetrievalId,
    pub at: DateTime<Utc>,
    pub agent_id: AgentId,
    pub agent_slug: String,
    pub user_id: Option<UserId>,
    pub query: String,
    pub query_canonical: Option<String>,
    pub expected: bool,
    pub cause: ZeroHitCause,
    /// Parts of the search that could not run.
    pub degraded: Vec<String>,
    /// Closest first.
    pub near_misses: Vec<NearMiss>,
    /// How many knowledge hits the answer had all the same.
    pub knowledge_hits: i64,
}

/// The front page's numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    pub agents: i64,
    pub memories: i64,
    /// Memories of the last seven days.
    pub added: i64,
    pub terms: i64,
    pub proposals: i64,
    /// Memories that a decision on the vocabulary has not reached yet.
    pub recanonicalising: i64,
    pub documents: i64,
    /// Files that failed in the last ingestions.
    pub ingest_failures: i64,
    /// Of the last seven days.
    pub silence: Silence,
    /// One entry per day of the last 14, oldest first.
    pub days: Vec<(NaiveDate, Silence)>,
    /// Rows that wait for delivery, and for how long the oldest has, in seconds.
    pub outbox: i64,
    pub outbox_seconds: i64,
    /// Jobs of knowledge that failed in every attempt. The events of memories are counted in [`super::CaptureNumbers`].
    pub knowledge_dead: i64,
}

/// A recall as an agent would send it, without a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaygroundRequest {
    pub agent_id: AgentId,
    pub recall: RecallRequest,
}

/// The target of a candidate's link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CandidateLink {
    Memory(MemoryId),
    Document(DocumentId),
}

/// A memory or chunk that a recall considered, hit or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaygroundCandidate {
    pub link: CandidateLink,
    pub source_tag: SourceTag,
    /// The memory's topic, or the citation of the document.
    pub label: String,
    pub content: String,
    pub similarity: f64,
    pub recency: f64,
    pub score: f64,
    pub floor: f64,
    pub passed: bool,
    /// Its place in the answer, from 1; absent if it was cut by the floor or by `k`.
    pub rank: Option<i64>,
    pub matched_by: MatchedBy,
    pub explanation: String,
}

/// Everything about one recall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Playground {
    pub hits: Vec<RecallHit>,
    /// Best first, those below the floor last.
    pub candidates: Vec<PlaygroundCandidate>,
    /// The term that the whole query resolves to.
    pub query_canonical: Option<String>,
    /// Known terms inside the query.
    pub terms_inside: Vec<String>,
    /// What was embedded and searched for.
    pub searched: String,
    pub vocabulary_version: i64,
    /// How many memories the search may find, and how many of them reach the floor; absent for the past.
    pub memories: Option<i64>,
    pub passed: Option<i64>,
    /// Whether a key of the agent may recall, and whether one may read shared knowledge.
    pub may_recall: bool,
    pub may_read_knowledge: bool,
    pub zero_hit: bool,
    pub cause: Option<ZeroHitCause>,
    pub near_misses: Vec<NearMiss>,
    pub degraded: Vec<String>,
    /// Step and milliseconds, in the order in which they ended; private, shared and knowledge run side by side.
    pub timings: Vec<(String, f64)>,
}

/// One of the disciplines that agents are given, with the tools' names filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "engine", derive(schemars::JsonSchema))]
pub struct Prompt {
    /// `recall`, `write` or `write_confirming`, `vocabulary`, `capture`
    pub name: String,
    pub title: String,
    pub version: u32,
    /// Markdown.
    pub text: String,
}

/// Answer of `GET /api/prompts`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "engine", derive(schemars::JsonSchema))]
pub struct PromptList {
    pub prompts: Vec<Prompt>,
}
