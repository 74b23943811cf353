//! search: memories by words and meaning, best first, without a floor.

use super::{Floors, Manner, answer};
use crate::api::{Ranking, RecallRequest, RecallResponse, SearchRequest};
use crate::engine::Engine;
use crate::error::Error;
use crate::op::OpContext;

/// Searches the agent's memories and the commons under the ranking `hybrid`. Every memory may be among the k best, however weak, unless
/// `fewer` asks for the strong ones alone; knowledge is not asked. It is logged like a recall, and can be replayed.
///
/// # Errors
/// As [`super::recall`].
pub async fn search(engine: &Engine, ctx: &OpContext, request: SearchRequest) -> Result<RecallResponse, Error> {
    let SearchRequest { query, k, user_id, filters, fewer, as_of } = request;
    let question = RecallRequest { query, k, expected: false, user_id, ranking: Some(Ranking::Hybrid), filters, as_of };
    answer(engine, ctx, question, Manner { fewer, ..FLOORLESS }).await
}

/// A recall of memories alone in which nothing is too weak: what an evaluation compares rankings by.
///
/// # Errors
/// As [`super::recall`].
pub async fn without_floor(engine: &Engine, ctx: &OpContext, request: RecallRequest) -> Result<RecallResponse, Error> {
    answer(engine, ctx, request, FLOORLESS).await
}

const FLOORLESS: Manner = Manner { knowledge: false, floors: Some(Floors { vector: 0.0, lexical: 0.0 }), fewer: false };
