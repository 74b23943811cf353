//! The contract of `/api/memory/`: categorised memories by short id, the memory block of a prompt, chat commands.

use super::Api;
use super::body::UnreadBody;
use super::caller::Caller;
use super::error::ApiError;
use super::params::{Parameters, Segment};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use remembrancer::api::{
    AddMemoryRequest, CommandRequest, CommandResponse, MemoryListResponse, MemoryResponse, MemoryWithVersions, PutMemoryRequest, Scope,
    UpdateMemoryRequest,
};
use remembrancer::contract;

/// The platform that is recorded if a request names no source.
const REST: &str = "rest";

/// Makes routes answer 422 where the rest of the API answers 400, as this contract demands.
pub fn contract(methods: MethodRouter<Api>) -> MethodRouter<Api> {
    methods.layer(map_response(|mut response: Response| async {
        if response.status() == StatusCode::BAD_REQUEST {
            *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
        }
        response
    }))
}

/// `GET /api/memory/`: every entry, by category, then creation.
pub async fn list(State(api): State<Api>, Caller(ctx): Caller, parameters: Parameters) -> Result<Json<MemoryListResponse>, ApiError> {
    Ok(Json(contract::list(&api.engine, &ctx, parameters.user()?.as_ref()).await?))
}

/// `GET /api/memory/{id}`: one entry with its versions.
pub async fn get(
    State(api): State<Api>,
    Caller(ctx): Caller,
    id: Segment,
    parameters: Parameters,
) -> Result<Json<MemoryWithVersions>, ApiError> {
    Ok(Json(contract::get(&api.engine, &ctx, &id.id("memory")?, parameters.user()?.as_ref()).await?))
}

/// `POST /api/memory/`: 201 with the new entry, or 409 `similar_exists` with the one to update instead.
pub async fn create(
    State(api): State<Api>,
    Caller(ctx): Caller,
    parameters: Parameters,
    body: UnreadBody,
) -> Result<(StatusCode, Json<MemoryResponse>), ApiError> {
    let request: AddMemoryRequest = body.read(&ctx, Scope::MemoryWrite).await?;
    let user_id = request.user_id.or(parameters.user()?);
    let added = contract::add(&api.engine, &ctx, AddMemoryRequest { user_id, ..request }, REST).await?;
    match added.memory {
        Some(memory) => Ok((StatusCode::CREATED, Json(memory))),
        None => Err(ApiError::SimilarExists(added.suggestion.map(Box::new))),
    }
}

/// `PUT /api/memory/{id}`: new content, as the next version.
pub async fn update(
    State(api): State<Api>,
    Caller(ctx): Caller,
    id: Segment,
    parameters: Parameters,
    body: UnreadBody,
) -> Result<Json<MemoryResponse>, ApiError> {
    let PutMemoryRequest { content, source } = body.read(&ctx, Scope::MemoryWrite).await?;
    let request = UpdateMemoryRequest { memory_id: id.id("memory")?, content, source, user_id: parameters.user()? };
    let (memory, _) = contract::update(&api.engine, &ctx, request, REST).await?;
    Ok(Json(memory))
}

/// `DELETE /api/memory/{id}`: soft; 204.
pub async fn delete(State(api): State<Api>, Caller(ctx): Caller, id: Segment, parameters: Parameters) -> Result<StatusCode, ApiError> {
    contract::delete(&api.engine, &ctx, &id.id("memory")?, parameters.user()?.as_ref()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `GET /api/memory/prompt`: the block as Markdown; 304 if it matches the caller's `If-None-Match`.
pub async fn prompt(State(api): State<Api>, Caller(ctx): Caller, parameters: Parameters, headers: HeaderMap) -> Result<Response, ApiError> {
    let block = contract::prompt(&api.engine, &ctx, parameters.user()?.as_ref()).await?;
    let unchanged = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok()).any(|value| {
        let mut tags = value.split(',').map(|tag| tag.trim().trim_start_matches("W/"));
        tags.any(|tag| tag == "*" || tag == block.etag)
    });
    let about = [
        (header::ETAG, block.etag),
        (header::CACHE_CONTROL, "private, no-cache".into()),
        (header::VARY, "authorization, x-remembrancer-user".into()),
    ];
    if unchanged {
        return Ok((StatusCode::NOT_MODIFIED, about).into_response());
    }
    Ok((about, [(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], block.text).into_response())
}

/// `POST /api/commands/memory`: a chat command, answered as text.
pub async fn command(State(api): State<Api>, Caller(ctx): Caller, body: UnreadBody) -> Result<Json<CommandResponse>, ApiError> {
    let request: CommandRequest = body.read(&ctx, Scope::MemoryRead).await?;
    Ok(Json(contract::command(&api.engine, &ctx, request).await?))
}
