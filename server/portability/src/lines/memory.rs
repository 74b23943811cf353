//! Lines of memory: sources, memories and their history.

use super::record::record;
use super::{ACTOR_KINDS, ENTRIES_MAX, NAME_MAX, Owner, Record, SOURCE_MAX, WORD_MAX, home, json, payload};
use crate::values::{Hash, Share, Stamp};
use extract::parts::StoredTurn;
use foundation::Checks;
use remembrancer::memories::check_source;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;
use wire::{
    ALTERNATIVES_MAX, AgentId, ArchiveReason, CONTENT_MAX, Category, EVIDENCE_MAX, EventId, FILENAME_MAX, FactorShare, MemoryId,
    MemoryKind, MemoryScope, MemoryStatus, RATIONALE_MAX, REASON_MAX, Relation, Retention, RetentionRule, Role, SUBJECT_MAX, SUMMARY_MAX,
    Source, SourceForm, SourceKind, TITLE_MAX, TOPIC_MAX, UserId,
};

/// The kinds of events that a file may hold.
pub const EVENT_KINDS: [&str; 4] = ["manual_write", "session_close", "conversation_capture", "observation"];
/// The states that an event in a file may have; one that was running is written as pending.
const EVENT_STATES: [&str; 4] = ["pending", "done", "failed", "dead"];
/// Longest error of an event, in characters.
const ERROR_MAX: usize = 10_000;
/// Highest version of a memory, and highest access count: numbers that can still grow.
const VERSION_MAX: i32 = 1_000_000;
const ACCESSES_MAX: i64 = 1_000_000_000_000;

/// What a memory came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct SourceLine {
    pub agent_id: AgentId,
    pub id: Uuid,
    pub user_id: Option<UserId>,
    pub kind: SourceKind,
    pub reference: String,
    pub content: Option<String>,
    pub metadata: Value,
    pub created_at: Stamp,
    #[serde(default = "note")]
    pub form: SourceForm,
    pub title: Option<String>,
    pub filename: Option<String>,
    pub attachment_id: Option<String>,
    pub session_id: Option<Uuid>,
    pub connection_id: Option<Uuid>,
    /// The first part of a source that was split.
    pub whole_id: Option<Uuid>,
    #[serde(default = "one")]
    pub part: i32,
    #[serde(default = "one")]
    pub parts: i32,
    /// Who says what from which byte to which; absent: it is read again when the source is captured.
    pub turns: Option<Value>,
}

fn note() -> SourceForm {
    SourceForm::Note
}

fn one() -> i32 {
    1
}

/// The current state of a memory. Derived values (hash of the content, normal form, words, vectors) are left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct MemoryLine {
    pub agent_id: AgentId,
    pub id: MemoryId,
    pub short_id: String,
    pub created_by: AgentId,
    pub user_id: Option<UserId>,
    pub kind: MemoryKind,
    pub category: Option<Category>,
    pub subject: Option<String>,
    pub retention: Retention,
    pub scope: MemoryScope,
    pub project_id: Option<Uuid>,
    pub repo_id: Option<Uuid>,
    pub session_id: Option<Uuid>,
    pub connection_id: Option<Uuid>,
    pub status: MemoryStatus,
    pub topic: String,
    pub topic_raw: String,
    pub is_canonical: bool,
    pub title: Option<String>,
    pub content: String,
    pub summary: Option<String>,
    pub rationale: Option<String>,
    pub alternatives: Option<Vec<String>>,
    pub role: Option<Role>,
    pub source: Json<Source>,
    pub source_kind: SourceKind,
    pub source_id: Option<Uuid>,
    pub evidence_ref: Option<String>,
    pub context_type: Option<String>,
    pub tool_id: Option<Uuid>,
    pub attachment_id: Option<String>,
    pub filename: Option<String>,
    pub confidence: Share,
    pub importance: Share,
    pub pinned: bool,
    pub version: i32,
    pub access_count: i64,
    pub recalled_count: Option<i64>,
    pub remembered_count: Option<i64>,
    pub last_accessed_at: Option<Stamp>,
    pub observed_at: Option<Stamp>,
    pub created_at: Stamp,
    pub updated_at: Stamp,
    /// When it was last stated; absent in older files: when it was said, or else last written.
    pub stated_at: Option<Stamp>,
    pub speaker_kind: Option<String>,
    pub confirmed_by: Option<String>,
    pub confirmed_at: Option<Stamp>,
    pub trust: Option<String>,
    pub expires_at: Option<Stamp>,
    pub archived_at: Option<Stamp>,
    pub deleted_at: Option<Stamp>,
    pub deleted_by: Option<String>,
    pub delete_reason: Option<String>,
    pub profile_fact: bool,
    /// Of a message: the rule that chose its retention.
    pub retention_rule: Option<RetentionRule>,
    /// Of a message: what its importance was computed from, as `[{factor, weight, words}]`.
    pub importance_factors: Option<Value>,
    pub archive_reason: Option<ArchiveReason>,
    /// Further topics, under which the same content was remembered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[sqlx(json)]
    pub topics: Vec<FurtherTopic>,
}

/// A further topic of a memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FurtherTopic {
    pub topic: String,
    pub topic_raw: String,
    pub is_canonical: bool,
    pub created_at: Stamp,
}

impl MemoryLine {
    /// Whether it can be found: the table's own rule.
    pub fn live(&self) -> bool {
        matches!(self.status, MemoryStatus::Active | MemoryStatus::Contradicted) && self.deleted_at.is_none() && self.archived_at.is_none()
    }
}

/// A state that a memory has been in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct VersionLine {
    pub agent_id: AgentId,
    pub memory_id: MemoryId,
    pub version: i32,
    pub change: String,
    pub content: String,
    pub topic: String,
    pub topic_raw: String,
    pub is_canonical: bool,
    pub status: MemoryStatus,
    pub deleted: bool,
    /// Absent, as scope and retention: not known.
    pub kind: Option<MemoryKind>,
    pub scope: Option<MemoryScope>,
    pub project_id: Option<Uuid>,
    pub retention: Option<Retention>,
    pub updated_at: Stamp,
    pub valid_from: Stamp,
    pub actor_kind: String,
    pub actor_id: String,
    pub actor_name: String,
    /// Where the change came from.
    pub source: Json<Source>,
    /// Where the memory was said, if that is another place.
    pub provenance: Option<Json<Source>>,
    pub title: Option<String>,
    pub summary: Option<String>,
    pub category: Option<Category>,
    pub subject: Option<String>,
    pub rationale: Option<String>,
    /// Absent: rationale and alternatives of this version are not known.
    pub alternatives: Option<Vec<String>>,
    /// Absent: title, summary, category, subject, confidence and `observed_at` of this version are not known.
    pub confidence: Option<Share>,
    pub observed_at: Option<Stamp>,
    /// Since when it counted as stated.
    pub stated_at: Option<Stamp>,
}

/// How one memory relates to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct LinkLine {
    pub agent_id: AgentId,
    pub from_id: MemoryId,
    pub to_id: MemoryId,
    pub relation: Relation,
    pub created_at: Stamp,
    /// The name of its creator.
    pub created_by: String,
}

/// The hash and the source of a forgotten content; an extraction must not store it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct TombstoneLine {
    pub agent_id: AgentId,
    pub memory_id: MemoryId,
    pub content_hash: Hash,
    pub user_id: Option<UserId>,
    pub source: Json<Source>,
    pub created_at: Stamp,
}

/// One step in which memory was captured. Leases and the server's own jobs are left out: they belong to a process, not to the record. An
/// imported event is history: no worker claims it in any state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct EventLine {
    pub agent_id: AgentId,
    pub id: EventId,
    pub user_id: Option<UserId>,
    pub kind: String,
    pub task: String,
    pub payload: Value,
    pub source_id: Option<Uuid>,
    pub state: String,
    pub attempt: i32,
    pub run_after: Stamp,
    pub error: Option<String>,
    pub outcome: Option<Value>,
    pub created_at: Stamp,
    pub finished_at: Option<Stamp>,
    pub event_type: Option<String>,
    pub source_metadata: Option<Value>,
    pub session_id: Option<Uuid>,
    pub connection_id: Option<Uuid>,
    pub requested_scope: Option<String>,
    pub processed_at: Option<Stamp>,
}

impl Record for SourceLine {
    record! {
        Source in "sources", of_users: true, by: [id], author: none, derived: none,
        owner: |it| Owner::User(it.agent_id, it.user_id, Some(it.created_at)), needs: |_| [],
    }

    fn check(&self, checks: &mut Checks) {
        let content = self.content.as_deref().unwrap_or_default();
        checks
            .text("reference", &self.reference, EVIDENCE_MAX)
            .that(content.len() <= SOURCE_MAX, "content", format!("has {} bytes; at most {SOURCE_MAX} are allowed", content.len()))
            .that(self.metadata.is_object(), "metadata", "must be an object");
        json(checks, "metadata", &self.metadata);
        let turns = self.turns.clone().unwrap_or_else(|| Value::Array(Vec::new()));
        checks
            .optional_text("title", self.title.as_deref(), TITLE_MAX)
            .optional_text("filename", self.filename.as_deref(), FILENAME_MAX)
            .optional_text("attachment_id", self.attachment_id.as_deref(), FILENAME_MAX)
            .that(self.part >= 1 && self.part <= self.parts, "part", "must be from 1 to parts")
            .that(serde_json::from_value::<Vec<StoredTurn>>(turns).is_ok(), "turns", "must be a list of turns");
    }
}

impl Record for VersionLine {
    record! {
        Version in "agent_memory_versions", of_users: true, by: [memory_id, version],
        author: { |it, id, slug| actor_kind = "agent".into(), actor_id = id.to_string(), actor_name = slug.to_owned() }, derived: none,
        owner: |it| Owner::Agent(it.agent_id), needs: |it| [("home", home(it.agent_id, it.memory_id))],
    }

    fn check(&self, checks: &mut Checks) {
        version_number(checks, self.version)
            .text("change", &self.change, WORD_MAX)
            .bytes("content", &self.content, CONTENT_MAX)
            .text("topic", &self.topic, TOPIC_MAX)
            .text("topic_raw", &self.topic_raw, TOPIC_MAX)
            .that(ACTOR_KINDS.contains(&self.actor_kind.as_str()), "actor_kind", format!("must be one of {}", ACTOR_KINDS.join(", ")))
            .limit("actor_id", &self.actor_id, WORD_MAX)
            .text("actor_name", &self.actor_name, NAME_MAX)
            .optional_text("title", self.title.as_deref(), TITLE_MAX)
            .optional_text("summary", self.summary.as_deref(), SUMMARY_MAX)
            .optional_text("subject", self.subject.as_deref(), SUBJECT_MAX);
        check_reasons(checks, self.rationale.as_deref(), self.alternatives.as_deref());
        check_source(checks, &self.source);
        if let Some(provenance) = &self.provenance {
            check_source(checks, provenance);
        }
    }
}

impl Record for LinkLine {
    record! {
        Link in "memory_links", of_users: true, by: [from_id, to_id, relation], author: [created_by], derived: none,
        owner: |it| Owner::Agent(it.agent_id), needs: |it| [it.from_id, it.to_id].map(|id| ("memory", id.to_string())),
    }

    fn check(&self, checks: &mut Checks) {
        checks.that(self.from_id != self.to_id, "to_id", "must not be the same memory as from_id").text(
            "created_by",
            &self.created_by,
            NAME_MAX,
        );
    }
}

impl Record for EventLine {
    record! {
        Event in "events", of_users: true, by: [id], author: none, derived: { |it| recorded_state = it.state.clone() },
        owner: |it| Owner::User(it.agent_id, it.user_id, Some(it.created_at)), needs: |_| [],
    }

    fn check(&self, checks: &mut Checks) {
        checks
            .that(EVENT_KINDS.contains(&self.kind.as_str()), "kind", format!("must be one of {}", EVENT_KINDS.join(", ")))
            .that(EVENT_STATES.contains(&self.state.as_str()), "state", format!("must be one of {}", EVENT_STATES.join(", ")))
            .that(self.attempt >= 0, "attempt", "must not be negative")
            .text("task", &self.task, WORD_MAX)
            .limit("error", self.error.as_deref().unwrap_or_default(), ERROR_MAX);
        checks.optional_text("event_type", self.event_type.as_deref(), WORD_MAX).optional_text(
            "requested_scope",
            self.requested_scope.as_deref(),
            WORD_MAX,
        );
        payload(checks, "source_metadata", self.source_metadata.as_ref().unwrap_or(&Value::Null));
        payload(checks, "payload", &self.payload);
        payload(checks, "outcome", self.outcome.as_ref().unwrap_or(&Value::Null));
    }
}

impl Record for TombstoneLine {
    record! {
        Tombstone in "tombstones", of_users: true, by: [memory_id], author: none, derived: none,
        owner: |it| Owner::User(it.agent_id, it.user_id, Some(it.created_at)), needs: |it| [("home", home(it.agent_id, it.memory_id))],
    }

    fn check(&self, checks: &mut Checks) {
        check_source(checks, &self.source);
    }
}

impl Record for MemoryLine {
    record! {
        Memory in "agent_memories", of_users: true, by: [id],
        author: {
            // Only a person confirms.
            |it, id, slug| created_by = id, deleted_by = it.deleted_at.map(|_| slug.to_owned()), confirmed_by = None, confirmed_at = None
        },
        derived: none,
        owner: |it| Owner::User(it.agent_id, it.user_id, Some(it.created_at)), needs: |_| [],
    }

    fn check(&self, checks: &mut Checks) {
        let short = self.short_id.len() == 8 && self.short_id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        version_number(checks, self.version)
            .that(short, "short_id", "must be 8 of A–Z, a–z and 0–9")
            .text("topic", &self.topic, TOPIC_MAX)
            .text("topic_raw", &self.topic_raw, TOPIC_MAX)
            .bytes("content", &self.content, CONTENT_MAX)
            .optional_text("subject", self.subject.as_deref(), SUBJECT_MAX)
            .optional_text("title", self.title.as_deref(), TITLE_MAX)
            .optional_text("summary", self.summary.as_deref(), SUMMARY_MAX)
            .optional_text("evidence_ref", self.evidence_ref.as_deref(), EVIDENCE_MAX)
            .optional_text("context_type", self.context_type.as_deref(), WORD_MAX)
            .optional_text("attachment_id", self.attachment_id.as_deref(), FILENAME_MAX)
            .optional_text("filename", self.filename.as_deref(), FILENAME_MAX)
            .optional_text("deleted_by", self.deleted_by.as_deref(), NAME_MAX)
            .optional_text("delete_reason", self.delete_reason.as_deref(), REASON_MAX)
            .that((0..=ACCESSES_MAX).contains(&self.access_count), "access_count", format!("must be from 0 to {ACCESSES_MAX}"))
            .that(is_count(self.recalled_count), "recalled_count", format!("must be from 0 to {ACCESSES_MAX}"))
            .that(is_count(self.remembered_count), "remembered_count", format!("must be from 0 to {ACCESSES_MAX}"))
            .that(
                is_one_of(self.speaker_kind.as_deref(), &SPEAKER_KINDS),
                "speaker_kind",
                format!("must be one of {}", SPEAKER_KINDS.join(", ")),
            )
            .that(is_one_of(self.trust.as_deref(), &TRUSTS), "trust", format!("must be one of {}", TRUSTS.join(", ")))
            .optional_text("confirmed_by", self.confirmed_by.as_deref(), NAME_MAX)
            .that(
                self.confirmed_by.is_some() == self.confirmed_at.is_some(),
                "confirmed_at",
                "is required with confirmed_by, and only with it",
            )
            .that(
                self.topics.len() <= ENTRIES_MAX,
                "topics",
                format!("has {} entries; at most {ENTRIES_MAX} are allowed", self.topics.len()),
            );
        for topic in &self.topics {
            checks.text("topics.topic", &topic.topic, TOPIC_MAX).text("topics.topic_raw", &topic.topic_raw, TOPIC_MAX);
        }
        let factors = self.importance_factors.clone().unwrap_or_else(|| Value::Array(Vec::new()));
        checks
            .that(serde_json::from_value::<Vec<FactorShare>>(factors.clone()).is_ok(), "importance_factors", "must be a list of factors")
            .that(
                self.archived_at.is_some() == self.archive_reason.is_some(),
                "archive_reason",
                "is required with archived_at, and only with it",
            );
        payload(checks, "importance_factors", &factors);
        check_reasons(checks, self.rationale.as_deref(), self.alternatives.as_deref());
        check_source(checks, &self.source);
    }
}

const SPEAKER_KINDS: [&str; 4] = ["person", "agent", "tool", "document"];
/// How far a memory is trusted.
const TRUSTS: [&str; 2] = ["own", "captured"];

fn check_reasons(checks: &mut Checks, rationale: Option<&str>, alternatives: Option<&[String]>) {
    checks.optional_text("rationale", rationale, RATIONALE_MAX).that(
        alternatives.is_none_or(|all| all.len() <= ALTERNATIVES_MAX),
        "alternatives",
        format!("has more than {ALTERNATIVES_MAX} entries"),
    );
}

fn is_count(count: Option<i64>) -> bool {
    count.is_none_or(|count| (0..=ACCESSES_MAX).contains(&count))
}

fn is_one_of(word: Option<&str>, words: &[&str]) -> bool {
    word.is_none_or(|word| words.contains(&word))
}

fn version_number(checks: &mut Checks, version: i32) -> &mut Checks {
    checks.that(version >= 1, "version", "must be at least 1").that(
        version <= VERSION_MAX,
        "version",
        format!("is {version}; at most {VERSION_MAX} is allowed"),
    )
}
