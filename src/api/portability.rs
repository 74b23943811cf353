//! What an export holds, and what an import did.

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
    }
}

/// Lines of one type, by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportCount {
    /// Were not there.
    pub added: i64,
    /// Were there in an earlier version, and are brought forward to the file's.
    pub updated: i64,
    /// Were there already, as the file has them or in a later version.
    pub unchanged: i64,
}

/// What an import did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportReport {
    /// True: nothing was written.
    pub dry_run: bool,
    /// By type of line: `agent`, `term`, `document`, `memory`, `version`, …
    pub lines: BTreeMap<String, ImportCount>,
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
