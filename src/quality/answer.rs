//! Reported answers: which memories of an assembled context reappear in what the agent answered.

use super::store::{self, Answer};
use crate::context;
use crate::memories::{self, model::Memory};
use foundation::idempotency::Once;
use foundation::identity::acting_for;
use foundation::intake::Admitted;
use foundation::{Checks, Engine, Error, OpContext};
use std::collections::BTreeSet;
use verb::verb;
use wire::{ANSWER_MAX, AnswerRequest, AnswerUse, BlockName, ContextId, KeyScope, MemoryId};
use words::overlap::reappears;
use words::stems;

/// Blocks whose memories count as injected facts.
const BLOCKS: [BlockName; 3] = [BlockName::Memory, BlockName::Facts, BlockName::Episodes];

/// Compares an answer with the memories of the context that it was given: a memory is used if the answer has at least half of its content
/// words. The result is stored with the context's row of the log, in place of an earlier one; the answer is not. Memories that were forgotten
/// or have expired since do not count.
///
/// # Errors
/// `Forbidden` without `context:read`; `Invalid` for an empty or too long text; `NotFound` for another agent's, user's or tenant's context, or
/// one that the log does not have or no longer keeps.
#[verb]
pub async fn report_answer(engine: &Engine, ctx: &OpContext, id: ContextId, request: AnswerRequest) -> Result<AnswerUse, Error> {
    let agent_id = ctx.agent_id()?;
    ctx.require(KeyScope::ContextRead)?;
    let request = Admitted::new(request)?;
    Checks::default().bytes("text", &request.text, ANSWER_MAX).done()?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    let once = Once::new(engine, ctx, "report_answer", &Admitted::new(id)?.with(request.clone()))?;
    let (tenancy, now) = (ctx.tenancy(), engine.clock().now());
    let said = stems::terms(&request.text);
    let mut tx = engine.db().memory.begin(tenancy).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let entry = context::store::context(&mut tx, tenancy, id).await?.filter(|entry| entry.agent_id == agent_id);
    let entry = entry.ok_or(Error::NotFound("context"))?;
    let blocks = entry.blocks.iter().filter(|block| BLOCKS.contains(&block.name));
    let ids: BTreeSet<MemoryId> = blocks.flat_map(|block| &block.items).filter_map(|item| item.memory_id).collect();
    let ids: Vec<MemoryId> = ids.into_iter().collect();
    let mut injected = memories::store::by_ids(&mut tx, tenancy, None, &ids, false).await?;
    injected.retain(|memory| memory.deleted_at.is_none() && memory.expires_at.is_none_or(|end| end > now));
    let used: Vec<MemoryId> = injected.iter().filter(|memory| reappears(shown(memory), &said)).map(|memory| memory.id).collect();
    let count = i32::try_from(injected.len()).unwrap_or(i32::MAX);
    let stored = Answer { agent_id, context_id: id, user_id: entry.user_id, at: now, injected: count, memory_ids: &used };
    store::put_answer(&mut tx, tenancy, &stored).await?;
    let answer = AnswerUse { context_id: id, injected: i64::from(count), used };
    once.commit(tx, &answer, &[]).await?;
    let (used, unused) = (answer.used.len() as u64, (injected.len() - answer.used.len()) as u64);
    metrics::counter!("agent_memory_injected_facts_total", "used" => "true").increment(used);
    metrics::counter!("agent_memory_injected_facts_total", "used" => "false").increment(unused);
    Ok(answer)
}

/// The words of a memory that a context shows.
fn shown(memory: &Memory) -> &str {
    memory.summary.as_deref().unwrap_or(&memory.content)
}
