//! The tools, over HTTP.

use super::Api;
use super::body::UnreadBody;
use super::caller::Caller;
use super::error::ApiError;
use super::params::{Parameters, Segment};
use axum::Json;
use axum::extract::State;
use remembrancer::{Error, prompts, tools};
use serde_json::{Value, json};

/// `GET /api/tools`: every tool that the key may call, with its description and the JSON Schema of its input. `limit` restricts the number of
/// tools; system tools do not count.
pub async fn list(Caller(ctx): Caller, parameters: Parameters) -> Result<Json<Value>, ApiError> {
    let limit = parameters.parse("limit")?;
    let described: Vec<_> = tools::offered(&ctx, limit).into_iter().map(|tool| tool.describe(&ctx)).collect();
    Ok(Json(json!({ "tools": described })))
}

/// `GET /api/prompts`: instructions for the calling agent on how to use the tools, with their names filled in.
pub async fn prompts(State(api): State<Api>, Caller(ctx): Caller) -> Result<Json<Value>, ApiError> {
    let prompts = prompts::for_agent(&api.engine, &ctx).await?;
    Ok(Json(json!({ "prompts": prompts })))
}

/// `POST /api/tools/{name}`: calls a tool with a JSON object.
pub async fn call(State(api): State<Api>, Caller(ctx): Caller, Segment(name): Segment, body: UnreadBody) -> Result<Json<Value>, ApiError> {
    let tool = tools::find(&name).ok_or(Error::NotFound("tool"))?;
    let call = tool.authorize(&ctx)?;
    let input = body.json().await?;
    Ok(Json(call.run(&api.engine, input).await?.value))
}
