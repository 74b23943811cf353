//! `assemble`: the whole prompt of one model call. It gathers, cuts what the budget demands, and renders.

pub mod block;
mod condense;
mod fit;
mod gather;
mod render;
mod reports;
#[cfg(test)]
mod tests;

use super::log;
use crate::memory_block;
use crate::profile::documents::{check_named, require_connections};
use crate::recall;
use async_recursion::async_recursion as boxed;
use block::{Block, Piece, message};
use chrono::{DateTime, Utc};
use fit::{TooLarge, fit, older_turns};
use foundation::heavy::off_thread;
use foundation::identity::acting_for;
use foundation::{Checks, Engine, Error, OpContext, projects};
use gather::{Gathered, Place};
use render::Rendered;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use tokio::time::Instant;
use verb::verb;
use wire::{
    AgentId, AssembleRequest, AssembledContext, BLOCK_MAX, BlockItem, BlockName, CONTEXT_BUDGET, CONTEXT_NAME_MAX, ContextBlock,
    ContextCut, ContextId, ContextTurn, ItemOrigin, KeyScope, MemoryId, MessageRole, QUERY_MAX, TOOL_RESULTS_MAX, TURNS_MAX, ToolResult,
    TurnRole,
};
use words::tokens::TOKENIZER;

/// Assembles the prompt of one model call within a budget of tokens: the caller's blocks, skills, the memory block, the profile of the user,
/// what memory and knowledge have on the query, turns, results of tools, and the time. A block that is late or out of reach is left out, and
/// `degraded` names it. Retrieved memories count as recalled. The context log keeps what the context consists of.
///
/// # Errors
/// `Forbidden` without `context:read`; `NotFound` for a connection that the user does not have; `Invalid` with every field that is wrong, for
/// a slug that names no project or repository, and for `budget` if what is never cut does not fit.
#[verb(turns = request.turns.len())]
pub async fn assemble(engine: &Engine, ctx: &OpContext, request: AssembleRequest) -> Result<AssembledContext, Error> {
    ctx.agent_id()?;
    ctx.require(KeyScope::ContextRead)?;
    check(&request)?;
    let (at, start) = (engine.clock().now(), Instant::now());
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    require_connections(engine, ctx, request.connections.as_deref()).await?;
    let request = Arc::new(request);
    let Built { context, accessed, .. } = build(engine, ctx, &request).await?;
    recall::count_accesses(engine, ctx, &accessed);
    let cut = if context.cut.is_empty() { "false" } else { "true" };
    metrics::counter!("agent_memory_contexts_total", "cut" => cut).increment(1);
    log::write(engine, ctx, request, &context, at, start.elapsed());
    Ok(context)
}

/// A context that was assembled without a trace.
pub(super) struct Built {
    pub context: AssembledContext,
    /// The memories that it retrieved.
    pub accessed: Vec<(AgentId, MemoryId)>,
    /// Steps with their milliseconds.
    pub timings: Vec<(String, f64)>,
}

/// Assembles a context without a trace.
#[boxed]
pub(super) async fn build(engine: &Engine, ctx: &OpContext, request: &Arc<AssembleRequest>) -> Result<Built, Error> {
    let now = engine.clock().now();
    let own = Arc::clone(request);
    let (project, repo) = projects::named(engine, ctx, request.project.as_deref(), request.repo.as_deref()).await?;
    let gathering = gather::gather(engine, ctx, request, Place { project, repo });
    let (brought, mut gathered) = tokio::join!(timed(off_thread(move || of_caller(&own))), gathering);
    gathered.timings.push(("count the caller's blocks".into(), brought.millis));
    let mut blocks = brought.value?;
    blocks.append(&mut gathered.blocks);
    blocks.push(time(now));
    block::sort(&mut blocks, request.order);

    let budget = usize::try_from(request.budget).unwrap_or(usize::MAX);
    let condensed = condensed(engine, ctx, &blocks, budget, &mut gathered).await?;
    let entries = std::mem::take(&mut gathered.entries);
    let composed = timed(off_thread(move || compose(blocks, condensed, &entries, budget))).await;
    gathered.timings.push(("fit and render".into(), composed.millis));
    let Composed { blocks, tokens, cut, rendered, hash, accessed } =
        composed.value?.map_err(|too_large| refusal(request.budget, &too_large))?;
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let context = AssembledContext {
        id: ContextId(engine.clock().id()),
        hash,
        text: rendered.text,
        messages: rendered.messages,
        tokens: number(tokens),
        budget: request.budget,
        tokenizer: TOKENIZER.into(),
        stable_bytes: number(rendered.stable_bytes),
        blocks,
        cut,
        degraded: gathered.degraded,
    };
    Ok(Built { context, accessed, timings: gathered.timings })
}

/// The message that stands for the older turns, if the blocks exceed the budget and there are any.
async fn condensed(
    engine: &Engine,
    ctx: &OpContext,
    blocks: &[Block],
    budget: usize,
    gathered: &mut Gathered,
) -> Result<Option<Piece>, Error> {
    if block::total(blocks) <= budget || older_turns(blocks).is_empty() {
        return Ok(None);
    }
    let condensed = timed(condense::condense(engine, ctx, older_turns(blocks).to_vec())).await;
    gathered.timings.push(("condense turns".into(), condensed.millis));
    let (piece, missed) = condensed.value?;
    gathered.degraded.extend(missed.as_ref().map(ToString::to_string));
    Ok(Some(piece))
}

/// Blocks that fit, and what they render to.
struct Composed {
    blocks: Vec<ContextBlock>,
    tokens: usize,
    cut: Vec<ContextCut>,
    rendered: Rendered,
    hash: String,
    /// The memories that were retrieved and are still in it.
    accessed: Vec<(AgentId, MemoryId)>,
}

fn compose(blocks: Vec<Block>, condensed: Option<Piece>, entries: &memory_block::Entries, budget: usize) -> Result<Composed, TooLarge> {
    let (blocks, cut) = fit(blocks, condensed, (entries.len(), &|most| gather::memory_block(entries, most)), budget)?;
    let rendered = render::render(&blocks);
    Ok(Composed {
        hash: hex::encode(Sha256::digest(&rendered.text)),
        rendered,
        cut,
        tokens: block::total(&blocks),
        accessed: gather::retrieved(&blocks),
        blocks: blocks.iter().map(Block::listed).collect(),
    })
}

/// What a step gave, and how long it took.
struct Timed<T> {
    value: T,
    millis: f64,
}

async fn timed<T>(step: impl Future<Output = T>) -> Timed<T> {
    let start = Instant::now();
    let value = step.await;
    Timed { value, millis: start.elapsed().as_secs_f64() * 1000.0 }
}

fn refusal(budget: u32, too_large: &TooLarge) -> Error {
    let over = too_large.tokens.saturating_sub(usize::try_from(budget).unwrap_or(usize::MAX));
    let largest: Vec<String> = too_large.largest.iter().map(|(name, tokens)| format!("{name} {tokens}")).collect();
    let message = format!(
        "is {budget}; the blocks that are never cut have {} tokens, {over} too many (the largest blocks: {})",
        too_large.tokens,
        largest.join(", ")
    );
    Error::invalid("budget", message)
}

/// Checks what a request brings.
pub(super) fn check(request: &AssembleRequest) -> Result<(), Error> {
    let mut checks = Checks::default();
    let (least, most) = (CONTEXT_BUDGET.start(), CONTEXT_BUDGET.end());
    checks
        .bytes("query", &request.query, QUERY_MAX)
        .that(CONTEXT_BUDGET.contains(&request.budget), "budget", format!("is {}; it may be {least} to {most}", request.budget))
        .optional_text("model", request.model.as_deref(), CONTEXT_NAME_MAX)
        .optional_text("role", request.role.as_deref(), CONTEXT_NAME_MAX);
    let texts = [
        ("system_prompt", &request.system_prompt),
        ("agent_identity", &request.agent_identity),
        ("directives", &request.directives),
        ("artifact_index", &request.artifact_index),
    ];
    for (field, text) in texts.into_iter().filter_map(|(field, text)| Some((field, text.as_deref()?))) {
        checks.bytes(field, text, BLOCK_MAX);
    }
    check_named(&mut checks, request.connections.as_deref());
    let many = |things: usize, most: usize| format!("has {things} items; at most {most} are allowed");
    checks.that(request.turns.len() <= TURNS_MAX, "turns", many(request.turns.len(), TURNS_MAX));
    checks.that(request.tool_results.len() <= TOOL_RESULTS_MAX, "tool_results", many(request.tool_results.len(), TOOL_RESULTS_MAX));
    for (place, turn) in request.turns.iter().take(TURNS_MAX).enumerate() {
        checks.bytes(&format!("turns[{place}].content"), &turn.content, BLOCK_MAX);
        checks.optional_text(&format!("turns[{place}].name"), turn.name.as_deref(), CONTEXT_NAME_MAX);
    }
    for (place, result) in request.tool_results.iter().take(TOOL_RESULTS_MAX).enumerate() {
        checks.bytes(&format!("tool_results[{place}].content"), &result.content, BLOCK_MAX);
        checks.text(&format!("tool_results[{place}].tool"), &result.tool, CONTEXT_NAME_MAX);
        checks.optional_text(&format!("tool_results[{place}].call_id"), result.call_id.as_deref(), CONTEXT_NAME_MAX);
    }
    checks.done()
}

/// The blocks that the request brings.
fn of_caller(request: &AssembleRequest) -> Vec<Block> {
    let texts = [
        (BlockName::SystemPrompt, &request.system_prompt),
        (BlockName::AgentIdentity, &request.agent_identity),
        (BlockName::Directives, &request.directives),
        (BlockName::ArtifactIndex, &request.artifact_index),
    ];
    let paragraph = |(name, text): (BlockName, &Option<String>)| {
        Some(Block::new(name, vec![Piece::paragraph(text.as_deref()?, vec![BlockItem::of(ItemOrigin::Caller)])]))
    };
    let mut blocks: Vec<Block> = texts.into_iter().filter_map(paragraph).collect();
    if !request.turns.is_empty() {
        blocks.push(Block::new(BlockName::Turns, request.turns.iter().map(turn).collect()));
    }
    if !request.tool_results.is_empty() {
        blocks.push(Block::new(BlockName::ToolResults, request.tool_results.iter().map(tool_result).collect()));
    }
    blocks
}

fn turn(turn: &ContextTurn) -> Piece {
    let role = match turn.role {
        TurnRole::User => MessageRole::User,
        TurnRole::Assistant => MessageRole::Assistant,
    };
    let title = turn.name.as_deref().map_or_else(|| role.to_string(), |name| format!("{role} ({name})"));
    Piece::message(&title, message(role, turn.name.clone(), None, turn.content.clone()), BlockItem::of(ItemOrigin::Caller))
}

fn tool_result(result: &ToolResult) -> Piece {
    let said = message(MessageRole::Tool, Some(result.tool.clone()), result.call_id.clone(), result.content.clone());
    Piece::message(&result.tool, said, BlockItem::of(ItemOrigin::Caller))
}

/// To the minute: the same minute gives the same bytes.
fn time(now: DateTime<Utc>) -> Block {
    let text = now.format("%A, %-d %B %Y, %H:%M UTC").to_string();
    Block::new(BlockName::Time, vec![Piece::paragraph(&text, vec![BlockItem::of(ItemOrigin::Server)])])
}
