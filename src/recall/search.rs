//! search: memories by words and meaning, best first, without a floor.

use super::{Mode, answer, find_answer, log};
use foundation::registry::Floors;
use foundation::{Engine, Error, OpContext};
use verb::verb;
use wire::{KeyScope, Ranking, RecallRequest, RecallResponse, SearchRequest};

/// Searches the agent's memories and the commons under the ranking `hybrid`. Every memory may be among the k best, even a weak one, unless
/// `fewer` asks for strong ones only; knowledge is not searched. It is logged like a recall and can be replayed.
///
/// # Errors
/// As [`super::recall`].
#[verb]
pub async fn search(engine: &Engine, ctx: &OpContext, request: SearchRequest) -> Result<RecallResponse, Error> {
    let SearchRequest { query, k, user_id, filters, fewer, as_of } = request;
    let question = RecallRequest { query, k, expected: false, user_id, ranking: Some(Ranking::Hybrid), filters, as_of };
    answer(engine, ctx, question, Mode { fewer, ..FLOORLESS }).await
}

/// The hits for a task, and their entry of the log, which the caller writes with what the context gave: strong memories, and knowledge for keys
/// that may read it. Weak memories of other projects are left out.
///
/// # Errors
/// As [`super::recall`].
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn for_task(
    engine: &Engine,
    ctx: &OpContext,
    request: RecallRequest,
) -> Result<(RecallResponse, Option<Box<log::Entry>>), Error> {
    let knowledge = ctx.require(KeyScope::KbRead).is_ok();
    let request = RecallRequest { ranking: Some(Ranking::Hybrid), ..request };
    find_answer(engine, ctx, request, Mode { knowledge, floors: None, fewer: true, for_context: true }).await
}

/// A recall of memories alone without a floor: an evaluation compares rankings with it.
///
/// # Errors
/// As [`super::recall`].
#[verb]
pub async fn without_floor(engine: &Engine, ctx: &OpContext, request: RecallRequest) -> Result<RecallResponse, Error> {
    answer(engine, ctx, request, FLOORLESS).await
}

const FLOORLESS: Mode = Mode { knowledge: false, floors: Some(Floors { vector: 0.0, lexical: 0.0 }), fewer: false, for_context: false };
