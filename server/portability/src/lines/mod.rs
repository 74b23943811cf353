//! The lines of a file: one struct per type; names and checks are only here. A new type needs a struct that is a [`Record`], a row of the
//! table `lines!`, and in the store what its pages leave out (`narrow`), when it exists already (`count_existing`) and what it refers to
//! (`references`).

mod activity;
mod capture;
mod knowledge;
mod memory;
mod organisation;
mod profile;
mod record;
mod vocabulary;

pub use activity::{ActionLine, WorkflowStepLine, is_searchable};
pub use capture::{EvidenceLine, Place, QuarantinedTurnLine, SuggestionLine};
pub use knowledge::{ChunkLine, ComponentLine, DocumentLine};
pub use memory::{EVENT_KINDS, EventLine, LinkLine, MemoryLine, SourceLine, TombstoneLine, VersionLine};
pub use organisation::{AgentLine, ProjectLine, ProjectLinkLine, RepoLine, UserLine};
pub use profile::{ConnectionLine, ProfileLeafLine, ProfileVersionLine};
use record::fields;
pub use record::{Need, Owner, Record};
pub use vocabulary::{AliasLine, DecisionLine, ProposalLine, ProposalMemoryLine, TermLine};

use foundation::identity::check_slug;
use foundation::{Checks, Error};
use remembrancer::tools;
use serde_json::Value;
use uuid::Uuid;
use wire::{AgentId, Area, MemoryId, UserId};

/// The name of the format in the header.
pub const FORMAT: &str = "remembrancer-export";
/// The newest schema, which is the newest that is read.
pub const SCHEMA: u64 = 6;
/// Longest line, in bytes, its end included: a longer one is neither written nor read.
pub const LINE_MAX: usize = 8 * 1024 * 1024;

/// Who exports and imports lines of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Audience {
    Everybody,
    /// Operators and background work only: no agent's key.
    Operators,
}

/// The types of lines: each with its struct, the value of `type`, its area, the first schema that has it, and who exports and imports it.
macro_rules! lines {
    ($($section:ident($line:ident): $name:literal, $area:ident, $schema:literal, $audience:ident;)+) => {
        /// The types of lines between header and footer, in the order of a file: a line comes after those that it refers to.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Section {
            $($section),+
        }

        impl Section {
            /// Every type, in order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$section),+];

            /// The value of `type` in lines of this type.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$section => $name),+ }
            }

            /// The area of lines of this type. Agents and users belong to memory, but proposals name agents, too.
            pub fn area(self) -> Area {
                match self { $(Self::$section => Area::$area),+ }
            }

            /// The first schema that has lines of this type.
            pub fn schema(self) -> u64 {
                match self { $(Self::$section => $schema),+ }
            }

            fn audience(self) -> Audience {
                match self { $(Self::$section => Audience::$audience),+ }
            }

            /// The table of the records.
            pub fn table(self) -> &'static str {
                match self { $(Self::$section => $line::TABLE),+ }
            }

            /// Whether rows of the table belong to users.
            pub fn of_users(self) -> bool {
                match self { $(Self::$section => $line::OF_USERS),+ }
            }

            /// Columns that follow from a line and are not in it.
            fn derived(self) -> &'static [&'static str] {
                match self { $(Self::$section => $line::DERIVED),+ }
            }

            /// The names of the fields of the struct.
            pub fn fields(self) -> &'static [&'static str] {
                match self { $(Self::$section => fields::<$line>()),+ }
            }

            /// Reads the fields of a line.
            ///
            /// # Errors
            /// `Invalid`, naming the field.
            pub fn read(self, fields: Value) -> Result<Line, Error> {
                Ok(match self { $(Self::$section => Line::$section(tools::read(fields)?)),+ })
            }
        }

        /// One line between header and footer.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Line {
            $($section(Box<$line>)),+
        }

        impl Line {
            /// Whose the record is.
            pub fn owner(&self) -> Owner {
                match self { $(Self::$section(line) => line.owner()),+ }
            }

            /// The key, which is unique among lines of its type.
            pub fn key(&self) -> String {
                match self { $(Self::$section(line) => line.key()),+ }
            }

            /// The lines that must come before it.
            pub fn needs(&self) -> Vec<Need> {
                match self { $(Self::$section(line) => line.needs()),+ }
            }

            /// The record as a row of its table.
            ///
            /// # Errors
            /// When it cannot be written as JSON.
            pub fn row(&self) -> serde_json::Result<Value> {
                match self { $(Self::$section(line) => {
                    let mut row = serde_json::to_value(line)?;
                    line.derive(&mut row);
                    Ok(row)
                })+ }
            }

            /// Makes an agent the author of what it imports.
            pub fn sign(&mut self, id: AgentId, slug: &str) {
                match self { $(Self::$section(line) => line.sign(id, slug)),+ }
            }

            fn note(&self, checks: &mut Checks) {
                match self { $(Self::$section(line) => line.check(checks)),+ }
            }
        }
    };
}

lines! {
    Agent(AgentLine): "agent", Memory, 1, Everybody;
    User(UserLine): "user", Memory, 1, Operators;
    Term(TermLine): "term", Vocabulary, 2, Everybody;
    Alias(AliasLine): "alias", Vocabulary, 2, Everybody;
    Decision(DecisionLine): "decision", Vocabulary, 2, Everybody;
    Proposal(ProposalLine): "proposal", Vocabulary, 2, Everybody;
    ProposalMemory(ProposalMemoryLine): "proposal_memory", Vocabulary, 2, Everybody;
    Document(DocumentLine): "document", Knowledge, 2, Everybody;
    Chunk(ChunkLine): "chunk", Knowledge, 2, Everybody;
    Component(ComponentLine): "component", Knowledge, 2, Everybody;
    Project(ProjectLine): "project", Memory, 1, Everybody;
    Repo(RepoLine): "repo", Memory, 1, Everybody;
    ProjectLink(ProjectLinkLine): "project_link", Memory, 1, Everybody;
    Source(SourceLine): "source", Memory, 1, Everybody;
    Memory(MemoryLine): "memory", Memory, 1, Everybody;
    Version(VersionLine): "version", Memory, 1, Everybody;
    Link(LinkLine): "link", Memory, 1, Everybody;
    Tombstone(TombstoneLine): "tombstone", Memory, 1, Everybody;
    Event(EventLine): "event", Memory, 1, Everybody;
    Evidence(EvidenceLine): "evidence", Memory, 3, Everybody;
    QuarantinedTurn(QuarantinedTurnLine): "quarantined_turn", Memory, 3, Operators;
    Suggestion(SuggestionLine): "pair", Memory, 3, Operators;
    Connection(ConnectionLine): "connection", Memory, 5, Everybody;
    ProfileLeaf(ProfileLeafLine): "profile_leaf", Memory, 5, Everybody;
    ProfileVersion(ProfileVersionLine): "profile_version", Memory, 5, Everybody;
    Action(ActionLine): "action", Activity, 4, Everybody;
    WorkflowStep(WorkflowStepLine): "workflow_step", Activity, 4, Everybody;
}

impl Section {
    /// The type with this name, if there is one.
    pub fn named(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.as_str() == text)
    }

    /// Whether lines of this type are for operators and background work only: no agent's key exports or imports them.
    pub fn for_operators(self) -> bool {
        self.audience() == Audience::Operators
    }

    /// The columns of a line: its fields, except the further topics of a memory, which have a table of their own.
    pub fn columns(self) -> Vec<&'static str> {
        self.fields().iter().copied().filter(|field| *field != "topics").collect()
    }

    /// The columns that an import writes.
    pub fn written(self) -> Vec<&'static str> {
        [&self.columns(), self.derived()].concat()
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

impl Line {
    /// The quoted place in a source, if it has one.
    pub fn place(&self) -> Option<Place<'_>> {
        match self {
            Self::Evidence(line) => Some(line.place()),
            Self::QuarantinedTurn(line) => Some(line.place()),
            _ => None,
        }
    }

    /// Refuses values that no record may have. Texts have the same limits as in the API.
    ///
    /// # Errors
    /// `Invalid`, naming the fields.
    pub fn check(&self) -> Result<(), Error> {
        match self {
            Self::Agent(line) => check_slug(&line.slug)?,
            Self::Project(line) => check_slug(&line.slug)?,
            Self::Repo(line) => check_slug(&line.slug)?,
            _ => {}
        }
        let (mut checks, user) = (Checks::default(), self.owner().user());
        checks.that(user.is_none_or(|user| !user.0.is_max()), "user_id", "must not be all ones: no user can have such an id");
        self.note(&mut checks);
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
