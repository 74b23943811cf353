//! The record of a memory, as requests name it, answers return it and pages show it.

use super::text_enum::text_enum;
use super::{
    AgentId, ArchiveReason, AuditEntry, MemoryId, MemoryRecord, MemoryRef, ProjectRef, RetrievalId, StateFilter, SuggestionId, UserId,
    UserRef,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

text_enum! {
    /// What sort of thing is remembered.
    MemoryKind {
        Profile = "profile",
        Project = "project",
        Decision = "decision",
        Artifact = "artifact",
        Episode = "episode",
        TaskHint = "task_hint",
    }
}

text_enum! {
    /// A coarse heading for prompts.
    Category { Person = "person", Preference = "preference", Context = "context", Project = "project" }
}

text_enum! {
    /// How long a memory is kept in reach: it sets `expires_at`. The days are those of the lifecycle policy's defaults.
    Retention {
        /// 7 days.
        Routine = "routine",
        /// 30 days.
        Task = "task",
        /// 90 days.
        Decision = "decision",
        /// No end.
        Permanent = "permanent",
        /// 14 days.
        Error = "error",
    }
}

text_enum! {
    /// Where a memory applies. `agent` and `session` are always private; the others may be written to the commons.
    MemoryScope { Global = "global", Project = "project", Repo = "repo", Agent = "agent", Session = "session" }
}

text_enum! {
    /// The state of a memory in its life cycle.
    MemoryStatus {
        Inbox = "inbox",
        Active = "active",
        Superseded = "superseded",
        Contradicted = "contradicted",
        Archived = "archived",
    }
}

text_enum! {
    /// Who spoke, for episodes.
    Role { User = "user", Assistant = "assistant", System = "system", ToolResult = "tool_result" }
}

text_enum! {
    /// What a memory came from.
    SourceKind { Manual = "manual", Conversation = "conversation", Run = "run", Document = "document", Import = "import" }
}

text_enum! {
    /// How one memory relates to another.
    Relation {
        Supports = "supports",
        Contradicts = "contradicts",
        Supersedes = "supersedes",
        AppliesTo = "applies_to",
        DerivedFrom = "derived_from",
        RelatedTo = "related_to",
    }
}

impl Relation {
    /// The words between two memories, read from the one where the link starts (`outgoing`) or from the other.
    pub fn phrase(self, outgoing: bool) -> &'static str {
        match (self, outgoing) {
            (Self::Supports, true) => "supports",
            (Self::Supports, false) => "is supported by",
            (Self::Contradicts, _) => "contradicts",
            (Self::Supersedes, true) => "supersedes",
            (Self::Supersedes, false) => "is superseded by",
            (Self::AppliesTo, true) => "applies to",
            (Self::AppliesTo, false) => "is subject to",
            (Self::DerivedFrom, true) => "is derived from",
            (Self::DerivedFrom, false) => "gave rise to",
            (Self::RelatedTo, _) => "is related to",
        }
    }
}

/// Where something was said: enough to find the place again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// `slack`, `drive`, `email`, …
    #[schemars(length(min = 1, max = 64))]
    pub platform: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub channel_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub thread_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub message_id: Option<String>,
    /// The name of the speaker.
    ///
    /// Up to 200 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub speaker: Option<String>,
    /// When, if not now (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_at: Option<DateTime<Utc>>,
}

impl Source {
    /// The place as one line: platform/channel/thread/message.
    pub fn place(&self) -> Option<String> {
        let parts = [Some(self.platform.as_str()), self.channel_id.as_deref(), self.thread_id.as_deref(), self.message_id.as_deref()];
        let line = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
        (!line.is_empty()).then_some(line)
    }
}

/// Input of `agent_memory_remember`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{
        "topic_raw": "preferred editor",
        "content": "Vera prefers Helix.",
        "source": { "platform": "slack" },
    }]))]
#[serde(deny_unknown_fields)]
pub struct RememberRequest {
    /// What it is about, in a few words.
    #[schemars(length(min = 1, max = 256))]
    pub topic_raw: String,
    /// One fact, preference or decision, in its own words.
    ///
    /// 1 byte to 16 KiB.
    #[schemars(length(min = 1))]
    pub content: String,
    /// Where it was said.
    pub source: Source,
    /// The person it belongs to, if others must not learn it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
    /// `profile` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<MemoryKind>,
    /// `agent` (private) by default.
    ///
    /// Where it applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<MemoryScope>,
    /// An id or slug, with the scope `project`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectRef>,
    /// Required with the scope `repo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_id: Option<Uuid>,
    /// Required with the scope `session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Uuid>,
    /// `permanent` by default.
    ///
    /// How long it stays in reach: 7 days (`routine`), 14 (`error`), 30 (`task`), 90 (`decision`), or without end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention: Option<Retention>,
    /// 0 to 1; 1 by default.
    ///
    /// How sure you are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub confidence: Option<f32>,
    /// Show it in every prompt, under this heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// Whom or what it is about: a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub subject: Option<String>,
    /// A title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub title: Option<String>,
    /// The content in short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2000))]
    pub summary: Option<String>,
    /// Of a decision: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2000))]
    pub rationale: Option<String>,
    /// Of a decision: what was rejected.
    ///
    /// At most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<String>,
    /// What supports it: an address, a commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1000))]
    pub evidence_ref: Option<String>,
    /// `conversation` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_kind: Option<SourceKind>,
    /// 0 to 1; 1 by default.
    ///
    /// How much it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub importance: Option<f32>,
    /// True: it never expires and is never archived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// True: share it with every agent; the scope must be `global`, `project` or `repo`.
    ///
    /// Needs a key with the scope `commons:write`.
    #[serde(default)]
    pub commons: bool,
}

/// Answer of `agent_memory_remember`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RememberResponse {
    pub memory_id: MemoryId,
    /// Eight characters, unique for the agent; the form that prompts show.
    pub short_id: String,
    /// The canonical form of the topic, or the topic as given.
    pub topic: String,
    /// Whether the topic is in the vocabulary; if not, it was proposed for review.
    pub is_canonical: bool,
    /// True: a new version was stored, because the memory was known in other words, or because you gave more about it (title, summary,
    /// category, subject, confidence).
    pub was_update: bool,
    /// True: exactly this was known already; only its freshness changed.
    pub unchanged: bool,
    /// The version before this one, if it was an update.
    pub previous_version: Option<i32>,
    /// True: it is shared and waits in the inbox until a person confirms it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub awaits_review: bool,
    /// Secrets that were replaced by a marker before anything was stored: `API key`, `password`, …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<String>,
    /// Memories under the same topic that are near this one and say something else. They stay. If you meant to change one of them, call
    /// `agent_memory_revise` with its id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<SimilarMemory>,
    /// `balance`: nothing is left to pay the embedding model, so the memory is found by its words only, and by meaning later. `language`: the
    /// embedding model does not know the language, so the memory is found by its words only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<String>,
}

impl RememberResponse {
    /// The memories whose words are in it.
    pub fn memories(&self) -> Vec<MemoryId> {
        std::iter::once(self.memory_id).chain(self.similar.iter().map(|one| one.memory_id)).collect()
    }
}

/// A memory that is near another one and says something else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SimilarMemory {
    pub memory_id: MemoryId,
    pub short_id: String,
    /// What it says, shortened.
    pub content: String,
    /// What differs: `number`, `identifier`, `name`, `date`, `unit`, `negation`, `opposite`, `order`, `time`, `symbol` or `words`.
    pub differs: String,
}

/// Input of `agent_memory_forget`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "memory_id": "k3v9x2aq", "reason": "Vera asked for it." }]))]
#[serde(deny_unknown_fields)]
pub struct ForgetRequest {
    /// Its id, short or long.
    pub memory_id: MemoryRef,
    /// Why, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 500))]
    pub reason: Option<String>,
    /// The person you are talking to.
    ///
    /// The memory must belong to that person or to nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// Answer of `agent_memory_forget`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ForgetResponse {
    pub memory_id: MemoryId,
    /// When it was forgotten. If it was forgotten before, this is the earlier time.
    pub forgotten_at: DateTime<Utc>,
    pub already_forgotten: bool,
    /// Other memories within your reach that hold the same content, for example the shared copy. They stay: forget them, too, if the content
    /// must go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<MemoryId>,
}

/// One memory as lists show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryRow {
    pub id: MemoryId,
    pub short_id: String,
    pub agent_id: AgentId,
    pub agent_slug: String,
    pub user_id: Option<UserId>,
    pub kind: MemoryKind,
    pub scope: MemoryScope,
    pub status: MemoryStatus,
    pub topic: String,
    pub topic_raw: String,
    pub is_canonical: bool,
    pub content: String,
    pub source: Source,
    pub version: i32,
    /// How many recalls returned it.
    pub recalled_count: i64,
    /// How often it was remembered again.
    pub remembered_count: i64,
    pub created_at: DateTime<Utc>,
    /// When the content was last written or remembered again.
    pub updated_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
    pub archived_at: Option<DateTime<Utc>>,
    pub deleted_at: Option<DateTime<Utc>>,
    pub deleted_by: Option<String>,
    pub delete_reason: Option<String>,
}

/// What the memories page asks for; an absent field does not filter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemoryFilter {
    pub agent_id: Option<AgentId>,
    /// A question, answered by the retrieval that agents use.
    pub q: Option<String>,
    /// Part of the topic or of the topic as met, without regard to case.
    pub topic: Option<String>,
    pub canonical: Option<bool>,
    pub kind: Option<MemoryKind>,
    pub category: Option<Category>,
    pub scope: Option<MemoryScope>,
    pub status: Option<MemoryStatus>,
    /// True: only live shared memories whose present content no person confirmed.
    pub unreviewed: Option<bool>,
    pub project_id: Option<Uuid>,
    /// A session, by the name that its agent gave it or by its id.
    pub session: Option<String>,
    pub platform: Option<String>,
    pub channel: Option<String>,
    /// Whose memories: an id, a reference or a name.
    pub user_id: Option<UserRef>,
    /// Updated at or after.
    pub from: Option<DateTime<Utc>>,
    /// Updated before.
    pub until: Option<DateTime<Utc>>,
    /// Absent: live and past ones that are not deleted; true: only deleted ones.
    pub deleted: Option<bool>,
    /// `all`: archived and deleted ones and candidates, too, unless another field leaves them out.
    pub state: Option<StateFilter>,
    pub after: Option<String>,
    pub before: Option<String>,
    /// True: in the reverse of the usual order. The console sets it, no request has it.
    #[serde(skip)]
    pub reversed: bool,
}

impl MemoryFilter {
    /// Whether anything but the agent narrows it.
    pub fn narrows(&self) -> bool {
        let Self { agent_id, q, after, before, reversed, .. } = self.clone();
        *self != Self { agent_id, q, after, before, reversed, ..Self::default() }
    }
}

/// A state that a memory has been in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema, sqlx::FromRow)]
pub struct MemoryVersion {
    /// The number of the version. It starts at 1 and rises with every change of state.
    pub version: i32,
    /// `created`, `revised`, `amended`, `forgotten`, `restored`, `recanonicalised`, `superseded`, `contradicted`, `reinstated`,
    /// `proposed`, `promoted`, `reviewed`, `returned`, `archived`
    pub change: String,
    pub content: String,
    pub topic: String,
    pub topic_raw: String,
    pub is_canonical: bool,
    pub status: MemoryStatus,
    pub deleted: bool,
    /// Absent in versions from before it was recorded.
    pub kind: Option<MemoryKind>,
    pub valid_from: DateTime<Utc>,
    pub actor_kind: String,
    pub actor_name: String,
    /// Where the change came from.
    #[sqlx(json)]
    pub source: Source,
    pub title: Option<String>,
    pub summary: Option<String>,
    pub category: Option<Category>,
    pub subject: Option<String>,
    pub rationale: Option<String>,
    /// What was rejected. Absent in versions from before rationale and alternatives were recorded.
    pub alternatives: Option<Vec<String>>,
    /// Absent in versions from before confidence, title, summary, category and subject were recorded.
    pub confidence: Option<f32>,
}

/// A memory that has changed since a person saw it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangedMemory {
    pub memory_id: MemoryId,
    pub short_id: String,
    /// As the person saw it.
    pub then: MemoryVersion,
    pub now: MemoryVersion,
}

/// A link from or to a memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MemoryLink {
    pub relation: Relation,
    /// True: from this memory to the other.
    pub outgoing: bool,
    pub other_id: MemoryId,
    pub other_short_id: String,
    pub other_topic: String,
    /// The first 300 characters of the other memory.
    pub other_content: String,
    pub other_status: MemoryStatus,
    /// Whether the other memory was forgotten.
    pub other_deleted: bool,
    /// Where the other memory was said.
    pub other_source: Source,
    pub other_updated_at: DateTime<Utc>,
    pub created_at: DateTime<Utc>,
}

/// A memory's page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryDetail {
    pub memory: MemoryRow,
    pub record: MemoryRecord,
    /// Further topics, under which the same content was remembered.
    pub further_topics: Vec<String>,
    /// When it was last stated: said, or remembered again. Rankings count its age from then.
    pub stated_at: DateTime<Utc>,
    pub archive_reason: Option<ArchiveReason>,
    pub content_hash: String,
    /// Names of the models whose vector of this content is stored; empty while the embedding is late.
    pub embedded_by: Vec<String>,
    /// The accepted suggestions that a reviewer can undo, each with the other memory.
    pub decided: Vec<(MemoryId, SuggestionId)>,
    /// Newest first, at most 50.
    pub audit: Vec<AuditEntry>,
}

/// A recall that returned a memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryRecall {
    pub retrieval_id: RetrievalId,
    pub agent_slug: String,
    pub query: String,
    pub at: DateTime<Utc>,
    /// The memory's place in the answer, from 1.
    pub rank: u32,
}

/// The recalls that returned a memory, as far back as the log is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryRecalls {
    pub total: i64,
    /// Newest first, at most 10.
    pub latest: Vec<MemoryRecall>,
}

/// What a bulk action did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BulkOutcome {
    /// Changed now.
    pub changed: Vec<MemoryId>,
    /// Were in that state before.
    pub unchanged: Vec<MemoryId>,
    /// The changed ones whose change can be undone: a memory that was archived is not archived again.
    pub undoable: Vec<MemoryId>,
    /// When they changed. An undo passes it to name this change.
    pub at: DateTime<Utc>,
}

impl BulkOutcome {
    /// An empty outcome of a change at `at`.
    pub fn at(at: DateTime<Utc>) -> Self {
        Self { changed: vec![], unchanged: vec![], undoable: vec![], at }
    }
}
