//! Skills as the console lists them.

use serde::{Deserialize, Serialize};

/// The skills that the server has, and the documents that it could not read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillList {
    /// Whether `SKILLS_DIR` names a folder.
    pub configured: bool,
    pub skills: Vec<SkillSummary>,
    pub faults: Vec<SkillError>,
}

/// A SKILL.md document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillSummary {
    /// Its path in the folder of skills.
    pub path: String,
    pub name: String,
    pub description: Option<String>,
    /// Slugs of the agents that have it; every agent if empty.
    pub agents: Vec<String>,
    /// The roles that it is for; every role if empty.
    pub roles: Vec<String>,
    /// What it takes of a context.
    pub tokens: u32,
}

/// A document that could not be read as a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillError {
    /// Its path in the folder of skills; empty for the folder itself.
    pub path: String,
    pub reason: String,
}
