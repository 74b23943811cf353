//! The tools, over HTTP.

use super::body::UnreadBody;
use super::caller::Caller;
use super::error::Answer;
use super::openapi::{Describe, Operation, Refusal};
use super::params::{Parameters, Segment, parameters};
use axum::Json;
use axum::http::StatusCode;
use foundation::Error;
use remembrancer::tools::{Tool, ToolList};
use remembrancer::{prompts, tools};
use serde_json::Value;
use wire::PromptList;

/// The address of a tool.
pub const CALL: &str = "/api/tools/{name}";

parameters! {
    /// The parameter of `GET /api/tools`.
    OfList {
        /// The most tools to list. System tools, which every agent has, do not count.
        limit: usize,
    }
}

/// `GET /api/tools`: every tool that the key may call, with its description and the JSON Schema of its input. `limit` restricts the number of
/// tools; system tools do not count.
pub async fn list(Caller(_, ctx): Caller, parameters: Parameters<OfList>) -> Answer<ToolList> {
    let OfList { limit } = parameters.read()?;
    Ok(Json(ToolList { tools: tools::offered(&ctx, limit).into_iter().map(|tool| tool.describe(&ctx)).collect() }))
}

/// `GET /api/prompts`: instructions for the calling agent on how to use the tools, with their names filled in.
pub async fn prompts(Caller(engine, ctx): Caller) -> Answer<PromptList> {
    Ok(Json(PromptList { prompts: prompts::for_agent(&engine, &ctx).await? }))
}

/// `POST /api/tools/{name}`: calls a tool with a JSON object.
pub async fn call(Caller(engine, ctx): Caller, Segment(name, _): Segment<String>, body: UnreadBody<Value>) -> Answer<Value> {
    let tool = tools::find(&name).ok_or(Error::NotFound("tool"))?;
    let call = tool.authorize(&ctx)?;
    let input = body.json().await?;
    Ok(Json(call.run(&engine, input).await?.value))
}

/// Describes the call of one tool.
pub fn describe_call(operation: &mut Operation, tool: &Tool) {
    Caller::describe(operation);
    operation.json_body(tool.types.input);
    operation.answers_schema(StatusCode::OK, "Success. Fields without a value are left out.", tool.types.output);
    operation.refuses(Refusal::NotFound);
}
