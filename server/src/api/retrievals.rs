//! The retrieval log over HTTP: what was asked, and the same question asked again.

use super::caller::Caller;
use super::{Api, respond};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use remembrancer::api::{RetrievalFilter, RetrievalId};
use remembrancer::{Error, recall};
use serde::Serialize;
use uuid::Uuid;

/// `GET /api/retrievals`: the agent's own recalls, newest first.
pub async fn list(State(api): State<Api>, Caller(ctx): Caller, filter: Result<Query<RetrievalFilter>, QueryRejection>) -> Response {
    let filter = match filter {
        Ok(Query(filter)) => filter,
        Err(rejection) => return respond::error(&Error::invalid("query", rejection.body_text()), Some(ctx.request_id)),
    };
    told(recall::retrievals(&api.engine, &ctx, &filter).await, ctx.request_id)
}

/// `GET /api/retrievals/{id}`: one recall with everything that it looked at.
pub async fn one(State(api): State<Api>, Caller(ctx): Caller, Path(id): Path<String>) -> Response {
    match Uuid::try_parse(&id) {
        Ok(id) => told(recall::retrieval(&api.engine, &ctx, RetrievalId(id)).await, ctx.request_id),
        Err(_) => respond::error(&Error::NotFound("retrieval"), Some(ctx.request_id)),
    }
}

/// `GET /api/retrievals/{id}/replay`: asked again, as of its time and today.
pub async fn replay(State(api): State<Api>, Caller(ctx): Caller, Path(id): Path<String>) -> Response {
    match Uuid::try_parse(&id) {
        Ok(id) => told(recall::replay(&api.engine, &ctx, RetrievalId(id)).await, ctx.request_id),
        Err(_) => respond::error(&Error::NotFound("retrieval"), Some(ctx.request_id)),
    }
}

fn told<T: Serialize>(answer: Result<T, Error>, id: remembrancer::api::RequestId) -> Response {
    match answer {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => respond::error(&error, Some(id)),
    }
}
