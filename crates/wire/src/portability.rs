//! What an export holds, and what an import did.

use super::FieldError;
use super::text_enum::text_enum;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

text_enum! {
    /// What an export of a whole organisation can be restricted to.
    Area {
        /// Agents, users, projects, memories and their history.
        Memory = "memory",
        /// Terms, aliases, decisions and proposals.
        Vocabulary = "vocabulary",
        /// Documents and components.
        Knowledge = "knowledge",
        /// What agents reported: actions and steps of workflows.
        Activity = "activity",
    }
}

/// Lines of one type, by what the import did with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ImportCount {
    /// Records that did not exist.
    pub added: i64,
    /// Records that existed in an earlier version and were updated to the version in the file.
    pub updated: i64,
    /// Records that existed already, as in the file or in a later version.
    pub unchanged: i64,
}

/// What an import did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ImportReport {
    /// True: nothing was written.
    pub dry_run: bool,
    /// By type of line: `agent`, `term`, `document`, `memory`, `version`, …
    pub lines: BTreeMap<String, ImportCount>,
    /// Values that were corrected, because a clock had been wrong.
    #[serde(default)]
    pub corrected: i64,
    /// The first 100 of them, each with its line, its field and what was done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corrections: Vec<FieldError>,
}

impl ImportReport {
    /// The sum over all types of lines.
    pub fn total(&self) -> ImportCount {
        self.lines.values().fold(ImportCount::default(), |sum, one| ImportCount {
            added: sum.added + one.added,
            updated: sum.updated + one.updated,
            unchanged: sum.unchanged + one.unchanged,
        })
    }
}
