//! The inbox: candidates that extraction found, beside the sentences that they come from, and what people decide about them.

use super::text_enum::text_enum;
use super::{
    AgentId, Category, ErasureId, EventId, MemoryId, MemoryKind, MemoryRef, MemoryScope, MemoryStatus, ProjectRef, QuarantineId, SourceId,
    SuggestionId, UserId, UserRef,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A place in a source that a memory was extracted from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, sqlx::FromRow)]
pub struct MemoryEvidence {
    pub source_id: SourceId,
    /// The source's title.
    pub source_title: String,
    pub speaker: Option<String>,
    pub observed_at: Option<DateTime<Utc>>,
    /// Where it begins and ends in the source's text, in bytes of UTF-8.
    pub starts: i32,
    pub ends: i32,
    /// Exactly that text.
    pub quote: String,
}

/// Evidence with the text around it, for a person who decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InboxQuote {
    pub evidence: MemoryEvidence,
    /// The text before and after, a few words each; empty at the ends.
    pub before: String,
    pub after: String,
}

text_enum! {
    /// What became of a turn in quarantine.
    QuarantineState { Waiting = "waiting", Released = "released", Dismissed = "dismissed" }
}

text_enum! {
    /// What a suggestion says of two memories: "the first … the second".
    SuggestionRelation {
        /// Both say the same.
        Duplicates = "duplicates",
        /// Both cannot be true.
        Contradicts = "contradicts",
        /// The first corrects the second.
        Supersedes = "supersedes",
    }
}

/// A suggestion about two memories, seen from one of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InboxSuggestion {
    pub id: SuggestionId,
    pub relation: SuggestionRelation,
    /// True: the memory that is looked at is the first of the sentence.
    pub outgoing: bool,
    /// Why it is suggested, in a sentence.
    pub reason: String,
    pub other_id: MemoryId,
    pub other_short_id: String,
    pub other_version: i32,
    pub other_content: String,
    pub other_status: MemoryStatus,
    /// The newest place that says it, if there is one.
    pub other_quote: Option<MemoryEvidence>,
}

/// Suggestions that may wait, of all agents or of the one that is compared. More would help nobody.
pub const SUGGESTIONS_MAX: i64 = 500;

/// Which suggestions the console lists; an absent field does not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SuggestionFilter {
    pub agent_id: Option<AgentId>,
    pub after: Option<String>,
}

/// A suggestion of a survey about two active memories: "the first … the second".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    pub id: SuggestionId,
    pub agent_id: AgentId,
    pub agent_slug: String,
    pub relation: SuggestionRelation,
    /// Why it is suggested, in a sentence.
    pub reason: String,
    pub created_at: DateTime<Utc>,
    pub from: SuggestedMemory,
    pub to: SuggestedMemory,
}

/// One of the two memories of a suggestion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuggestedMemory {
    pub id: MemoryId,
    pub short_id: String,
    pub version: i32,
    pub content: String,
    pub said_at: DateTime<Utc>,
    /// The newest place that says it, if it was extracted.
    pub quote: Option<MemoryEvidence>,
}

/// A candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InboxItem {
    pub id: MemoryId,
    pub short_id: String,
    /// The version of its text: a decision names it.
    pub version: i32,
    pub agent_id: AgentId,
    pub agent_slug: String,
    pub user_id: Option<UserId>,
    pub kind: MemoryKind,
    pub category: Option<Category>,
    pub subject: Option<String>,
    pub scope: MemoryScope,
    pub project_id: Option<Uuid>,
    /// The proposed topic, and whether the vocabulary knows it.
    pub topic: String,
    pub is_canonical: bool,
    pub content: String,
    pub rationale: Option<String>,
    pub alternatives: Vec<String>,
    pub confidence: f32,
    pub importance: f32,
    pub observed_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    /// `inbox`, or what a decision made of it.
    pub status: MemoryStatus,
    pub deleted: bool,
    /// Newest first; at least one for everything that was extracted, unless its source was erased.
    pub quotes: Vec<InboxQuote>,
    /// The request that erased a source that it quoted, or turns of it.
    pub erased_by: Option<ErasureId>,
    pub pairs: Vec<InboxSuggestion>,
}

/// How much waits for a person, each counted like the list that shows it, up to [`super::TOTAL_MAX`] and one more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewNumbers {
    /// Candidates in the inbox.
    pub candidates: i64,
    /// Open proposals of terms.
    pub terms: i64,
    /// Open suggestions about two active memories.
    pub suggestions: i64,
    /// Memories that contradict another one, until a person says which of them is right.
    pub contradicted: i64,
    /// Turns in quarantine.
    pub quarantined: i64,
    /// Shared memories that no person confirmed.
    pub shared: i64,
}

/// What the inbox shows, oldest candidate first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InboxFilter {
    pub agent_id: Option<AgentId>,
    pub kind: Option<MemoryKind>,
    pub source_id: Option<SourceId>,
    /// True: only candidates that contradict or correct another memory.
    pub disputed: Option<bool>,
    /// A part of the content or topic.
    pub q: Option<String>,
    pub after: Option<String>,
    pub before: Option<String>,
    /// True: in the reverse of the usual order. The console sets it, no request has it.
    #[serde(skip)]
    pub reversed: bool,
}

/// What a person decides about candidates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum InboxVerdict {
    /// It becomes durable, as it is or edited.
    Confirm(InboxEdit),
    /// It is forgotten, and the same text never brings it back.
    Reject { reason: String },
    /// Another memory says it already and gets its evidence.
    Merge { into: MemoryId },
    /// An earlier decision is undone: it waits again.
    Undo,
}

impl InboxVerdict {
    /// Confirms candidates as they are.
    pub fn confirm() -> Self {
        Self::Confirm(InboxEdit::default())
    }
}

/// What a person changes about candidates when confirming them. An absent field stays as it was proposed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InboxEdit {
    /// A new text, for one candidate at a time. Agents then read it as the words of the reviewer.
    pub content: Option<String>,
    pub kind: Option<MemoryKind>,
    pub topic: Option<String>,
    pub scope: Option<MemoryScope>,
    pub project_id: Option<Uuid>,
    /// Whether all agents of the organisation read it; absent: as the policy says.
    pub share: Option<bool>,
}

/// What a decision did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InboxOutcome {
    /// Candidates that changed.
    pub changed: Vec<MemoryId>,
    /// Of those, the ones that an active memory said already: they were merged into it.
    pub merged: Vec<MemoryId>,
    /// Candidates that did not change, because they were decided already.
    pub unchanged: Vec<MemoryId>,
    /// Topics that the vocabulary does not know and that are proposed for review.
    pub new_topics: Vec<String>,
    /// Candidates that contradict an active memory.
    pub disputed: Vec<MemoryId>,
    /// Of the changed ones, those that all agents read now.
    #[serde(default)]
    pub shared: Vec<MemoryId>,
}

/// A turn in quarantine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuarantineItem {
    pub id: QuarantineId,
    pub agent_id: AgentId,
    pub agent_slug: String,
    pub source_id: SourceId,
    pub source_title: String,
    pub quote: String,
    /// Why it is here, in sentences.
    pub reasons: Vec<String>,
    pub created_at: DateTime<Utc>,
}

/// Input of `ingest`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "memory_input": { "topic_raw": "release day", "content": "The team releases on Thursdays.", "kind": "project" } }]))]
#[serde(deny_unknown_fields)]
pub struct IngestMemoryRequest {
    pub memory_input: MemoryInput,
    /// The person it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// A memory that somebody should review.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryInput {
    /// What it is about, in a few words.
    #[schemars(length(min = 1, max = 256))]
    pub topic_raw: String,
    /// One fact that can be understood alone.
    ///
    /// 1 byte to 16 KiB.
    #[schemars(length(min = 1))]
    pub content: String,
    /// `profile` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<MemoryKind>,
    /// `agent` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<MemoryScope>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_id: Option<Uuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Uuid>,
    /// Of a decision: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2000))]
    pub rationale: Option<String>,
    /// Of a decision: what was rejected.
    #[serde(default)]
    pub alternatives: Vec<String>,
    /// 0 to 1; 1 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub confidence: Option<f32>,
}

/// Input of `consolidate`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "inbox_items": ["k3v9x2aq"] }]))]
#[serde(deny_unknown_fields)]
pub struct ConsolidateRequest {
    /// Candidates, by id; at most 100.
    pub inbox_items: Vec<MemoryRef>,
    /// The person you are talking to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// Answer of `ingest` and `consolidate`: the work is queued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct QueuedResponse {
    pub event_id: EventId,
}
