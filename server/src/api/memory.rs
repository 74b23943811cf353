//! The contract of `/api/memory/`: categorised memories by short id, the block that a prompt holds, chat commands.

use super::caller::Caller;
use super::input::{self, Parameters};
use super::{Api, respond};
use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use remembrancer::api::{AddMemoryRequest, CommandRequest, ErrorCode, MemoryRef, PutMemoryRequest, RequestId, Scope, UpdateMemoryRequest};
use remembrancer::{Error, OpContext, contract, tools};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// What is noted as the source of what came this way.
const REST: &str = "rest";

/// On this contract a body that is not valid is 422, in our shape.
fn refused(error: Error, id: Option<RequestId>) -> Response {
    unprocessable(respond::error(&error, id))
}

fn unprocessable(mut response: Response) -> Response {
    if response.status() == StatusCode::BAD_REQUEST {
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    }
    response
}

/// Who may not write learns nothing about the body.
fn read<T: DeserializeOwned>(
    ctx: &OpContext,
    scope: Scope,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<T, Box<Response>> {
    let id = Some(ctx.request_id);
    ctx.require(scope).map_err(|error| Box::new(respond::error(&error, id)))?;
    let body = input::json(headers, body, super::BODY_MAX, id).map_err(|refusal| Box::new(unprocessable(*refusal)))?;
    tools::read(body).map_err(|error| Box::new(refused(error, id)))
}

/// What is not even the form of an id is not there.
fn named(id: &str) -> Result<MemoryRef, Error> {
    id.parse().map_err(|_| Error::NotFound("memory"))
}

/// `GET /api/memory/`: every entry, by category, then creation.
pub async fn list(State(api): State<Api>, Caller(ctx): Caller, parameters: Parameters) -> Response {
    let listed = async { contract::list(&api.engine, &ctx, parameters.user()?).await };
    match listed.await {
        Ok(list) => Json(list).into_response(),
        Err(error) => refused(error, Some(ctx.request_id)),
    }
}

/// `GET /api/memory/{id}`: one entry with its versions.
pub async fn get(State(api): State<Api>, Path(id): Path<String>, Caller(ctx): Caller, parameters: Parameters) -> Response {
    let found = async { contract::get(&api.engine, &ctx, &named(&id)?, parameters.user()?).await };
    match found.await {
        Ok(memory) => Json(memory).into_response(),
        Err(error) => refused(error, Some(ctx.request_id)),
    }
}

/// `POST /api/memory/`: 201 with the new entry, or 409 `similar_exists` with the one to update instead.
pub async fn create(
    State(api): State<Api>,
    Caller(ctx): Caller,
    parameters: Parameters,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let request: AddMemoryRequest = match read(&ctx, Scope::MemoryWrite, &headers, body) {
        Ok(request) => request,
        Err(refusal) => return *refusal,
    };
    let added = async {
        let user_id = request.user_id.or(parameters.user()?);
        contract::add(&api.engine, &ctx, AddMemoryRequest { user_id, ..request }, REST).await
    };
    match added.await {
        Ok(added) => match (added.memory, added.suggestion) {
            (Some(memory), _) => (StatusCode::CREATED, Json(memory)).into_response(),
            (None, suggestion) => similar(&json!(suggestion), ctx.request_id),
        },
        Err(error) => refused(error, Some(ctx.request_id)),
    }
}

fn similar(suggestion: &Value, id: RequestId) -> Response {
    let message = "an entry that is there says this already, or said it until now: update it instead";
    let detail = json!({ "code": ErrorCode::SimilarExists, "message": message, "request_id": id });
    (StatusCode::CONFLICT, Json(json!({ "error": detail, "suggestion": suggestion }))).into_response()
}

/// `PUT /api/memory/{id}`: new content, as the next version.
pub async fn update(
    State(api): State<Api>,
    Path(id): Path<String>,
    Caller(ctx): Caller,
    parameters: Parameters,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let PutMemoryRequest { content } = match read(&ctx, Scope::MemoryWrite, &headers, body) {
        Ok(request) => request,
        Err(refusal) => return *refusal,
    };
    let updated = async {
        let request = UpdateMemoryRequest { memory_id: named(&id)?, content, user_id: parameters.user()? };
        contract::update(&api.engine, &ctx, request, REST).await
    };
    match updated.await {
        Ok((memory, _)) => Json(memory).into_response(),
        Err(error) => refused(error, Some(ctx.request_id)),
    }
}

/// `DELETE /api/memory/{id}`: soft; 204.
pub async fn delete(State(api): State<Api>, Path(id): Path<String>, Caller(ctx): Caller, parameters: Parameters) -> Response {
    let deleted = async { contract::delete(&api.engine, &ctx, &named(&id)?, parameters.user()?).await };
    match deleted.await {
        Ok(_) => StatusCode::NO_CONTENT.into_response(),
        Err(error) => refused(error, Some(ctx.request_id)),
    }
}

/// `GET /api/memory/prompt`: the block as Markdown; 304 if the caller's `If-None-Match` has it.
pub async fn prompt(State(api): State<Api>, Caller(ctx): Caller, parameters: Parameters, headers: HeaderMap) -> Response {
    let rendered = async { contract::prompt(&api.engine, &ctx, parameters.user()?).await };
    let block = match rendered.await {
        Ok(block) => block,
        Err(error) => return refused(error, Some(ctx.request_id)),
    };
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok()).any(|value| {
        let tags = value.split(',').map(|tag| tag.trim().trim_start_matches("W/"));
        tags.into_iter().any(|tag| tag == "*" || tag == block.etag)
    });
    let about = [(header::ETAG, block.etag), (header::CACHE_CONTROL, "private, no-cache".into()), (header::VARY, "authorization".into())];
    if known {
        return (StatusCode::NOT_MODIFIED, about).into_response();
    }
    (about, [(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], block.text).into_response()
}

/// `POST /api/commands/memory`: a chat command, answered as text.
pub async fn command(State(api): State<Api>, Caller(ctx): Caller, headers: HeaderMap, body: Result<Bytes, BytesRejection>) -> Response {
    let id = Some(ctx.request_id);
    if let Err(error) = ctx.require(Scope::MemoryRead) {
        return respond::error(&error, id);
    }
    let request: CommandRequest = match input::json(&headers, body, super::BODY_MAX, id).map(tools::read) {
        Ok(Ok(request)) => request,
        Ok(Err(error)) => return respond::error(&error, id),
        Err(refusal) => return *refusal,
    };
    match contract::command(&api.engine, &ctx, request).await {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => respond::error(&error, id),
    }
}
