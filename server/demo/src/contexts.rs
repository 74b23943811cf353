//! Contexts that the demo's agents assembled before a model call, one of them cut. Everybody in them is invented.

use super::Failure;
use foundation::{Engine, OpContext};
use remembrancer::context;
use wire::{AssembleRequest, BlockOrder, ContextTurn, ToolResult, TurnRole};

/// A context that was assembled for one turn.
pub struct Assembled {
    pub agent: &'static str,
    pub minutes_ago: i64,
    query: &'static str,
    budget: u32,
    order: BlockOrder,
    /// What was said before: questions and their answers.
    said: &'static [(&'static str, &'static str)],
    /// How often: a long day at the release desk repeats itself.
    rounds: usize,
    tool: Option<(&'static str, &'static str)>,
}

pub const ASSEMBLED: &[Assembled] = &[
    Assembled {
        agent: "atlas",
        minutes_ago: 4_200,
        query: "Who approves releases?",
        budget: 8_000,
        order: BlockOrder::StableFirst,
        said: &[("Good morning, Atlas.", "Good morning, Vera. What can I do for you?")],
        rounds: 1,
        tool: None,
    },
    Assembled {
        agent: "binky",
        minutes_ago: 2_860,
        query: "Which builds are green?",
        budget: 2_000,
        order: BlockOrder::StableFirst,
        said: &[
            ("Is packaging through?", "Not yet. The signing step waits for the key in the old vault."),
            ("Tell Idris when it is.", "I will tell Idris as soon as the packages are signed."),
            ("What about the upload tests?", "They fail when the clock crosses midnight in UTC; they are being rewritten."),
            ("Freeze the branch at noon.", "The release branch freezes on Thursday at noon."),
        ],
        rounds: 16,
        tool: Some(("ci", "14 builds passed, 1 failed in packaging")),
    },
    Assembled {
        agent: "atlas",
        minutes_ago: 1_430,
        query: "Who approves releases?",
        budget: 8_000,
        order: BlockOrder::StableFirst,
        said: &[("Good morning, Atlas.", "Good morning, Vera. What can I do for you?")],
        rounds: 1,
        tool: None,
    },
    Assembled {
        agent: "atlas",
        minutes_ago: 80,
        query: "staging database",
        budget: 4_000,
        order: BlockOrder::PersonalFirst,
        said: &[("The staging database is slow today.", "I will look at it.")],
        rounds: 1,
        tool: Some(("psql", "pg-stage-2: 212 connections, 4 waiting for a lock")),
    },
];

/// Assembles a context.
///
/// # Errors
/// When what is never cut exceeds the budget.
pub async fn assemble(engine: &Engine, ctx: &OpContext, assembled: &Assembled) -> Result<(), Failure> {
    let turn = |role, content: &str| ContextTurn { role, name: None, content: content.to_owned() };
    let pair = |(question, answer): &(&str, &str)| [turn(TurnRole::User, question), turn(TurnRole::Assistant, answer)];
    let said = std::iter::repeat_n(assembled.said, assembled.rounds).flatten().flat_map(pair);
    let result = |(tool, content): (&str, &str)| ToolResult { tool: tool.to_owned(), call_id: None, content: content.to_owned() };
    let request = AssembleRequest {
        budget: assembled.budget,
        order: assembled.order,
        model: Some("gpt-4o-mini".into()),
        system_prompt: Some("You work for Acme. Say what you know, and say when you do not know.".into()),
        agent_identity: Some(format!("Name: {}", assembled.agent)),
        directives: Some("Answer in three sentences at most.".into()),
        turns: said.chain([turn(TurnRole::User, assembled.query)]).collect(),
        tool_results: assembled.tool.map(result).into_iter().collect(),
        ..AssembleRequest::new(assembled.query)
    };
    context::assemble(engine, ctx, request).await?;
    // The log is written after the answer, with the time of the answer.
    engine.finish_deferred().await;
    Ok(())
}
