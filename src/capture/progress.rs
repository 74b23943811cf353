//! How far an extraction came.

use crate::consolidation::Placed;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How an extraction went so far; the outcome of its event.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Progress {
    pub extractor: String,
    /// Bytes of the source that were read.
    pub read: usize,
    /// Bytes of the source.
    pub of: usize,
    /// Candidates that wait in the inbox.
    pub candidates: u32,
    /// Memories that became durable by a rule.
    pub promoted: u32,
    /// Statements that a memory said already.
    pub merged: u32,
    /// Statements that were extracted from the same place before.
    pub known: u32,
    /// Statements that somebody forgot.
    pub forgotten: u32,
    pub quarantined: u32,
    /// Statements of a model that quote nothing of the text.
    pub dropped: u32,
}

impl Progress {
    pub fn count(&mut self, placed: Placed) {
        match placed {
            Placed::Waiting(_) => self.candidates += 1,
            Placed::Promoted(_) => self.promoted += 1,
            Placed::Merged(_) => self.merged += 1,
            Placed::Known => self.known += 1,
            Placed::Forgotten => self.forgotten += 1,
        }
    }

    pub fn outcome(&self) -> Value {
        json!(self)
    }
}
