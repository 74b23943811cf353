//! A memory to be written, and the key under which it may be one that is there.

use super::{Memory, Owner, stated, wording};
use chrono::{DateTime, Utc};
use db::lock_key;
use std::borrow::Cow;
use uuid::Uuid;
use wire::{
    AgentId, Category, FactorShare, LifecyclePolicy, MemoryKind, MemoryScope, Retention, RetentionRule, Role, Source, SourceId, SourceKind,
    Trust, UserId,
};
use words::normal;

/// Two memories with equal keys may be the same one. Topics are equal if their normal forms are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DedupKey {
    pub agent_id: AgentId,
    pub user_id: Option<UserId>,
    pub kind: MemoryKind,
    pub scope: MemoryScope,
    pub project_id: Option<Uuid>,
    pub repo_id: Option<Uuid>,
    pub session_id: Option<Uuid>,
    pub connection_id: Option<Uuid>,
    pub topic: String,
}

impl DedupKey {
    /// Whose memory it is.
    pub fn owner(&self) -> Owner {
        Owner { agent_id: self.agent_id, user_id: self.user_id }
    }

    /// The normal form of the topic.
    pub fn topic_key(&self) -> String {
        normal(&self.topic)
    }

    /// The advisory lock that serialises all callers who remember under this key.
    pub fn lock(&self) -> i64 {
        self.lock_with(b"memory", self.topic_key().as_bytes())
    }

    /// The lock of the key, and the one that serialises all callers who remember this content under any topic.
    pub fn locks(&self, content_hash: &[u8]) -> [i64; 2] {
        [self.lock(), self.lock_with(b"content", content_hash)]
    }

    fn lock_with(&self, what: &[u8], value: &[u8]) -> i64 {
        let id = |id: Option<Uuid>| id.map_or([0; 16], Uuid::into_bytes);
        lock_key(&[
            what,
            self.agent_id.0.as_bytes(),
            &id(self.user_id.map(|user| user.0)),
            self.kind.as_str().as_bytes(),
            self.scope.as_str().as_bytes(),
            &id(self.project_id),
            &id(self.repo_id),
            &id(self.session_id),
            &id(self.connection_id),
            value,
        ])
    }
}

/// A memory to be written.
#[derive(Clone, Debug)]
pub struct Draft {
    /// It waits in the inbox for a person instead of becoming active.
    pub review: bool,
    /// A text of it may carry instructions for an agent: it is stored as somebody else's words, never as the agent's own.
    pub suspicious: bool,
    pub key: DedupKey,
    pub created_by: AgentId,
    pub topic_raw: String,
    pub is_canonical: bool,
    pub vocabulary_version: i64,
    pub content: String,
    pub content_hash: Vec<u8>,
    pub source: Source,
    /// Where this change comes from, if from elsewhere than the words.
    pub origin: Option<Source>,
    pub source_kind: SourceKind,
    pub retention: Retention,
    /// How the memories of its agent age.
    pub lifecycle: LifecyclePolicy,
    pub details: Details,
}

/// The fields of a memory besides its content. When a memory gets new content, absent ones stay as they were.
#[derive(Clone, Debug, Default)]
pub struct Details {
    pub category: Option<Category>,
    pub subject: Option<String>,
    /// Belongs to this content, as rationale and alternatives do: if it is absent, an older one stays only if the content says the same.
    pub title: Option<String>,
    /// Belongs to this content: if it is absent, an older one is dropped.
    pub summary: Option<String>,
    /// If it is absent, new content has the confidence 1.
    pub confidence: Option<f32>,
    pub evidence_ref: Option<String>,
    /// Of decisions: why.
    pub rationale: Option<String>,
    /// Of decisions: what was rejected.
    pub alternatives: Option<Vec<String>>,
    pub importance: Option<f32>,
    pub pinned: Option<bool>,
    /// A person has one per topic.
    pub profile_fact: bool,
    /// What it was extracted from.
    pub source_id: Option<SourceId>,
    /// Of what an attachment says: the name of its file, and its id in the system that it comes from.
    pub filename: Option<String>,
    pub attachment_id: Option<String>,
    /// Of a message: who spoke. An agent that rewords one is the assistant from then on.
    pub role: Option<Role>,
    /// Of a message: the rule that chose its retention.
    pub retention_rule: Option<RetentionRule>,
    /// Of a message: what its importance was computed from.
    pub importance_factors: Option<Vec<FactorShare>>,
}

impl Details {
    /// The fields that they change in a memory whose content stays, and that others read.
    pub fn amendments(&self, memory: &Memory) -> Vec<&'static str> {
        let new = |told: &Option<String>, known: &Option<String>| told.is_some() && told != known;
        let fields = [
            ("category", self.category.is_some() && self.category != memory.category),
            ("subject", new(&self.subject, &memory.subject)),
            ("title", new(&self.title, &memory.title)),
            ("summary", new(&self.summary, &memory.summary)),
            ("confidence", self.confidence.is_some_and(|confidence| confidence != memory.confidence)),
            ("evidence_ref", new(&self.evidence_ref, &memory.evidence_ref)),
            ("rationale", new(&self.rationale, &memory.rationale)),
            ("alternatives", self.alternatives.is_some() && self.alternatives != memory.alternatives),
        ];
        fields.into_iter().filter(|(_, differs)| *differs).map(|(field, _)| field).collect()
    }
}

impl Draft {
    /// Whether it is an episode that may fade and is counted towards the agent's limit.
    pub fn fades(&self) -> bool {
        self.key.kind == MemoryKind::Episode && self.retention != Retention::Permanent && !self.details.pinned.unwrap_or(false)
    }

    /// Whose words it holds. What an agent rewords becomes its own; a message, a document and what was extracted from a source stay somebody
    /// else's.
    pub fn trust(&self) -> Trust {
        let is_message = matches!(self.details.role, Some(Role::User | Role::System | Role::ToolResult));
        let is_read = matches!(self.source_kind, SourceKind::Document | SourceKind::Run);
        let is_captured = self.suspicious || is_message || is_read || self.details.source_id.is_some();
        if is_captured { Trust::Captured } else { Trust::Own }
    }

    /// The text whose words are indexed, besides the topic.
    pub fn wording(&self) -> Cow<'_, str> {
        wording(&self.content, self.details.title.as_deref(), self.details.summary.as_deref())
    }

    /// The locks of its key and of its content.
    pub fn locks(&self) -> [i64; 2] {
        self.key.locks(&self.content_hash)
    }

    /// Whether it brings a text that a memory with the same content does not have.
    pub fn adds_to(&self, memory: &Memory) -> bool {
        let is_text = |field: &&str| !["category", "confidence"].contains(field);
        self.details.amendments(memory).iter().any(is_text) || (self.suspicious && normal(&self.key.topic) != normal(&memory.topic))
    }

    /// When it was stated, if it is stored `now`.
    pub fn stated_at(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        stated(self.source.observed_at, now)
    }
}
