//! The lines of a file: one struct per type; names and checks are only here. A new type needs a struct, a variant of [`Section`] and
//! queries in the store.

mod activity;
mod capture;
mod knowledge;
mod memory;
mod profile;
mod vocabulary;

pub use activity::{ActionLine, WorkflowStepLine};
pub use capture::{EvidenceLine, PairLine, Place, QuarantinedTurnLine};
pub use knowledge::{ChunkLine, ComponentLine, DocumentLine};
pub use memory::{
    AgentLine, EVENT_KINDS, EventLine, LinkLine, MemoryLine, ProjectLine, ProjectLinkLine, RepoLine, SourceLine, TombstoneLine, UserLine,
    VersionLine,
};
pub use profile::{ConnectionLine, ProfileLeafLine, ProfileVersionLine};
pub use vocabulary::{AliasLine, DecisionLine, ProposalLine, ProposalMemoryLine, TermLine};

use super::values::Stamp;
use foundation::{Checks, Error};
use serde_json::Value;
use uuid::Uuid;
use wire::{AgentId, Area, MemoryId, UserId};

/// The name of the format in the header.
pub const FORMAT: &str = "remembrancer-export";
/// The newest schema, which is the newest that is read.
pub const SCHEMA: u64 = 6;
/// Longest line, in bytes, its end included: a longer one is neither written nor read.
pub const LINE_MAX: usize = 8 * 1024 * 1024;

/// The types of lines between header and footer, in the order of a file: a line comes after those that it refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    Agent,
    User,
    Term,
    Alias,
    Decision,
    Proposal,
    ProposalMemory,
    Document,
    Chunk,
    Component,
    Project,
    Repo,
    ProjectLink,
    Source,
    Memory,
    Version,
    Link,
    Tombstone,
    Event,
    Evidence,
    QuarantinedTurn,
    Pair,
    Connection,
    ProfileLeaf,
    ProfileVersion,
    Action,
    WorkflowStep,
}

impl Section {
    /// Every type, in order.
    pub const ALL: [Self; 27] = [
        Self::Agent,
        Self::User,
        Self::Term,
        Self::Alias,
        Self::Decision,
        Self::Proposal,
        Self::ProposalMemory,
        Self::Document,
        Self::Chunk,
        Self::Component,
        Self::Project,
        Self::Repo,
        Self::ProjectLink,
        Self::Source,
        Self::Memory,
        Self::Version,
        Self::Link,
        Self::Tombstone,
        Self::Event,
        Self::Evidence,
        Self::QuarantinedTurn,
        Self::Pair,
        Self::Connection,
        Self::ProfileLeaf,
        Self::ProfileVersion,
        Self::Action,
        Self::WorkflowStep,
    ];

    /// The value of `type` in lines of this type.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::User => "user",
            Self::Term => "term",
            Self::Alias => "alias",
            Self::Decision => "decision",
            Self::Proposal => "proposal",
            Self::ProposalMemory => "proposal_memory",
            Self::Document => "document",
            Self::Chunk => "chunk",
            Self::Component => "component",
            Self::Project => "project",
            Self::Repo => "repo",
            Self::ProjectLink => "project_link",
            Self::Source => "source",
            Self::Memory => "memory",
            Self::Version => "version",
            Self::Link => "link",
            Self::Tombstone => "tombstone",
            Self::Event => "event",
            Self::Evidence => "evidence",
            Self::QuarantinedTurn => "quarantined_turn",
            Self::Pair => "pair",
            Self::Connection => "connection",
            Self::ProfileLeaf => "profile_leaf",
            Self::ProfileVersion => "profile_version",
            Self::Action => "action",
            Self::WorkflowStep => "workflow_step",
        }
    }

    /// The type with this name, if there is one.
    pub fn named(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.as_str() == text)
    }

    /// The area of lines of this type. Agents and users belong to memory, but proposals name agents, too.
    pub fn area(self) -> Area {
        match self {
            Self::Term | Self::Alias | Self::Decision | Self::Proposal | Self::ProposalMemory => Area::Vocabulary,
            Self::Document | Self::Chunk | Self::Component => Area::Knowledge,
            Self::Action | Self::WorkflowStep => Area::Activity,
            _ => Area::Memory,
        }
    }

    /// The first schema that has lines of this type.
    pub fn schema(self) -> u64 {
        match (self, self.area()) {
            (Self::Evidence | Self::QuarantinedTurn | Self::Pair, _) => 3,
            (Self::Connection | Self::ProfileLeaf | Self::ProfileVersion, _) => 5,
            (_, Area::Memory) => 1,
            (_, Area::Vocabulary | Area::Knowledge) => 2,
            (_, Area::Activity) => 4,
        }
    }

    /// Whether lines of this type are for operators and background work only: no agent's key exports or imports them.
    pub fn for_operators(self) -> bool {
        matches!(self, Self::User | Self::QuarantinedTurn | Self::Pair)
    }
}

/// The kinds of actors that a version or a decision may have.
const ACTOR_KINDS: [&str; 3] = ["agent", "operator", "system"];
/// Longest word (a change, a task, an id as text), in characters.
const WORD_MAX: usize = 64;
/// Longest name of a person, a project or a file, in characters.
const NAME_MAX: usize = 200;
/// Longest text of a source as it was received, and longest component description or front matter, in bytes.
const SOURCE_MAX: usize = 4 * 1024 * 1024;
/// Largest `metadata`, `meta` and `tool_schema`, in bytes of JSON.
const JSON_MAX: usize = 64 * 1024;
/// Largest `payload`, `outcome`, `source_metadata` and `importance_factors`, in bytes of JSON: what they repeat of a text grows when it is
/// escaped, to six bytes a control character.
const PAYLOAD_MAX: usize = 1024 * 1024;
/// Most entries of a list.
const ENTRIES_MAX: usize = 10_000;

/// One line between header and footer.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    Agent(AgentLine),
    User(UserLine),
    Term(Box<TermLine>),
    Alias(AliasLine),
    Decision(Box<DecisionLine>),
    Proposal(ProposalLine),
    ProposalMemory(ProposalMemoryLine),
    Document(Box<DocumentLine>),
    Chunk(ChunkLine),
    Component(ComponentLine),
    Project(ProjectLine),
    Repo(RepoLine),
    ProjectLink(ProjectLinkLine),
    Source(SourceLine),
    Memory(Box<MemoryLine>),
    Version(Box<VersionLine>),
    Link(LinkLine),
    Tombstone(TombstoneLine),
    Event(Box<EventLine>),
    Evidence(Box<EvidenceLine>),
    QuarantinedTurn(Box<QuarantinedTurnLine>),
    Pair(PairLine),
    Connection(Box<ConnectionLine>),
    ProfileLeaf(Box<ProfileLeafLine>),
    ProfileVersion(Box<ProfileVersionLine>),
    Action(Box<ActionLine>),
    WorkflowStep(Box<WorkflowStepLine>),
}

impl Line {
    /// The user to whom the record belongs, if its line names one; versions and links follow their memories.
    pub fn user(&self) -> Option<UserId> {
        match self {
            Self::Memory(line) => line.user_id,
            Self::Source(line) => line.user_id,
            Self::Tombstone(line) => line.user_id,
            Self::Event(line) => line.user_id,
            Self::Evidence(line) => line.user_id,
            Self::QuarantinedTurn(line) => line.user_id,
            Self::Pair(line) => line.user_id,
            Self::Connection(line) => line.user_id,
            Self::ProfileLeaf(line) => line.user_id,
            Self::ProfileVersion(line) => line.user_id,
            Self::Action(line) => line.user_id,
            Self::WorkflowStep(line) => line.user_id,
            _ => None,
        }
    }

    /// When a record of a user was written.
    pub fn written_at(&self) -> Option<Stamp> {
        match self {
            Self::Memory(line) => Some(line.created_at),
            Self::Source(line) => Some(line.created_at),
            Self::Tombstone(line) => Some(line.created_at),
            Self::Event(line) => Some(line.created_at),
            Self::Evidence(line) => Some(line.created_at),
            Self::QuarantinedTurn(line) => Some(line.created_at),
            Self::Pair(line) => Some(line.created_at),
            Self::Action(line) => Some(line.created_at),
            Self::WorkflowStep(line) => Some(line.created_at),
            _ => None,
        }
    }

    /// The agent that owns the record. An agent's own line has no owner, and vocabulary and knowledge belong to the organisation.
    pub fn agent(&self) -> Option<AgentId> {
        match self {
            Self::Agent(_) | Self::User(_) => None,
            Self::Term(_) | Self::Alias(_) | Self::Decision(_) | Self::Proposal(_) | Self::ProposalMemory(_) => None,
            Self::Document(_) | Self::Chunk(_) | Self::Component(_) => None,
            Self::Project(line) => Some(line.agent_id),
            Self::Repo(line) => Some(line.agent_id),
            Self::ProjectLink(line) => Some(line.agent_id),
            Self::Source(line) => Some(line.agent_id),
            Self::Memory(line) => Some(line.agent_id),
            Self::Version(line) => Some(line.agent_id),
            Self::Link(line) => Some(line.agent_id),
            Self::Tombstone(line) => Some(line.agent_id),
            Self::Event(line) => Some(line.agent_id),
            Self::Evidence(line) => Some(line.agent_id),
            Self::QuarantinedTurn(line) => Some(line.agent_id),
            Self::Pair(line) => Some(line.agent_id),
            Self::Connection(line) => Some(line.agent_id),
            Self::ProfileLeaf(line) => Some(line.agent_id),
            Self::ProfileVersion(line) => Some(line.agent_id),
            Self::Action(line) => Some(line.agent_id),
            Self::WorkflowStep(line) => Some(line.agent_id),
        }
    }

    /// The memory, if it is one.
    pub fn memory(&self) -> Option<&MemoryLine> {
        match self {
            Self::Memory(line) => Some(line),
            _ => None,
        }
    }

    /// The key, which is unique among lines of its type.
    pub fn key(&self) -> String {
        match self {
            Self::Agent(line) => line.slug.clone(),
            Self::User(line) => line.external_ref.clone(),
            Self::Term(line) => line.id.to_string(),
            Self::Alias(line) => line.id.to_string(),
            Self::Decision(line) => line.id.to_string(),
            Self::Proposal(line) => line.id.to_string(),
            Self::ProposalMemory(line) => line.event_id.to_string(),
            Self::Document(line) => line.id.to_string(),
            Self::Chunk(line) => line.id.to_string(),
            Self::Component(line) => format!("{}/{}", line.document_id, line.ordinal),
            Self::Project(line) => line.id.to_string(),
            Self::Repo(line) => line.id.to_string(),
            Self::ProjectLink(line) => format!("{}/{}", line.one_id, line.other_id),
            Self::Source(line) => line.id.to_string(),
            Self::Memory(line) => line.id.to_string(),
            Self::Version(line) => format!("{}/{}", line.memory_id, line.version),
            Self::Link(line) => format!("{}/{}/{}", line.from_id, line.to_id, line.relation),
            Self::Tombstone(line) => line.memory_id.to_string(),
            Self::Event(line) => line.id.to_string(),
            Self::Evidence(line) => line.id.to_string(),
            Self::QuarantinedTurn(line) => line.id.to_string(),
            Self::Pair(line) => line.id.to_string(),
            // The runtime of each caller gives the ids.
            Self::Connection(line) => owned(line.agent_id, line.user_id, line.id),
            Self::ProfileLeaf(line) => line.id.to_string(),
            Self::ProfileVersion(line) => line.id.to_string(),
            Self::Action(line) => line.id.to_string(),
            Self::WorkflowStep(line) => line.id.to_string(),
        }
    }

    /// The quoted place in a source, if it has one.
    pub fn place(&self) -> Option<Place<'_>> {
        match self {
            Self::Evidence(line) => Some(line.place()),
            Self::QuarantinedTurn(line) => Some(line.place()),
            _ => None,
        }
    }

    /// The lines that must come before it, by kind and key: a memory of its own agent (`home`), a memory or a source of its own agent and
    /// user (`owned_memory`, `owned_source`), or a line of the named type.
    pub fn needs(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Term(line) => line.needs(),
            Self::Alias(line) => vec![("term", line.term_id.to_string())],
            Self::Decision(line) => line.needs(),
            Self::Proposal(line) => line.decision_id.iter().map(|id| ("decision", id.to_string())).collect(),
            Self::ProposalMemory(line) => vec![("proposal", line.proposal_id.to_string())],
            Self::Chunk(line) => vec![("document", line.document_id.to_string())],
            Self::Component(line) => vec![("document", line.document_id.to_string())],
            Self::Repo(line) => vec![("project", line.project_id.to_string())],
            Self::ProjectLink(line) => vec![("project", line.one_id.to_string()), ("project", line.other_id.to_string())],
            Self::Version(line) => vec![("home", home(line.agent_id, line.memory_id))],
            Self::Link(line) => vec![("memory", line.from_id.to_string()), ("memory", line.to_id.to_string())],
            Self::Tombstone(line) => vec![("home", home(line.agent_id, line.memory_id))],
            Self::Evidence(line) => {
                let owned = |id| owned(line.agent_id, line.user_id, id);
                vec![
                    ("owned_memory", owned(line.memory_id.0)),
                    ("owned_memory", owned(line.candidate_id.0)),
                    ("owned_source", owned(line.source_id.0)),
                ]
            }
            Self::QuarantinedTurn(line) => vec![("owned_source", owned(line.agent_id, line.user_id, line.source_id.0))],
            Self::Pair(line) => [line.from_id, line.to_id].map(|id| ("owned_memory", owned(line.agent_id, line.user_id, id.0))).to_vec(),
            Self::Agent(_) | Self::User(_) | Self::Document(_) | Self::Project(_) | Self::Source(_) | Self::Memory(_) | Self::Event(_) => {
                vec![]
            }
            Self::Connection(_) | Self::ProfileLeaf(_) | Self::ProfileVersion(_) | Self::Action(_) | Self::WorkflowStep(_) => vec![],
        }
    }

    /// Makes an agent the author of what it imports. The author in the file is ignored: an agent speaks only for itself.
    pub fn sign(&mut self, id: AgentId, slug: &str) {
        match self {
            Self::Memory(line) => {
                line.created_by = id;
                line.deleted_by = line.deleted_at.map(|_| slug.to_owned());
                // Only a person confirms.
                (line.confirmed_by, line.confirmed_at) = (None, None);
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
            _ => {}
        }
    }

    /// Refuses values that no record may have. Texts have the same limits as in the API.
    ///
    /// # Errors
    /// `Invalid`, naming the fields.
    pub fn check(&self) -> Result<(), Error> {
        let mut checks = Checks::default();
        checks.that(self.user().is_none_or(|user| !user.0.is_max()), "user_id", "must not be all ones: no user can have such an id");
        match self {
            Self::Agent(line) => line.check(&mut checks)?,
            Self::User(line) => line.check(&mut checks),
            Self::Term(line) => line.check(&mut checks),
            Self::Alias(line) => line.check(&mut checks),
            Self::Decision(line) => line.check(&mut checks),
            Self::Proposal(line) => line.check(&mut checks),
            Self::ProposalMemory(_) => {}
            Self::Document(line) => line.check(&mut checks),
            Self::Chunk(line) => line.check(&mut checks),
            Self::Component(line) => line.check(&mut checks),
            Self::Project(line) => line.check(&mut checks)?,
            Self::Repo(line) => line.check(&mut checks)?,
            Self::ProjectLink(line) => line.check(&mut checks),
            Self::Source(line) => line.check(&mut checks),
            Self::Memory(line) => line.check(&mut checks),
            Self::Version(line) => line.check(&mut checks),
            Self::Link(line) => line.check(&mut checks),
            Self::Tombstone(line) => line.check(&mut checks),
            Self::Event(line) => line.check(&mut checks),
            Self::Evidence(line) => line.check(&mut checks),
            Self::QuarantinedTurn(line) => line.check(&mut checks),
            Self::Pair(line) => line.check(&mut checks),
            Self::Connection(line) => line.check(&mut checks),
            Self::ProfileLeaf(line) => line.check(&mut checks),
            Self::ProfileVersion(line) => line.check(&mut checks),
            Self::Action(line) => line.check(&mut checks),
            Self::WorkflowStep(line) => line.check(&mut checks),
        }
        checks.done()
    }
}

/// A memory with its agent, as a key.
pub fn home(agent: AgentId, id: MemoryId) -> String {
    format!("{agent}/{id}")
}

/// A memory, a source or a connection with its agent and its user, as a key.
pub fn owned(agent: AgentId, user: Option<UserId>, id: Uuid) -> String {
    format!("{agent}/{}/{id}", user.map(|user| user.to_string()).unwrap_or_default())
}

/// The slug of every organisation's commons.
pub const COMMONS: &str = "commons";

fn json(checks: &mut Checks, field: &str, value: &Value) {
    json_up_to(checks, field, value, JSON_MAX);
}

fn payload(checks: &mut Checks, field: &str, value: &Value) {
    json_up_to(checks, field, value, PAYLOAD_MAX);
}

fn json_up_to(checks: &mut Checks, field: &str, value: &Value, most: usize) {
    let bytes = value.to_string().len();
    checks.that(bytes <= most, field, format!("has {bytes} bytes as JSON; at most {most} are allowed"));
}

/// A list of a bounded number of entries.
fn entries<T>(checks: &mut Checks, field: &str, list: &[T]) {
    checks.that(list.len() <= ENTRIES_MAX, field, format!("has {} entries; at most {ENTRIES_MAX} are allowed", list.len()));
}
