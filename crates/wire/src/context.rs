//! A context bundle: what an agent is given to read before it begins a task.

use super::text_enum::text_enum;
use super::{AgentId, DocumentId, MemoryId, MemoryStatus, Provenance, RetrievalId, SourceTag, Trust, UserRef};
use serde::{Deserialize, Serialize};

text_enum! {
    /// How much text a bundle has of each item.
    Level {
        /// One line.
        Line = "L0",
        /// A summary.
        Summary = "L1",
        /// All of it.
        Whole = "L2",
    }
}

text_enum! {
    /// A part of a bundle.
    SectionName {
        /// Facts about users, and facts that hold everywhere.
        Profile = "profile",
        /// Facts about the project and the repository.
        Project = "project",
        /// Decisions in force, with their reasons.
        Decisions = "decisions",
        /// What the organisation's documents say about the task.
        Knowledge = "knowledge",
        /// Recent events that matter for the task.
        Episodes = "episodes",
        /// What other projects know that fits the task very well; it need not hold for yours.
        OtherProjects = "other_projects",
    }
}

/// Input of `context_for`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "task": "Write the release notes for October", "level": "L1", "budget": 1000 }]))]
#[serde(deny_unknown_fields)]
pub struct ContextRequest {
    /// What you are about to do, in a sentence or two.
    ///
    /// 1 byte to 4 KiB.
    #[schemars(length(min = 1))]
    pub task: String,
    /// The project you work on, by id or slug.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The repository you work on, by id or slug.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The person you work for.
    ///
    /// The bundle draws on their memories and on those without a user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
    /// How much of each item: a line (`L0`), a summary (`L1`) or the whole (`L2`).
    #[serde(default = "default_level")]
    pub level: Level,
    /// Tokens of the text at most.
    ///
    /// 100 to 32,000, at four characters each.
    #[serde(default = "default_budget")]
    #[schemars(range(min = 100, max = 32000))]
    pub budget: u32,
}

fn default_level() -> Level {
    Level::Summary
}

fn default_budget() -> u32 {
    2_000
}

impl ContextRequest {
    /// A request without a project, for summaries within the default budget.
    pub fn new(task: &str) -> Self {
        Self { task: task.into(), project: None, repo: None, user_id: None, level: default_level(), budget: default_budget() }
    }
}

/// Answer of `context_for`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ContextBundle {
    /// All sections as Markdown, ready for a prompt; empty when nothing is known.
    pub text: String,
    /// Tokens of `text`, at four characters each.
    pub tokens: u32,
    pub level: Level,
    pub budget: u32,
    /// Only blocks that hold something or had to leave something out.
    pub sections: Vec<ContextSection>,
    /// The search that ordered the sections, as an id in the retrieval log.
    pub retrieval_id: RetrievalId,
    /// Parts of the search that could not run.
    pub degraded: Vec<String>,
}

/// One part of a bundle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ContextSection {
    pub name: SectionName,
    /// Most relevant to the task first.
    pub items: Vec<ContextItem>,
    /// How many more items did not fit into the budget.
    pub cut: u32,
}

/// One item of a section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ContextItem {
    /// The memory, if it is one: `GET /api/memories/{memory_id}` has all of it.
    pub memory_id: Option<MemoryId>,
    pub short_id: Option<String>,
    /// The owner of the memory, if it is one.
    pub agent_id: Option<AgentId>,
    /// The document, if it is a piece of knowledge.
    pub document_id: Option<DocumentId>,
    pub source_tag: SourceTag,
    pub status: Option<MemoryStatus>,
    /// Of a memory: `unreviewed` if it is shared and no person confirmed it.
    #[serde(default)]
    pub trust: Option<Trust>,
    /// Of a memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// How much of it is shown: less than requested if the budget has no room.
    pub level: Level,
    /// Its text at that level.
    pub text: String,
    /// Where it comes from.
    pub citation: String,
    /// The memories that say otherwise; give both sides.
    #[serde(default)]
    pub contradicts: Vec<MemoryId>,
    /// Why it is here, in a sentence.
    pub because: String,
}
