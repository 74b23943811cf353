//! `/api/memory/`: the entries of the memory block by short id, the block as text, chat commands.

use super::body::UnreadBody;
use super::caller::Caller;
use super::error::{Answer, ApiError};
use super::openapi::{Created, Describe, NoContent, Operation};
use super::params::{OfUser, Parameters, Segment};
use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use remembrancer::memory_block;
use serde_json::json;
use std::convert::Infallible;
use wire::{
    AddMemoryRequest, CommandRequest, CommandResponse, KeyScope, MemoryListResponse, MemoryRef, MemoryResponse, MemoryWithVersions,
    PutMemoryRequest, UpdateMemoryRequest,
};

/// The platform that is recorded if a request names no source.
const REST: &str = "rest";

/// `GET /api/memory/`: every entry, by category, then creation.
pub async fn list(Caller(engine, ctx): Caller, parameters: Parameters<OfUser>) -> Answer<MemoryListResponse> {
    Ok(Json(memory_block::list(&engine, &ctx, parameters.user()?.as_ref()).await?))
}

/// `GET /api/memory/{id}`: one entry with its versions.
pub async fn get(Caller(engine, ctx): Caller, id: Segment<MemoryRef>, parameters: Parameters<OfUser>) -> Answer<MemoryWithVersions> {
    Ok(Json(memory_block::get(&engine, &ctx, &id.id("memory")?, parameters.user()?.as_ref()).await?))
}

/// `POST /api/memory/`: 201 with the new entry; 409 `similar_exists` with the one that says the same, or 409 `same_subject` with those that
/// say something else of the same subject.
pub async fn create(
    Caller(engine, ctx): Caller,
    parameters: Parameters<OfUser>,
    body: UnreadBody<AddMemoryRequest>,
) -> Result<Created<MemoryResponse>, ApiError> {
    let request = body.read(&ctx, KeyScope::MemoryWrite).await?;
    let user_id = request.user_id.or(parameters.user()?);
    let added = memory_block::add(&engine, &ctx, AddMemoryRequest { user_id, ..request }, REST).await?;
    match added.memory {
        Some(memory) => Ok(Created(memory)),
        None if added.same_subject.is_empty() => Err(ApiError::SimilarExists(added.suggestion.map(Box::new))),
        None => Err(ApiError::SameSubject(added.same_subject)),
    }
}

/// `PUT /api/memory/{id}`: new content, as the next version.
pub async fn update(
    Caller(engine, ctx): Caller,
    id: Segment<MemoryRef>,
    parameters: Parameters<OfUser>,
    body: UnreadBody<PutMemoryRequest>,
) -> Answer<MemoryResponse> {
    let PutMemoryRequest { content, source } = body.read(&ctx, KeyScope::MemoryWrite).await?;
    let request = UpdateMemoryRequest { memory_id: id.id("memory")?, content, source, user_id: parameters.user()? };
    let (memory, _) = memory_block::update(&engine, &ctx, request, REST).await?;
    Ok(Json(memory))
}

/// `DELETE /api/memory/{id}`: soft; 204.
pub async fn delete(Caller(engine, ctx): Caller, id: Segment<MemoryRef>, parameters: Parameters<OfUser>) -> Result<NoContent, ApiError> {
    memory_block::delete(&engine, &ctx, &id.id("memory")?, parameters.user()?.as_ref()).await?;
    Ok(NoContent)
}

/// The tags that the caller has already, as `If-None-Match` lists them.
pub struct KnownTags(Vec<String>);

impl<S: Sync> FromRequestParts<S> for KnownTags {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let values = parts.headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        Ok(Self(values.flat_map(|value| value.split(',')).map(|tag| tag.trim().trim_start_matches("W/").to_owned()).collect()))
    }
}

impl Describe for KnownTags {
    fn describe(operation: &mut Operation) {
        let description = "The `ETag` of the block that the caller has. If the block is still the same, the answer is 304.";
        operation.header_parameter("if-none-match", description, json!({ "type": "string", "pattern": "^[ -~]*$" }));
    }
}

/// The memory block of a prompt, or that the caller has it already.
pub struct PromptBlock {
    etag: String,
    /// Absent if it did not change.
    text: Option<String>,
}

impl IntoResponse for PromptBlock {
    fn into_response(self) -> Response {
        let about = [
            (header::ETAG, self.etag),
            (header::CACHE_CONTROL, "private, no-cache".into()),
            (header::VARY, "authorization, x-remembrancer-user".into()),
        ];
        match self.text {
            Some(text) => (about, [(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], text).into_response(),
            None => (StatusCode::NOT_MODIFIED, about).into_response(),
        }
    }
}

impl Describe for PromptBlock {
    fn describe(operation: &mut Operation) {
        operation.answers(StatusCode::OK, "The block, as Markdown.", &[("text/markdown", json!({ "type": "string" }))]);
        operation.answers(StatusCode::NOT_MODIFIED, "The caller's copy of the block is current.", &[]);
        for status in [StatusCode::OK, StatusCode::NOT_MODIFIED] {
            operation.answers_with_header(status, "ETag", "Identifies the content of the block, for `If-None-Match`.");
        }
    }
}

/// `GET /api/memory/prompt`: the block as Markdown; 304 if it matches the caller's `If-None-Match`.
pub async fn prompt(
    Caller(engine, ctx): Caller,
    parameters: Parameters<OfUser>,
    KnownTags(known): KnownTags,
) -> Result<PromptBlock, ApiError> {
    let block = memory_block::prompt(&engine, &ctx, parameters.user()?.as_ref()).await?;
    let unchanged = known.iter().any(|tag| tag == "*" || *tag == block.etag);
    Ok(PromptBlock { etag: block.etag, text: (!unchanged).then_some(block.text) })
}

/// `POST /api/commands/memory`: a chat command, answered as text.
pub async fn command(Caller(engine, ctx): Caller, body: UnreadBody<CommandRequest>) -> Answer<CommandResponse> {
    let request = body.read(&ctx, KeyScope::MemoryRead).await?;
    Ok(Json(memory_block::command(&engine, &ctx, request).await?))
}
