//! An assembled context: the whole prompt of one model call, within a budget of tokens, with the source of every part.

use super::text_enum::text_enum;
use super::{
    AgentId, BlockName, BlockOrder, ChunkId, ContextId, ContextTiers, CutAction, DocumentId, ItemOrigin, MemoryId, Provenance, SourceTag,
    UserRef,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Largest text of one block, turn or tool result that a caller passes, in bytes.
pub const BLOCK_MAX: usize = 256 * 1024;
/// Most turns of one request.
pub const TURNS_MAX: usize = 1000;
/// Most tool results of one request.
pub const TOOL_RESULTS_MAX: usize = 100;
/// Longest name of a model, a role, a speaker or a tool, in characters.
pub const CONTEXT_NAME_MAX: usize = 200;
/// Least and largest budget, in tokens.
pub const CONTEXT_BUDGET: std::ops::RangeInclusive<u32> = 100..=1_000_000;

text_enum! {
    /// Who speaks in a message.
    MessageRole { System = "system", User = "user", Assistant = "assistant", Tool = "tool" }
}

text_enum! {
    /// Who spoke in a turn.
    TurnRole { User = "user", Assistant = "assistant" }
}

/// Input of `assemble_context` and `POST /api/context`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{
        "query": "Which day do we deploy?",
        "budget": 8000,
        "system_prompt": "You are atlas, the release agent of Acme.",
        "turns": [{ "role": "user", "content": "Which day do we deploy?" }]
    }]))]
#[serde(deny_unknown_fields)]
pub struct AssembleRequest {
    /// The question or task of this turn: what to retrieve for.
    ///
    /// 1 byte to 4 KiB.
    #[schemars(length(min = 1))]
    pub query: String,
    /// Tokens at most.
    ///
    /// 100 to 1,000,000, counted with the vocabulary `o200k_base` and 4 tokens for the frame of each message. A model with another
    /// vocabulary counts differently: leave a margin.
    #[serde(default = "default_budget")]
    #[schemars(range(min = 100, max = 1_000_000))]
    pub budget: u32,
    /// The order of the blocks.
    #[serde(default = "default_order")]
    pub order: BlockOrder,
    /// The model that will read the context.
    ///
    /// It is only logged. 1 to 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub model: Option<String>,
    /// The role that you play: skills of other roles are left out.
    ///
    /// 1 to 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub role: Option<String>,
    /// The project you work on, by id or slug: of other projects only what fits very well is included, after everything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The repository you work on, by id or slug.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The person you are talking to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
    /// The connections that are in use: what is known about others is left out.
    ///
    /// By default all connections of the person that are active; an empty list means none. At most 200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub connections: Option<Vec<Uuid>>,
    /// Your system prompt; it is never cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Your name and constitution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_identity: Option<String>,
    /// Current directives, such as tone and caution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directives: Option<String>,
    /// A list of your artifacts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_index: Option<String>,
    /// The conversation so far, oldest first.
    ///
    /// At most 1000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000))]
    pub turns: Vec<ContextTurn>,
    /// Results of tools that you called in this session, oldest first.
    ///
    /// At most 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    pub tool_results: Vec<ToolResult>,
    /// Which parts of memory the context contains; for measuring.
    ///
    /// `none`: no memory, no profile and no documents. `working_memory`: only the narrative about the person. `all`, the default.
    #[serde(default = "default_tiers")]
    pub tiers: ContextTiers,
    /// False: find memories and documents by words alone; for measuring.
    #[serde(default = "default_vectors")]
    pub vectors: bool,
}

fn default_budget() -> u32 {
    8_000
}

fn default_order() -> BlockOrder {
    BlockOrder::StableFirst
}

fn default_tiers() -> ContextTiers {
    ContextTiers::All
}

fn default_vectors() -> bool {
    true
}

impl AssembleRequest {
    /// A request without blocks of the caller, within the default budget.
    pub fn new(query: &str) -> Self {
        Self {
            query: query.into(),
            budget: default_budget(),
            order: default_order(),
            model: None,
            role: None,
            project: None,
            repo: None,
            user_id: None,
            connections: None,
            system_prompt: None,
            agent_identity: None,
            directives: None,
            artifact_index: None,
            turns: vec![],
            tool_results: vec![],
            tiers: default_tiers(),
            vectors: default_vectors(),
        }
    }
}

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextTurn {
    pub role: TurnRole,
    /// The speaker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// 1 byte to 256 KiB.
    pub content: String,
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolResult {
    /// The tool's name.
    pub tool: String,
    /// The id of the call, as your model's API knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// 1 byte to 256 KiB.
    pub content: String,
}

/// Answer of `assemble_context` and `POST /api/context`: a whole prompt, as messages and as one text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AssembledContext {
    /// The id of the context in the context log.
    pub id: ContextId,
    /// All blocks as one Markdown text. The same state gives the same bytes.
    pub text: String,
    /// The same as messages, for a chat API.
    pub messages: Vec<ContextMessage>,
    /// Tokens of `text`, and of `messages` with their frames, at most.
    pub tokens: u32,
    pub budget: u32,
    /// The vocabulary that tokens are counted with.
    pub tokenizer: String,
    /// SHA-256 of `text`, in hexadecimal digits.
    pub hash: String,
    /// Bytes of `text` up to the last cache breakpoint: they are the same in the next turn, unless memory or settings change.
    pub stable_bytes: u32,
    /// In the order of the text.
    pub blocks: Vec<ContextBlock>,
    /// What was cut to fit the budget.
    pub cut: Vec<ContextCut>,
    /// Blocks and steps that could not be provided in time.
    pub degraded: Vec<String>,
}

/// A message of an assembled context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ContextMessage {
    pub role: MessageRole,
    /// The speaker of a turn, or the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The id of a tool's call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    pub content: String,
    /// True: the prompt up to the end of this message seldom changes, so ask the provider to cache it.
    pub cache_breakpoint: bool,
}

/// One block of an assembled context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ContextBlock {
    pub name: BlockName,
    pub tokens: u32,
    /// Length of its part of the text, in bytes. The parts follow each other.
    #[serde(default)]
    pub bytes: u32,
    /// Where its content comes from, in its order.
    pub items: Vec<BlockItem>,
}

/// Where a part of a block comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BlockItem {
    pub origin: ItemOrigin,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_id: Option<MemoryId>,
    /// The owner of the memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short_id: Option<String>,
    /// The version of the memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_id: Option<DocumentId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk_id: Option<ChunkId>,
    /// Of a skill: its path in the folder of skills.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_tag: Option<SourceTag>,
    /// Of a memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// The score of a retrieved item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Where it was said or written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citation: Option<String>,
    /// Why it is here, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

impl BlockItem {
    /// An item of which only the origin is known.
    pub fn of(origin: ItemOrigin) -> Self {
        Self {
            origin,
            memory_id: None,
            agent_id: None,
            short_id: None,
            version: None,
            document_id: None,
            chunk_id: None,
            path: None,
            source_tag: None,
            provenance: None,
            score: None,
            citation: None,
            because: None,
        }
    }
}

/// What was cut from one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ContextCut {
    pub block: BlockName,
    pub action: CutAction,
    /// Turns that were condensed, or items that were left out.
    pub items: u32,
    /// Tokens that this saved.
    pub tokens: u32,
}
