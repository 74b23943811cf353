//! The skills in memory: what the engine holds. It imports no other room.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

/// A SKILL.md document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// Its path in the folder of skills, with `/`.
    pub path: String,
    /// From its front matter, or else the name of its folder.
    pub name: String,
    pub description: Option<String>,
    /// Slugs of the agents that have it; every agent if empty.
    pub agents: Vec<String>,
    /// The roles that it is for; every role if empty.
    pub roles: Vec<String>,
    /// The document without its front matter.
    pub text: String,
    /// Tokens of [`Skill::section`].
    pub tokens: usize,
}

impl Skill {
    /// The skill as a section of a context.
    pub fn section(&self) -> String {
        format!("## {}\n\n{}\n\n", self.name, self.text)
    }

    /// Whether an agent in a role has it. Without a role, an agent has the skills of every role.
    pub fn is_for(&self, agent: &str, role: Option<&str>) -> bool {
        let names = |list: &[String], name: &str| list.is_empty() || list.iter().any(|one| one == name);
        names(&self.agents, agent) && role.is_none_or(|role| names(&self.roles, role))
    }
}

/// A document that could not be read as a skill, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFault {
    /// Its path in the folder of skills; empty for the folder itself.
    pub path: String,
    pub reason: String,
}

/// A file as it was when it was read last: its path, the time of its last change and its size.
pub type Stamp = (PathBuf, Option<SystemTime>, u64);

/// The skills as they were read last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skills {
    /// By path.
    pub all: Vec<Skill>,
    pub faults: Vec<SkillFault>,
    pub stamps: Vec<Stamp>,
}

/// The folder of skills and what it held last.
#[derive(Debug, Default)]
pub struct Shelf {
    pub folder: Option<PathBuf>,
    current: RwLock<Arc<Skills>>,
}

impl Shelf {
    /// A folder that was not read yet; without a folder there are no skills.
    pub fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, current: RwLock::default() }
    }

    /// Whether a folder is configured.
    pub fn has_folder(&self) -> bool {
        self.folder.is_some()
    }

    /// The skills as they were read last.
    pub fn skills(&self) -> Arc<Skills> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces all skills.
    pub fn put(&self, skills: Skills) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(skills);
    }
}
