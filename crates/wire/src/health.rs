//! Zero hits: how often recall comes back empty, why, and what was nearest; the front page's numbers; the playground.

use super::text_enum::text_enum;
use super::{AgentId, DocumentId, MatchedBy, MemoryId, RecallHit, RecallRequest, RetrievalId, SourceTag, UserId};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use std::iter::Sum;

text_enum! {
    /// Why a recall came back empty, as operators see it.
    ZeroHitCause {
        /// The agent has no memory of its own that could be searched.
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
        Archived = "archived",
        /// A candidate that waits in the inbox.
        Inbox = "inbox",
        Superseded = "superseded",
        OtherUser = "other_user",
        /// The recall's own filters excluded it.
        Filtered = "filtered",
    }
}

text_enum! {
    /// What one bar of a chart covers.
    BarUnit {
        Hour = "hour",
        Day = "day",
    }
}

/// Which recalls the health page counts and lists.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HealthFilter {
    /// The period: 1 (the last 24 hours), 7, 30 or 90; 30 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<u32>,
    /// One day of the period, in the zone of the reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<NaiveDate>,
    /// One hour of that day, 0 to 23.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hour: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// A canonical term, or `other` for queries outside the vocabulary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// Counts and lists only zero hits with this cause, among all recalls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<ZeroHitCause>,
    /// Only recalls that expected a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// Recalls, and those of them that found nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, sqlx::FromRow)]
pub struct RecallCounts {
    pub recalls: i64,
    pub zero_hits: i64,
    /// Recalls that expected a result.
    pub expected: i64,
    /// Those that returned neither a memory nor knowledge.
    pub expected_zero_hits: i64,
}

impl RecallCounts {
    /// The share of recalls that found nothing, 0 to 1; 0 without recalls.
    pub fn rate(&self) -> f64 {
        if self.recalls == 0 { 0.0 } else { self.zero_hits as f64 / self.recalls as f64 }
    }
}

impl Sum for RecallCounts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |sum, one| Self {
            recalls: sum.recalls + one.recalls,
            zero_hits: sum.zero_hits + one.zero_hits,
            expected: sum.expected + one.expected,
            expected_zero_hits: sum.expected_zero_hits + one.expected_zero_hits,
        })
    }
}

/// One hour or one day of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HealthBar {
    pub from: DateTime<Utc>,
    pub recalls: RecallCounts,
    /// Memories that were stored. Candidates that wait for review do not count, and a new version of a memory does not.
    pub stored: i64,
}

/// Recall health over a period, without the list of zero hits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecallHealth {
    pub totals: RecallCounts,
    /// What a bar covers.
    pub unit: BarUnit,
    /// The bars of the period, or of the day that the filter names, oldest first, without gaps.
    pub bars: Vec<HealthBar>,
    /// When a memory was last stored or revised, in the period or before it.
    pub last_write: Option<DateTime<Utc>>,
    /// Zero hits by cause, most first.
    pub causes: Vec<(ZeroHitCause, i64)>,
    /// Agents by zero hits, most first, at most ten: id, slug, counts.
    pub agents: Vec<(AgentId, String, RecallCounts)>,
    /// Topics by zero hits, most first, at most ten; `other` gathers queries outside the vocabulary.
    pub topics: Vec<(String, RecallCounts)>,
    /// The agents that made these recalls and have no live memories of their own: id and slug. What is shared may still answer them.
    pub without_memories: Vec<(AgentId, String)>,
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
    /// Who deleted it, and why: a person may have wished it.
    pub deleted_by: Option<String>,
    pub delete_reason: Option<String>,
}

impl NearMiss {
    /// The near miss that says why nothing relevant was found: the closest relevant one that is live, or else the closest relevant one. An
    /// expired memory never stands for one that could be found.
    pub fn decisive(misses: &[Self]) -> Option<&Self> {
        let relevant = || misses.iter().filter(|miss| miss.similarity >= miss.floor);
        relevant().find(|miss| miss.state.is_live()).or_else(|| relevant().next())
    }
}

impl NearMissState {
    /// Whether the memory is in force or waits in the inbox; otherwise it is deleted, archived, superseded or expired.
    pub fn is_live(self) -> bool {
        match self {
            Self::BelowFloor | Self::Inbox | Self::OtherUser | Self::Filtered => true,
            Self::Deleted | Self::Expired | Self::Archived | Self::Superseded => false,
        }
    }
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
    /// The filters of the request.
    pub filters: serde_json::Value,
    pub expected: bool,
    pub cause: ZeroHitCause,
    /// Parts of the search that could not run.
    pub degraded: Vec<String>,
    /// Closest first.
    pub near_misses: Vec<NearMiss>,
    /// How many knowledge hits the answer had all the same.
    pub knowledge_hits: i64,
}

/// The front page's numbers. What waits for a decision is in [`super::ReviewNumbers`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    pub attention: Attention,
    pub last_day: LastDay,
    pub inventory: Inventory,
}

/// What is broken, and what waits for a person.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Attention {
    /// Jobs that failed in every attempt, of memories and of knowledge.
    pub memory_dead: i64,
    pub knowledge_dead: i64,
    /// Files that failed in the newest ingestion of each collection.
    pub ingest_failures: i64,
    /// Rows that wait for delivery, and for how long the oldest has, in seconds.
    pub outbox: i64,
    pub outbox_seconds: i64,
    /// Memories that have had no vector for more than a minute: recalls find them by their words only.
    pub late_vectors: i64,
    /// Recalls of the last seven days.
    pub week: RecallCounts,
    pub blocked_agents: i64,
    /// Agents with a call that was refused in the last seven days, by slug.
    pub refused_agents: Vec<String>,
    /// Agents that called in the last 30 days, and not in the last seven, by slug.
    pub silent_agents: Vec<String>,
    /// Accounts whose credit or quota is used up: calls of paid models wait.
    pub exhausted_accounts: i64,
    /// Erasures that wait for another admin; 0 for those who may not see them.
    pub erasures: i64,
}

/// The last 24 hours.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LastDay {
    /// One entry per hour, oldest first, without gaps.
    pub bars: Vec<HealthBar>,
    /// The time in which 95 of 100 recalls were answered, in milliseconds, of the newest [`Self::MEASURED`]; none without recalls.
    pub p95_ms: Option<f64>,
    pub contexts: i64,
    /// The newest memories, newest first, from the last 24 hours or before.
    pub newest: Vec<NewMemory>,
}

impl LastDay {
    /// Recalls whose time is measured, at most: the newest.
    pub const MEASURED: i64 = 1_000;
}

/// A memory on the front page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewMemory {
    pub id: MemoryId,
    pub topic: String,
    /// The beginning of its content.
    pub content: String,
    pub agent_slug: String,
    pub at: DateTime<Utc>,
}

/// How much there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Inventory {
    pub agents: i64,
    /// Memories that a recall can return.
    pub memories: i64,
    pub terms: i64,
    /// Memories that a decision on the vocabulary has not reached yet.
    pub recanonicalising: i64,
    pub documents: i64,
    /// Profiles: one for each person whom an agent knows.
    pub profiles: i64,
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
    /// How many memories the search may find, and how many of them are known to reach the floor; absent for the past.
    pub memories: Option<i64>,
    pub passed: Option<i64>,
    /// Whether more may reach it: those that are near in meaning are counted up to the number of scored ones.
    pub more: bool,
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Prompt {
    /// `recall`, `write` or `write_confirming`, `vocabulary`, `capture`
    pub name: String,
    pub title: String,
    pub version: u32,
    /// Markdown.
    pub text: String,
}

/// Answer of `GET /api/prompts`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PromptList {
    pub prompts: Vec<Prompt>,
}
