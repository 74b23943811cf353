//! The context log: what assembled contexts consisted of, how two of them differ, and a context without a trace.

use super::text_enum::text_enum;
use super::{AgentId, AssembleRequest, AssembledContext, BlockOrder, ContextBlock, ContextCut, ContextId, ContextTiers, UserId, UserRef};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

text_enum! {
    /// Whether the text of a logged context can be read.
    TextState {
        /// It is in the answer.
        Kept = "kept",
        /// A memory in the context was forgotten or has expired since. Operators can read the text, agents cannot.
        Withheld = "withheld",
        /// It was deleted when its retention ended, or the texts of this agent are not kept.
        Gone = "gone",
    }
}

/// One entry of the context log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LoggedContext {
    pub id: ContextId,
    pub agent_id: AgentId,
    pub user_id: Option<UserId>,
    pub at: DateTime<Utc>,
    pub order: BlockOrder,
    /// Which parts of memory the request asked for.
    pub tiers: ContextTiers,
    /// False: memories and documents were found by words alone.
    pub vectors: bool,
    pub model: Option<String>,
    pub budget: u32,
    pub tokens: u32,
    pub tokenizer: String,
    /// SHA-256 of the text, in hexadecimal digits.
    pub hash: String,
    /// Citations and reasons are left out, because they quote memories.
    pub blocks: Vec<ContextBlock>,
    pub cut: Vec<ContextCut>,
    pub degraded: Vec<String>,
    /// Milliseconds.
    pub took_ms: f64,
    pub text_state: TextState,
    /// The query, as long as the text is kept.
    pub query: Option<String>,
    /// The text as the model read it, without secrets.
    pub text: Option<String>,
}

/// Which contexts the log lists; an absent field does not filter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContextFilter {
    pub agent_id: Option<AgentId>,
    /// Only contexts on behalf of this user.
    pub user_id: Option<UserRef>,
    /// True: only contexts that were cut to fit their budget; false: only those that were not.
    pub cut: Option<bool>,
    /// True: only contexts from which a block or a step is missing; false: only those without a loss.
    pub degraded: Option<bool>,
    /// Assembled at or after.
    pub from: Option<DateTime<Utc>>,
    /// Assembled before.
    pub until: Option<DateTime<Utc>>,
    pub after: Option<String>,
    pub before: Option<String>,
    /// True: in the reverse of the usual order. The console sets it, no request has it.
    #[serde(skip)]
    pub reversed: bool,
}

/// One context as the log lists it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, sqlx::FromRow)]
pub struct ContextEntry {
    pub id: ContextId,
    pub agent_id: AgentId,
    #[sqlx(skip)]
    pub agent_slug: String,
    pub user_id: Option<UserId>,
    pub at: DateTime<Utc>,
    /// The query, as long as the text is kept.
    pub query: Option<String>,
    #[sqlx(try_from = "i32")]
    pub budget: u32,
    #[sqlx(try_from = "i32")]
    pub tokens: u32,
    #[sqlx(json)]
    pub cut: Vec<ContextCut>,
    pub degraded: Vec<String>,
    pub took_ms: f64,
}

/// A logged context with the names of its sources.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContextDetail {
    pub agent_slug: String,
    pub context: LoggedContext,
    pub sources: Vec<NamedSource>,
}

/// A memory or a part of a document that a context contains, under its name of today.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedSource {
    /// The id of the memory or of the chunk.
    pub id: Uuid,
    /// Topic of the memory, or title of the document.
    pub name: String,
    /// It is deleted, archived or replaced by now.
    pub gone: bool,
}

/// A context that is assembled as an agent, without a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreviewRequest {
    pub agent_id: AgentId,
    pub context: AssembleRequest,
}

/// What an agent would get, and how long each step took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContextPreview {
    pub context: AssembledContext,
    pub sources: Vec<NamedSource>,
    /// Whether a key of the agent may assemble contexts.
    pub may_assemble: bool,
    /// Whether a key of the agent may read shared knowledge.
    pub may_read_knowledge: bool,
    /// Steps with their milliseconds.
    pub timings: Vec<(String, f64)>,
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparedContext {
    /// Absent: it was assembled for the comparison and is not in the log.
    pub id: Option<ContextId>,
    pub agent_slug: String,
    pub at: DateTime<Utc>,
    pub budget: u32,
    pub tokens: u32,
    pub blocks: Vec<ContextBlock>,
    pub cut: Vec<ContextCut>,
    pub degraded: Vec<String>,
}

text_enum! {
    /// What became of lines between two texts.
    LineChange {
        /// Both texts have the line.
        Same = "same",
        /// Only the earlier text has the line.
        Removed = "removed",
        /// Only the later text has the line.
        Added = "added",
        /// Lines that both texts have and that are not shown.
        Skipped = "skipped",
    }
}

/// A line of a comparison, or a number of lines that it leaves out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextLine {
    pub change: LineChange,
    /// Empty for lines that are left out.
    pub text: String,
    /// 1, or how many lines are left out.
    pub lines: u32,
}

/// Two contexts side by side, the earlier first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContextComparison {
    pub before: ComparedContext,
    pub after: ComparedContext,
    /// The lines that differ, each with its neighbours; empty if the texts are equal. Absent if a text is not kept.
    pub lines: Option<Vec<TextLine>>,
}
