//! The retrieval log over HTTP: an agent's recalls, and their replay.

use super::caller::Caller;
use super::error::Answer;
use super::params::{OfUser, Parameters, Query, Segment};
use axum::Json;
use remembrancer::recall;
use wire::{Page, Replay, Retrieval, RetrievalDetail, RetrievalFilter, RetrievalId};

/// `GET /api/retrievals`: the agent's own recalls, newest first.
pub async fn list(Caller(engine, ctx): Caller, Query(filter): Query<RetrievalFilter>) -> Answer<Page<Retrieval>> {
    Ok(Json(recall::retrievals(&engine, &ctx, &filter).await?))
}

/// `GET /api/retrievals/{id}`: one recall with every candidate.
pub async fn detail(Caller(engine, ctx): Caller, id: Segment<RetrievalId>, parameters: Parameters<OfUser>) -> Answer<RetrievalDetail> {
    Ok(Json(recall::retrieval(&engine, &ctx, id.id("retrieval")?, parameters.user()?.as_ref()).await?))
}

/// `GET /api/retrievals/{id}/replay`: the answer to the same question, as of its time and as of now.
pub async fn replay(Caller(engine, ctx): Caller, id: Segment<RetrievalId>, parameters: Parameters<OfUser>) -> Answer<Replay> {
    Ok(Json(recall::replay(&engine, &ctx, id.id("retrieval")?, parameters.user()?.as_ref()).await?))
}
