//! Requests about an existing memory: links, new content, history, drill-down.

use super::{
    AgentId, Category, FactorShare, MemoryEvidence, MemoryId, MemoryKind, MemoryLink, MemoryRef, MemoryScope, MemoryStatus, MemoryVersion,
    ProjectRef, Provenance, Relation, Retention, RetentionRule, Role, Source, SourceKind, SourceTag, Trust, UserId, UserRef,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::ops::Deref;
use uuid::Uuid;

/// Input of `agent_memory_link`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "from": "k3v9x2aq", "to": "p7m2c4td", "relation": "supports" }]))]
#[serde(deny_unknown_fields)]
pub struct LinkRequest {
    /// The memory that the sentence begins with (“this supersedes that”), by id.
    pub from: MemoryRef,
    /// The other memory.
    pub to: MemoryRef,
    /// How the first relates to the second.
    ///
    /// `supersedes`: the second is out of date, and recalls no longer find it. `contradicts`: recalls still find both, marked; it holds in
    /// both directions.
    pub relation: Relation,
    /// True: remove this link.
    ///
    /// Its effect on the status of the memories is undone.
    #[serde(default)]
    pub remove: bool,
    /// The person you are talking to.
    ///
    /// The memories must belong to that person or to nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// One end of a link, as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LinkEnd {
    pub memory_id: MemoryId,
    pub short_id: String,
    pub status: MemoryStatus,
}

/// Answer of `agent_memory_link`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LinkResponse {
    pub from: LinkEnd,
    pub to: LinkEnd,
    pub relation: Relation,
    /// False: nothing changed, because it was so before.
    pub changed: bool,
}

/// Input of `agent_memory_revise`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "memory": "k3v9x2aq", "content": "Vera prefers Zed." }]))]
#[serde(deny_unknown_fields)]
pub struct ReviseRequest {
    /// Its id, short or long.
    pub memory: MemoryRef,
    /// The whole new content.
    ///
    /// 1 byte to 16 KiB.
    #[schemars(length(min = 1))]
    pub content: String,
    /// Where that was said, if not by you now.
    ///
    /// Without it, new content is yours, stated now. The history keeps the source of the old content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// 0 to 1; unchanged by default.
    ///
    /// How sure you are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub confidence: Option<f32>,
    /// The content in short.
    ///
    /// The old summary is dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2000))]
    pub summary: Option<String>,
    /// Of a decision: why.
    ///
    /// Without it, the old rationale is kept only if the new content says the same as the old one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2000))]
    pub rationale: Option<String>,
    /// What supports it; unchanged by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1000))]
    pub evidence_ref: Option<String>,
    /// The person you are talking to.
    ///
    /// The memory must belong to that person or to nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// Answer of `agent_memory_revise`: old and new.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReviseResponse {
    pub memory_id: MemoryId,
    pub short_id: String,
    pub old_content: String,
    pub new_content: String,
    pub previous_version: i32,
    /// The same as `previous_version` if nothing changed.
    pub version: i32,
    /// True: it said exactly this before, and nothing else was new.
    pub unchanged: bool,
    /// `balance`: nothing is left to pay the embedding model, so the memory is found by its words only, and by meaning later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<String>,
}

/// Input of `upsert_profile_fact`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{
        "topic_raw": "time zone",
        "content": "Vera works in Europe/Zurich.",
        "source": { "platform": "slack" },
    }]))]
#[serde(deny_unknown_fields)]
pub struct ProfileFactRequest {
    /// The question that it answers: “preferred editor”.
    #[schemars(length(min = 1, max = 256))]
    pub topic_raw: String,
    /// The answer, as a sentence.
    ///
    /// 1 byte to 16 KiB.
    #[schemars(length(min = 1))]
    pub content: String,
    /// Where it was said.
    pub source: Source,
    /// Whose profile it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
    /// What supports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1000))]
    pub evidence_ref: Option<String>,
    /// 0 to 1; 1 by default.
    ///
    /// How sure you are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub confidence: Option<f32>,
    /// True: share it with every agent.
    ///
    /// Needs a key with the scope `commons:write`.
    #[serde(default)]
    pub commons: bool,
}

/// What every answer with a whole memory says of it. Its fields are those of [`MemoryRecord`] and of [`super::Hit`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MemoryFields {
    pub memory_id: MemoryId,
    pub short_id: String,
    /// The owner of the memory: an agent, or the commons.
    pub agent_id: AgentId,
    /// The agent that wrote it.
    pub created_by: AgentId,
    /// `private`, or `shared` for the commons.
    pub source_tag: SourceTag,
    /// `unreviewed` if it is shared and no person confirmed it, `captured` if somebody else said it.
    pub trust: Trust,
    pub provenance: Provenance,
    pub user_id: Option<UserId>,
    pub kind: MemoryKind,
    pub category: Option<Category>,
    /// Whom or what it is about.
    pub subject: Option<String>,
    pub retention: Retention,
    pub project_id: Option<Uuid>,
    pub repo_id: Option<Uuid>,
    pub session_id: Option<Uuid>,
    pub status: MemoryStatus,
    pub topic: String,
    pub topic_raw: String,
    pub is_canonical: bool,
    pub title: Option<String>,
    pub content: String,
    pub summary: Option<String>,
    /// Of a decision: why.
    #[serde(default)]
    pub rationale: Option<String>,
    /// Of a decision: what was rejected.
    #[serde(default)]
    pub alternatives: Vec<String>,
    pub source: Source,
    pub source_kind: SourceKind,
    /// `source` in one line: platform/channel/thread/message.
    pub source_ref: Option<String>,
    pub evidence_ref: Option<String>,
    /// How sure its author is, 0 to 1.
    pub confidence: f32,
    pub importance: f32,
    pub pinned: bool,
    pub version: i32,
    /// When it was said, if that is known; `created_at` otherwise.
    pub observed_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
    /// exp(−Δdays/90) since the last write, derived, never stored.
    pub freshness: f64,
}

/// Input of `agent_memory_list`, and the parameters of `GET /api/memories`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "topic": "invoices", "kind": "decision" }]))]
#[serde(deny_unknown_fields)]
pub struct ListMemoriesRequest {
    /// Part of the topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub topic: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<MemoryKind>,
    /// A project, by id or slug.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectRef>,
    /// The person you are talking to.
    ///
    /// The list holds their memories and those without a user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
    /// The `next` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub after: Option<String>,
}

/// A memory in a list of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ListedMemory {
    pub memory_id: MemoryId,
    pub short_id: String,
    pub topic: String,
    pub kind: MemoryKind,
    pub content: String,
    /// `reviewed` or `unreviewed` if it is shared, `captured` if somebody else said it.
    pub trust: Trust,
    pub provenance: Provenance,
    pub user_id: Option<UserId>,
    pub status: MemoryStatus,
    pub updated_at: DateTime<Utc>,
}

/// A memory in full, with its links and every state it was in: the answer of `GET /api/memories/{memory_id}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MemoryRecord {
    #[serde(flatten)]
    pub memory: MemoryFields,
    pub scope: MemoryScope,
    /// Of the text of an attachment: the name of the file.
    #[serde(default)]
    pub filename: Option<String>,
    /// Of the text of an attachment: the attachment's id in the system that it comes from.
    #[serde(default)]
    pub attachment_id: Option<String>,
    /// The importance after decay: importance · 0.95^(weeks since the last retrieval). Absent for memories that do not fade.
    #[serde(default)]
    pub decayed_importance: Option<f64>,
    /// Of a message: what its importance was computed from.
    #[serde(default)]
    pub importance_factors: Vec<FactorShare>,
    /// Of a message: the rule that chose its retention.
    #[serde(default)]
    pub retention_rule: Option<RetentionRule>,
    /// Of a message: who spoke.
    #[serde(default)]
    pub role: Option<Role>,
    /// Recalls that returned it and repetitions, together.
    pub access_count: i64,
    /// How many recalls returned it.
    #[serde(default)]
    pub recalled_count: i64,
    /// How often it was remembered again.
    #[serde(default)]
    pub remembered_count: i64,
    pub last_accessed_at: Option<DateTime<Utc>>,
    /// When it was archived: it faded, expired or made room. An operator can restore it.
    #[serde(default)]
    pub archived_at: Option<DateTime<Utc>>,
    pub deleted_at: Option<DateTime<Utc>>,
    /// The places in captured sources that it was extracted from, newest first, at most 20.
    #[serde(default)]
    pub quotes: Vec<MemoryEvidence>,
    /// Newest first.
    pub versions: Vec<MemoryVersion>,
    /// Newest first. Agents do not see links to memories that are forgotten or out of their reach.
    pub links: Vec<MemoryLink>,
}

/// What a record says of the memory is read as its own, as in JSON.
impl Deref for MemoryRecord {
    type Target = MemoryFields;

    fn deref(&self) -> &MemoryFields {
        &self.memory
    }
}

/// Two states of one memory, side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Comparison {
    pub memory_id: MemoryId,
    pub from: MemoryVersion,
    pub to: MemoryVersion,
    /// What differs: `content`, `topic`, `topic_raw`, `is_canonical`, `status`, `deleted`, `source`, and where both versions record them
    /// `title`, `summary`, `category`, `subject`, `confidence`.
    pub changed: Vec<String>,
}

/// Answer of `GET /api/memories/{memory_id}/versions`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum VersionsResponse {
    /// With `from` and `to`: those two versions.
    Compared(Box<Comparison>),
    /// Otherwise every version.
    All {
        /// Newest first.
        versions: Vec<MemoryVersion>,
    },
}
