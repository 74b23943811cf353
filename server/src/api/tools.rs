//! The tools, over HTTP.

use super::caller::Caller;
use super::{Api, respond};
use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use remembrancer::api::ErrorCode;
use remembrancer::{Error, tools};
use serde_json::json;

/// `GET /api/tools`: every tool with description and JSON Schema.
pub async fn list(_: Caller) -> Response {
    let described: Vec<_> = tools::all().iter().map(tools::Tool::describe).collect();
    Json(json!({ "tools": described })).into_response()
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
    let body = match body {
        Ok(body) => body,
        Err(rejection) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            return respond::refused(ErrorCode::TooLarge, &format!("the body is larger than {} bytes", super::BODY_MAX), id);
        }
        Err(_) => return respond::error(&Error::invalid("body", "could not be read to its end"), id),
    };
    if !is_json(&headers) {
        return respond::refused(ErrorCode::UnsupportedMediaType, "send the input as application/json", id);
    }
    let input = match serde_json::from_slice(&body) {
        Ok(input) => input,
        Err(error) => return respond::error(&Error::invalid("body", format!("is not JSON: {error}")), id),
    };
    match tool.call(&api.engine, &ctx, input).await {
        Ok(output) => Json(output).into_response(),
        Err(error) => respond::error(&error, id),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}
