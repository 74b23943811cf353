//! The retrieval log over HTTP: an agent's recalls, and their replay.

use super::Api;
use super::caller::Caller;
use super::error::ApiError;
use super::params::{OfUser, Parameters, Query, Segment};
use axum::Json;
use axum::extract::State;
use remembrancer::recall;
use wire::{Page, Replay, Retrieval, RetrievalDetail, RetrievalFilter, RetrievalId};

/// `GET /api/retrievals`: the agent's own recalls, newest first.
pub async fn list(
    State(api): State<Api>,
    Caller(ctx): Caller,
    Query(filter): Query<RetrievalFilter>,
) -> Result<Json<Page<Retrieval>>, ApiError> {
    Ok(Json(recall::retrievals(&api.engine, &ctx, &filter).await?))
}

/// `GET /api/retrievals/{id}`: one recall with every candidate.
pub async fn detail(
    State(api): State<Api>,
    Caller(ctx): Caller,
    id: Segment<RetrievalId>,
    parameters: Parameters<OfUser>,
) -> Result<Json<RetrievalDetail>, ApiError> {
    Ok(Json(recall::retrieval(&api.engine, &ctx, id.id("retrieval")?, parameters.user()?.as_ref()).await?))
}

/// `GET /api/retrievals/{id}/replay`: the answer to the same question, as of its time and as of now.
pub async fn replay(
    State(api): State<Api>,
    Caller(ctx): Caller,
    id: Segment<RetrievalId>,
    parameters: Parameters<OfUser>,
) -> Result<Json<Replay>, ApiError> {
    Ok(Json(recall::replay(&api.engine, &ctx, id.id("retrieval")?, parameters.user()?.as_ref()).await?))
}
