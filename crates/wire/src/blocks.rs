//! The blocks of an assembled context: their names, their orders, how often they change, and which of them a request wants.

use super::text_enum::text_enum;

text_enum! {
    /// A part of an assembled context.
    BlockName {
        /// What the caller passes; never cut.
        SystemPrompt = "system_prompt",
        /// The SKILL.md documents of the agent; never cut.
        Skills = "skills",
        /// What the caller passes.
        AgentIdentity = "agent_identity",
        /// What the caller passes.
        Directives = "directives",
        /// The memory block of `/api/memory/`.
        Memory = "memory",
        /// The narrative about the user.
        WorkingMemory = "working_memory",
        /// The profile of the user as JSON.
        StructuredData = "structured_data",
        /// What was learned about the user's connections.
        LearnedInfo = "learned_info",
        /// What the caller passes.
        ArtifactIndex = "artifact_index",
        /// Memories that answer the query, except episodes and those in the memory block: 5, or fewer if the budget is short.
        Facts = "facts",
        /// Episodes that answer the query: 5, or fewer if the budget is short.
        Episodes = "episodes",
        /// Parts of documents that answer the query: 5, or fewer if the budget is short.
        Knowledge = "knowledge",
        /// What the tools of the connections in use can do and hold, as far as it answers the query: 5, or fewer if the budget is short.
        Connections = "connections",
        /// Actions and workflow steps that agents reported, failures included, among the best 5 hits of `search_my_memories` for the query.
        Reports = "reports",
        /// Actions that succeeded or failed for similar tasks, as agents reported them: at most 3.
        SuggestedActions = "suggested_actions",
        /// The conversation so far. If the budget is short, all but the last 20 turns are condensed into one message; then the oldest are left out.
        Turns = "turns",
        /// Results of tools of the running session.
        ToolResults = "tool_results",
        /// The date and time of the server; always last.
        Time = "time",
    }
}

text_enum! {
    /// The order of the blocks.
    BlockOrder {
        /// What changes least comes first, so that a provider's cache of prompts holds as long as possible.
        StableFirst = "stable_first",
        /// The context of the person comes first: working memory, structured data, learned info, facts, agent identity, directives,
        /// artifact index.
        PersonalFirst = "personal_first",
    }
}

/// How often a block changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pace {
    /// When somebody changes the agent.
    Settings,
    /// When memory changes.
    Memory,
    /// In every turn.
    Turn,
}

impl BlockName {
    /// How often the block changes.
    pub fn pace(self) -> Pace {
        use BlockName::{
            AgentIdentity, ArtifactIndex, Directives, LearnedInfo, Memory, Skills, StructuredData, SystemPrompt, WorkingMemory,
        };
        match self {
            SystemPrompt | Skills | AgentIdentity | Directives => Pace::Settings,
            Memory | WorkingMemory | StructuredData | LearnedInfo | ArtifactIndex => Pace::Memory,
            _ => Pace::Turn,
        }
    }
}

text_enum! {
    /// Which parts of memory a context contains; to measure what memory is worth.
    ContextTiers {
        /// No memory: only skills, the time and the blocks that the caller passes.
        None = "none",
        /// Only the narrative about the user.
        WorkingMemory = "working_memory",
        /// Everything.
        All = "all",
    }
}

text_enum! {
    /// Where an item comes from.
    ItemOrigin {
        /// The request.
        Caller = "caller",
        /// A memory.
        Memory = "memory",
        /// The profile of the user.
        Profile = "profile",
        /// A document.
        Knowledge = "knowledge",
        /// A SKILL.md document.
        Skill = "skill",
        /// A connection of the user.
        Connection = "connection",
        /// An action that an agent reported.
        Action = "action",
        /// A workflow step that an agent reported.
        Step = "step",
        /// The server: the clock, or turns that it condensed.
        Server = "server",
    }
}

text_enum! {
    /// What was done to a block to fit the budget.
    CutAction {
        /// Its older turns became one message.
        Condensed = "condensed",
        /// Its weakest or oldest items were left out.
        LeftOut = "left_out",
    }
}
