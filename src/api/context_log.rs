//! The context log: what assembled contexts consisted of.

use super::text_enum::text_enum;
use super::{AgentId, AssembledContext, BlockOrder, ContextBlock, ContextCut, ContextId, UserId};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

text_enum! {
    /// Whether the text of a logged context can be read.
    TextState {
        /// It is in the answer.
        Kept = "kept",
        /// A memory in it was forgotten or has expired since.
        Withheld = "withheld",
        /// It was deleted at the end of its time, or the agent's texts are not kept.
        Gone = "gone",
    }
}

/// One entry of the context log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "engine", derive(schemars::JsonSchema))]
pub struct LoggedContext {
    pub id: ContextId,
    pub agent_id: AgentId,
    pub user_id: Option<UserId>,
    pub at: DateTime<Utc>,
    pub order: BlockOrder,
    pub model: Option<String>,
    pub budget: u32,
    pub tokens: u32,
    pub tokenizer: String,
    /// SHA-256 of the text, in hexadecimal digits.
    pub hash: String,
    /// Without citations and reasons, which hold words.
    pub blocks: Vec<ContextBlock>,
    pub cut: Vec<ContextCut>,
    pub degraded: Vec<String>,
    /// Milliseconds.
    pub took_ms: f64,
    pub text_state: TextState,
    /// What was asked, as long as the text is kept.
    pub query: Option<String>,
    /// The text as the model read it, without secrets.
    pub text: Option<String>,
}

/// A logged context compared with one that is assembled from the same request now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "engine", derive(schemars::JsonSchema))]
pub struct ContextComparison {
    pub then: LoggedContext,
    pub now: AssembledContext,
    /// Lines that only the logged text has.
    pub removed: Vec<String>,
    /// Lines that only today's text has.
    pub added: Vec<String>,
}
