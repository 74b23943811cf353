//! Who said a memory, where it holds, and whether a person confirmed it: part of every memory that an agent reads.

use super::text_enum::text_enum;
use serde::{Deserialize, Serialize};

text_enum! {
    /// Who said a text.
    Speaker {
        /// The agent that reads it.
        Agent = "agent",
        /// Another agent of the organisation.
        OtherAgent = "other_agent",
        Person = "person",
        Tool = "tool",
        Document = "document",
        /// Somebody: the records do not say who.
        Unknown = "unknown",
    }
}

/// Who said a memory, where it holds, and whether a person confirmed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Provenance {
    pub said_by: Speaker,
    /// The speaker's name, as somebody wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// The slug of the project that it holds for. Without a project it holds everywhere, or in its session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The slug of the repository that it holds for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Whether a person confirmed the present text.
    pub confirmed: bool,
}

impl Provenance {
    /// The place in words: `project alpha`, `repository web of project alpha`. Nothing if it holds everywhere.
    pub fn place(&self) -> Option<String> {
        match (&self.repo, &self.project) {
            (Some(repo), Some(project)) => Some(format!("repository {repo} of project {project}")),
            (Some(repo), None) => Some(format!("repository {repo}")),
            (None, Some(project)) => Some(format!("project {project}")),
            (None, None) => None,
        }
    }
}
