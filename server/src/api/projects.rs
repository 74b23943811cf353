//! Projects over HTTP.

use super::Api;
use super::body::UnreadBody;
use super::caller::Caller;
use super::error::ApiError;
use super::openapi::Created;
use super::params::Segment;
use axum::Json;
use axum::extract::State;
use foundation::projects;
use wire::{NewProject, Project, ProjectLinkRequest, ProjectLinkResponse, ProjectList, Repo, Scope};

/// `GET /api/projects`: every project with its repositories and links.
pub async fn list(State(api): State<Api>, Caller(ctx): Caller) -> Result<Json<ProjectList>, ApiError> {
    let projects = projects::list(&api.engine, &ctx).await?;
    Ok(Json(ProjectList { projects }))
}

/// `POST /api/projects`: a new project.
pub async fn create(State(api): State<Api>, Caller(ctx): Caller, body: UnreadBody<NewProject>) -> Result<Created<Project>, ApiError> {
    let new = body.read(&ctx, Scope::CommonsWrite).await?;
    let project = projects::create(&api.engine, &ctx, new).await?;
    Ok(Created(project))
}

/// `POST /api/projects/{project}/repos`: a new repository of a project.
pub async fn create_repo(
    State(api): State<Api>,
    Caller(ctx): Caller,
    Segment(project, _): Segment<String>,
    body: UnreadBody<NewProject>,
) -> Result<Created<Repo>, ApiError> {
    let new = body.read(&ctx, Scope::CommonsWrite).await?;
    let repo = projects::create_repo(&api.engine, &ctx, &project, new).await?;
    Ok(Created(repo))
}

/// `POST /api/projects/{project}/links`: links two projects, or removes their link.
pub async fn link(
    State(api): State<Api>,
    Caller(ctx): Caller,
    Segment(project, _): Segment<String>,
    body: UnreadBody<ProjectLinkRequest>,
) -> Result<Json<ProjectLinkResponse>, ApiError> {
    let request = body.read(&ctx, Scope::CommonsWrite).await?;
    let changed = match request.remove {
        true => projects::unlink(&api.engine, &ctx, &project, &request.project).await?,
        false => projects::link(&api.engine, &ctx, &project, &request.project).await?,
    };
    Ok(Json(ProjectLinkResponse { changed }))
}
