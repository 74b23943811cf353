//! The tools, over HTTP.

use super::caller::Caller;
use super::input::{self, Parameters};
use super::{Api, respond};
use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use remembrancer::{Error, prompts, tools};
use serde_json::json;

/// `GET /api/tools`: every tool with description and JSON Schema; with `limit`, that many and the system tools, which count to no limit.
pub async fn list(Caller(ctx): Caller, parameters: Parameters) -> Response {
    let limit = match parameters.read("limit") {
        Ok(limit) => limit,
        Err(error) => return respond::error(&error, Some(ctx.request_id)),
    };
    let described: Vec<_> = tools::offered(limit).into_iter().map(tools::Tool::describe).collect();
    Json(json!({ "tools": described })).into_response()
}

/// `GET /api/prompts`: what the agent that asks is told about using them, with their names filled in.
pub async fn prompts(State(api): State<Api>, Caller(ctx): Caller) -> Response {
    match prompts::for_agent(&api.engine, &ctx).await {
        Ok(prompts) => Json(json!({ "prompts": prompts })).into_response(),
        Err(error) => respond::error(&error, Some(ctx.request_id)),
    }
}

/// `POST /api/tools/{name}`: calls a tool with a JSON object.
pub async fn call(
    State(api): State<Api>,
    Path(name): Path<String>,
    Caller(ctx): Caller,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = Some(ctx.request_id);
    let Some(tool) = tools::find(&name) else { return respond::error(&Error::NotFound("tool"), id) };
    // Whoever may not call a tool learns nothing about its input.
    if let Err(error) = ctx.require(tool.scope) {
        return respond::error(&error, id);
    }
    let input = match input::json(&headers, body, super::BODY_MAX, id) {
        Ok(input) => input,
        Err(refusal) => return *refusal,
    };
    match tool.call(&api.engine, &ctx, input).await {
        Ok(output) => Json(output).into_response(),
        Err(error) => respond::error(&error, id),
    }
}
