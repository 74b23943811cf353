//! One memory in full: the way down from a hit or a summary.

use super::caller::Caller;
use super::input::Parameters;
use super::{Api, respond};
use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use remembrancer::{Error, memories};
use serde_json::json;

/// `GET /api/memories/{memory_id}`: everything that is known of a memory, by id or short id.
pub async fn record(State(api): State<Api>, Path(name): Path<String>, Caller(ctx): Caller, parameters: Parameters) -> Response {
    let found = async {
        let name = name.parse().map_err(|_| Error::NotFound("memory"))?;
        memories::record(&api.engine, &ctx, &name, parameters.user()?).await
    };
    match found.await {
        Ok(record) => Json(record).into_response(),
        Err(error) => respond::error(&error, Some(ctx.request_id)),
    }
}

/// `GET /api/memories/{memory_id}/versions`: every state it was in, newest first; with `from` and `to`, those two and what differs.
pub async fn versions(State(api): State<Api>, Path(name): Path<String>, Caller(ctx): Caller, parameters: Parameters) -> Response {
    let found = async {
        let name = name.parse().map_err(|_| Error::NotFound("memory"))?;
        let user = parameters.user()?;
        match (parameters.read("from")?, parameters.read("to")?) {
            (None, None) => {
                let versions = memories::history(&api.engine, &ctx, &name, user).await?;
                Ok(json!({ "versions": versions }))
            }
            (Some(from), Some(to)) => Ok(json!(memories::compare(&api.engine, &ctx, &name, user, (from, to)).await?)),
            (None, Some(_)) => Err(Error::invalid("from", "is required with to")),
            (Some(_), None) => Err(Error::invalid("to", "is required with from")),
        }
    };
    match found.await {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => respond::error(&error, Some(ctx.request_id)),
    }
}
