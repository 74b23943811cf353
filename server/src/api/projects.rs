//! Projects over HTTP.

use super::caller::Caller;
use super::{Api, input, respond};
use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use remembrancer::api::{ProjectLinkRequest, Scope};
use remembrancer::{OpContext, projects, tools};
use serde::de::DeserializeOwned;
use serde_json::json;

/// Who may not write learns nothing about the body.
fn read<T: DeserializeOwned>(ctx: &OpContext, headers: &HeaderMap, body: Result<Bytes, BytesRejection>) -> Result<T, Box<Response>> {
    let id = Some(ctx.request_id);
    ctx.require(Scope::CommonsWrite).map_err(|error| Box::new(respond::error(&error, id)))?;
    tools::read(input::json(headers, body, super::BODY_MAX, id)?).map_err(|error| Box::new(respond::error(&error, id)))
}

/// `GET /api/projects`: every project with its repositories and links.
pub async fn list(State(api): State<Api>, Caller(ctx): Caller) -> Response {
    match projects::list(&api.engine, &ctx).await {
        Ok(projects) => Json(json!({ "projects": projects })).into_response(),
        Err(error) => respond::error(&error, Some(ctx.request_id)),
    }
}

/// `POST /api/projects`: a new project.
pub async fn create(State(api): State<Api>, Caller(ctx): Caller, headers: HeaderMap, body: Result<Bytes, BytesRejection>) -> Response {
    let new = match read(&ctx, &headers, body) {
        Ok(new) => new,
        Err(refusal) => return *refusal,
    };
    match projects::create(&api.engine, &ctx, new).await {
        Ok(project) => (StatusCode::CREATED, Json(project)).into_response(),
        Err(error) => respond::error(&error, Some(ctx.request_id)),
    }
}

/// `POST /api/projects/{project}/repos`: a new repository of a project.
pub async fn create_repo(
    State(api): State<Api>,
    Path(project): Path<String>,
    Caller(ctx): Caller,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let new = match read(&ctx, &headers, body) {
        Ok(new) => new,
        Err(refusal) => return *refusal,
    };
    match projects::create_repo(&api.engine, &ctx, &project, new).await {
        Ok(repo) => (StatusCode::CREATED, Json(repo)).into_response(),
        Err(error) => respond::error(&error, Some(ctx.request_id)),
    }
}

/// `POST /api/projects/{project}/links`: two projects bear on each other, or no longer.
pub async fn link(
    State(api): State<Api>,
    Path(project): Path<String>,
    Caller(ctx): Caller,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let request: ProjectLinkRequest = match read(&ctx, &headers, body) {
        Ok(request) => request,
        Err(refusal) => return *refusal,
    };
    let changed = if request.remove {
        projects::unlink(&api.engine, &ctx, &project, &request.project).await
    } else {
        projects::link(&api.engine, &ctx, &project, &request.project).await
    };
    match changed {
        Ok(changed) => Json(json!({ "changed": changed })).into_response(),
        Err(error) => respond::error(&error, Some(ctx.request_id)),
    }
}
