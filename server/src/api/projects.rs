//! Projects over HTTP.

use super::Api;
use super::body::UnreadBody;
use super::caller::Caller;
use super::error::ApiError;
use super::params::Segment;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use remembrancer::api::{NewProject, Project, ProjectLinkRequest, Repo, Scope};
use remembrancer::projects;
use serde_json::{Value, json};

/// `GET /api/projects`: every project with its repositories and links.
pub async fn list(State(api): State<Api>, Caller(ctx): Caller) -> Result<Json<Value>, ApiError> {
    let projects = projects::list(&api.engine, &ctx).await?;
    Ok(Json(json!({ "projects": projects })))
}

/// `POST /api/projects`: a new project.
pub async fn create(State(api): State<Api>, Caller(ctx): Caller, body: UnreadBody) -> Result<(StatusCode, Json<Project>), ApiError> {
    let new: NewProject = body.read(&ctx, Scope::CommonsWrite).await?;
    let project = projects::create(&api.engine, &ctx, new).await?;
    Ok((StatusCode::CREATED, Json(project)))
}

/// `POST /api/projects/{project}/repos`: a new repository of a project.
pub async fn create_repo(
    State(api): State<Api>,
    Caller(ctx): Caller,
    Segment(project): Segment,
    body: UnreadBody,
) -> Result<(StatusCode, Json<Repo>), ApiError> {
    let new: NewProject = body.read(&ctx, Scope::CommonsWrite).await?;
    let repo = projects::create_repo(&api.engine, &ctx, &project, new).await?;
    Ok((StatusCode::CREATED, Json(repo)))
}

/// `POST /api/projects/{project}/links`: links two projects, or removes their link.
pub async fn link(
    State(api): State<Api>,
    Caller(ctx): Caller,
    Segment(project): Segment,
    body: UnreadBody,
) -> Result<Json<Value>, ApiError> {
    let request: ProjectLinkRequest = body.read(&ctx, Scope::CommonsWrite).await?;
    let changed = match request.remove {
        true => projects::unlink(&api.engine, &ctx, &project, &request.project).await?,
        false => projects::link(&api.engine, &ctx, &project, &request.project).await?,
    };
    Ok(Json(json!({ "changed": changed })))
}
