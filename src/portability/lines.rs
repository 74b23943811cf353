//! The lines of a file: one struct per type, named and checked here and nowhere else. A new type is a struct, a variant of [`Section`] and
//! its two queries in the store.

use super::values::{Hash, Share, Stamp};
use crate::api::{
    AgentId, CONTENT_MAX, Category, Discipline, EVIDENCE_MAX, EventId, MemoryId, MemoryKind, MemoryScope, MemoryStatus, REASON_MAX,
    Relation, Retention, Role, SUBJECT_MAX, SUMMARY_MAX, Source, SourceKind, TITLE_MAX, TOPIC_MAX, UserId,
};
use crate::db::EVERY_AGENT;
use crate::error::{Checks, Error};
use crate::identity::AGENT_NAME_MAX;
use crate::memories::remember::check_source;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;

/// What the header calls the format.
pub const FORMAT: &str = "remembrancer-export";
/// The schema that is written, and the newest that is read.
pub const SCHEMA: u64 = 2;
/// Longest line, in bytes, its end included: a longer one is neither written nor read.
pub const LINE_MAX: usize = 8 * 1024 * 1024;

/// The types of lines between header and footer, in the order in which a file has them: what is referred to comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    Agent,
    User,
    Project,
    Repo,
    ProjectLink,
    Source,
    Memory,
    Version,
    Link,
    Tombstone,
    Event,
}

impl Section {
    /// Every type, in order.
    pub const ALL: [Self; 11] = [
        Self::Agent,
        Self::User,
        Self::Project,
        Self::Repo,
        Self::ProjectLink,
        Self::Source,
        Self::Memory,
        Self::Version,
        Self::Link,
        Self::Tombstone,
        Self::Event,
    ];

    /// What lines of this type say in `type`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::User => "user",
            Self::Project => "project",
            Self::Repo => "repo",
            Self::ProjectLink => "project_link",
            Self::Source => "source",
            Self::Memory => "memory",
            Self::Version => "version",
            Self::Link => "link",
            Self::Tombstone => "tombstone",
            Self::Event => "event",
        }
    }

    /// The type that says `text`, if there is one.
    pub fn named(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.as_str() == text)
    }
}

/// An agent, by whose slug the other lines name it. The commons has no line: every organisation has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentLine {
    pub id: AgentId,
    pub slug: String,
    pub name: String,
    pub require_user: bool,
    /// How eagerly it writes.
    pub discipline: Discipline,
}

/// A user under the organisation's own reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserLine {
    pub id: UserId,
    pub external_ref: String,
    pub name: Option<String>,
}

/// A project that memories belong to; it is the commons'.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct ProjectLine {
    pub agent_id: AgentId,
    pub id: Uuid,
    pub slug: String,
    pub name: String,
    pub created_at: Stamp,
    /// The name of whoever made it.
    pub created_by: String,
}

/// A repository of a project, likewise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct RepoLine {
    pub agent_id: AgentId,
    pub id: Uuid,
    pub project_id: Uuid,
    pub slug: String,
    pub name: String,
    pub created_at: Stamp,
    pub created_by: String,
}

/// Two projects of which one's memory bears on the other's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct ProjectLinkLine {
    pub agent_id: AgentId,
    pub one_id: Uuid,
    pub other_id: Uuid,
    pub created_at: Stamp,
    pub created_by: String,
}

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
}

/// A memory as it stands. What follows from the rest (hash of the content, normal form, words, vectors) is left out.
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
    pub last_accessed_at: Option<Stamp>,
    pub observed_at: Option<Stamp>,
    pub created_at: Stamp,
    pub updated_at: Stamp,
    pub expires_at: Option<Stamp>,
    pub archived_at: Option<Stamp>,
    pub deleted_at: Option<Stamp>,
    pub deleted_by: Option<String>,
    pub delete_reason: Option<String>,
    pub profile_fact: bool,
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
    /// Absent: title, summary, category, subject, confidence and `observed_at` of this version are not known.
    pub confidence: Option<Share>,
    pub observed_at: Option<Stamp>,
}

/// How one memory bears on another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct LinkLine {
    pub agent_id: AgentId,
    pub from_id: MemoryId,
    pub to_id: MemoryId,
    pub relation: Relation,
    pub created_at: Stamp,
    /// The name of whoever linked them.
    pub created_by: String,
}

/// What keeps a forgotten content from being taken in again: its hash, and where it was said.
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

/// One step of how memory came in. Leases and the server's own jobs are left out: they belong to a process, not to the record. What an
/// import brings is history: no worker ever claims it, whatever its state says.
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
}

/// The kinds of events that a file may hold.
pub const EVENT_KINDS: [&str; 4] = ["manual_write", "session_close", "conversation_capture", "observation"];
/// The states that an event in a file may have; one that was running is written as pending.
const EVENT_STATES: [&str; 4] = ["pending", "done", "failed", "dead"];
/// The kinds of actors that a version may have.
const ACTOR_KINDS: [&str; 3] = ["agent", "operator", "system"];
/// Longest word (a change, a task, an id as text), in characters.
const WORD_MAX: usize = 64;
/// Longest name of a person, a project or a file, in characters.
const NAME_MAX: usize = 200;
/// Longest error of an event, in characters.
const ERROR_MAX: usize = 10_000;
/// Longest text of a source as it was received, in bytes.
const SOURCE_MAX: usize = 4 * 1024 * 1024;
/// Largest `metadata`, `payload` and `outcome`, in bytes of JSON.
const JSON_MAX: usize = 64 * 1024;
/// Highest version of a memory, and most times that it was accessed: numbers that can still be added to.
const VERSION_MAX: i32 = 1_000_000;
const ACCESSES_MAX: i64 = 1_000_000_000_000;

/// One line between header and footer.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    Agent(AgentLine),
    User(UserLine),
    Project(ProjectLine),
    Repo(RepoLine),
    ProjectLink(ProjectLinkLine),
    Source(SourceLine),
    Memory(Box<MemoryLine>),
    Version(Box<VersionLine>),
    Link(LinkLine),
    Tombstone(TombstoneLine),
    Event(Box<EventLine>),
}

impl Line {
    /// The user to whom the record belongs, where a line says so; versions and links follow their memories.
    pub fn user(&self) -> Option<UserId> {
        match self {
            Self::Memory(line) => line.user_id,
            Self::Source(line) => line.user_id,
            Self::Tombstone(line) => line.user_id,
            Self::Event(line) => line.user_id,
            Self::Agent(_) | Self::User(_) | Self::Project(_) | Self::Repo(_) | Self::ProjectLink(_) | Self::Version(_) | Self::Link(_) => {
                None
            }
        }
    }

    /// Whose it is; an agent's own line is nobody's.
    pub fn agent(&self) -> Option<AgentId> {
        match self {
            Self::Agent(_) | Self::User(_) => None,
            Self::Project(line) => Some(line.agent_id),
            Self::Repo(line) => Some(line.agent_id),
            Self::ProjectLink(line) => Some(line.agent_id),
            Self::Source(line) => Some(line.agent_id),
            Self::Memory(line) => Some(line.agent_id),
            Self::Version(line) => Some(line.agent_id),
            Self::Link(line) => Some(line.agent_id),
            Self::Tombstone(line) => Some(line.agent_id),
            Self::Event(line) => Some(line.agent_id),
        }
    }

    /// What no two lines of its type share.
    pub fn key(&self) -> String {
        match self {
            Self::Agent(line) => line.slug.clone(),
            Self::User(line) => line.external_ref.clone(),
            Self::Project(line) => line.id.to_string(),
            Self::Repo(line) => line.id.to_string(),
            Self::ProjectLink(line) => format!("{}/{}", line.one_id, line.other_id),
            Self::Source(line) => line.id.to_string(),
            Self::Memory(line) => line.id.to_string(),
            Self::Version(line) => format!("{}/{}", line.memory_id, line.version),
            Self::Link(line) => format!("{}/{}/{}", line.from_id, line.to_id, line.relation),
            Self::Tombstone(line) => line.memory_id.to_string(),
            Self::Event(line) => line.id.to_string(),
        }
    }

    /// What must stand in the file before it, by kind and key: a memory of its own agent (`home`), a memory of anybody's, a project.
    pub fn needs(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Repo(line) => vec![("project", line.project_id.to_string())],
            Self::ProjectLink(line) => vec![("project", line.one_id.to_string()), ("project", line.other_id.to_string())],
            Self::Version(line) => vec![("home", home(line.agent_id, line.memory_id))],
            Self::Link(line) => vec![("memory", line.from_id.to_string()), ("memory", line.to_id.to_string())],
            Self::Tombstone(line) => vec![("home", home(line.agent_id, line.memory_id))],
            Self::Agent(_) | Self::User(_) | Self::Project(_) | Self::Source(_) | Self::Memory(_) | Self::Event(_) => vec![],
        }
    }

    /// Makes an agent the author of what it imports, whatever the file says: it speaks for itself only.
    pub fn sign(&mut self, id: AgentId, slug: &str) {
        match self {
            Self::Memory(line) => {
                line.created_by = id;
                line.deleted_by = line.deleted_at.map(|_| slug.to_owned());
            }
            Self::Version(line) => {
                line.actor_kind = "agent".into();
                line.actor_id = id.to_string();
                line.actor_name = slug.to_owned();
            }
            Self::Project(ProjectLine { created_by, .. })
            | Self::Repo(RepoLine { created_by, .. })
            | Self::ProjectLink(ProjectLinkLine { created_by, .. })
            | Self::Link(LinkLine { created_by, .. }) => *created_by = slug.to_owned(),
            Self::Agent(_) | Self::User(_) | Self::Source(_) | Self::Tombstone(_) | Self::Event(_) => {}
        }
    }

    /// Refuses values that no record may have. Texts have the limits that they have everywhere else.
    ///
    /// # Errors
    /// `Invalid`, naming the fields.
    pub fn check(&self) -> Result<(), Error> {
        let mut checks = Checks::default();
        checks.that(self.user().is_none_or(|user| !user.0.is_max()), "user_id", "must not be all ones: it is no user's id");
        match self {
            Self::Agent(line) => {
                crate::identity::check_slug(&line.slug)?;
                checks
                    .text("name", &line.name, AGENT_NAME_MAX)
                    .that(line.slug != COMMONS, "slug", "is the commons', which has no line")
                    .that(line.id != EVERY_AGENT && !line.id.0.is_nil(), "id", "must not be all zeros or all ones: no agent can have it");
            }
            Self::User(line) => crate::identity::check_user(&mut checks, &line.external_ref, line.name.as_deref(), Some(line.id)),
            Self::Project(line) => {
                crate::identity::check_slug(&line.slug)?;
                checks.text("name", &line.name, NAME_MAX).text("created_by", &line.created_by, NAME_MAX);
            }
            Self::Repo(line) => {
                crate::identity::check_slug(&line.slug)?;
                checks.text("name", &line.name, NAME_MAX).text("created_by", &line.created_by, NAME_MAX);
            }
            Self::ProjectLink(line) => {
                checks.that(line.one_id < line.other_id, "other_id", "must be greater than one_id");
                checks.text("created_by", &line.created_by, NAME_MAX);
            }
            Self::Source(line) => {
                let content = line.content.as_deref().unwrap_or_default();
                checks
                    .text("reference", &line.reference, EVIDENCE_MAX)
                    .that(content.len() <= SOURCE_MAX, "content", format!("has {} bytes; at most {SOURCE_MAX} are allowed", content.len()))
                    .that(line.metadata.is_object(), "metadata", "must be an object");
                json(&mut checks, "metadata", &line.metadata);
            }
            Self::Memory(line) => memory(&mut checks, line),
            Self::Version(line) => {
                version_number(&mut checks, line.version)
                    .text("change", &line.change, WORD_MAX)
                    .bytes("content", &line.content, CONTENT_MAX)
                    .text("topic", &line.topic, TOPIC_MAX)
                    .text("topic_raw", &line.topic_raw, TOPIC_MAX)
                    .that(ACTOR_KINDS.contains(&line.actor_kind.as_str()), "actor_kind", format!("is one of {}", ACTOR_KINDS.join(", ")))
                    .limit("actor_id", &line.actor_id, WORD_MAX)
                    .text("actor_name", &line.actor_name, NAME_MAX)
                    .optional_text("title", line.title.as_deref(), TITLE_MAX)
                    .optional_text("summary", line.summary.as_deref(), SUMMARY_MAX)
                    .optional_text("subject", line.subject.as_deref(), SUBJECT_MAX);
                check_source(&mut checks, &line.source);
                if let Some(provenance) = &line.provenance {
                    check_source(&mut checks, provenance);
                }
            }
            Self::Link(line) => {
                checks.that(line.from_id != line.to_id, "to_id", "must be another memory than from_id").text(
                    "created_by",
                    &line.created_by,
                    NAME_MAX,
                );
            }
            Self::Tombstone(line) => {
                check_source(&mut checks, &line.source);
            }
            Self::Event(line) => {
                checks
                    .that(EVENT_KINDS.contains(&line.kind.as_str()), "kind", format!("is one of {}", EVENT_KINDS.join(", ")))
                    .that(EVENT_STATES.contains(&line.state.as_str()), "state", format!("is one of {}", EVENT_STATES.join(", ")))
                    .that(line.attempt >= 0, "attempt", "must not be negative")
                    .text("task", &line.task, WORD_MAX)
                    .limit("error", line.error.as_deref().unwrap_or_default(), ERROR_MAX);
                json(&mut checks, "payload", &line.payload);
                json(&mut checks, "outcome", line.outcome.as_ref().unwrap_or(&Value::Null));
            }
        }
        checks.done()
    }
}

/// A memory with its agent, as a key.
pub fn home(agent: AgentId, id: MemoryId) -> String {
    format!("{agent}/{id}")
}

/// The slug of every organisation's commons.
pub const COMMONS: &str = "commons";

fn memory(checks: &mut Checks, line: &MemoryLine) {
    let short = line.short_id.len() == 8 && line.short_id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    version_number(checks, line.version)
        .that(short, "short_id", "must be 8 of A–Z, a–z and 0–9")
        .text("topic", &line.topic, TOPIC_MAX)
        .text("topic_raw", &line.topic_raw, TOPIC_MAX)
        .bytes("content", &line.content, CONTENT_MAX)
        .optional_text("subject", line.subject.as_deref(), SUBJECT_MAX)
        .optional_text("title", line.title.as_deref(), TITLE_MAX)
        .optional_text("summary", line.summary.as_deref(), SUMMARY_MAX)
        .optional_text("evidence_ref", line.evidence_ref.as_deref(), EVIDENCE_MAX)
        .optional_text("context_type", line.context_type.as_deref(), WORD_MAX)
        .optional_text("attachment_id", line.attachment_id.as_deref(), NAME_MAX)
        .optional_text("filename", line.filename.as_deref(), NAME_MAX)
        .optional_text("deleted_by", line.deleted_by.as_deref(), NAME_MAX)
        .optional_text("delete_reason", line.delete_reason.as_deref(), REASON_MAX)
        .that((0..=ACCESSES_MAX).contains(&line.access_count), "access_count", format!("must be from 0 to {ACCESSES_MAX}"));
    check_source(checks, &line.source);
}

fn version_number(checks: &mut Checks, version: i32) -> &mut Checks {
    checks.that(version >= 1, "version", "must be at least 1").that(
        version <= VERSION_MAX,
        "version",
        format!("is {version}; at most {VERSION_MAX} is allowed"),
    )
}

fn json(checks: &mut Checks, field: &str, value: &Value) {
    let bytes = value.to_string().len();
    checks.that(bytes <= JSON_MAX, field, format!("has {bytes} bytes as JSON; at most {JSON_MAX} are allowed"));
}
