//! Projects over HTTP.

use super::body::UnreadBody;
use super::caller::Caller;
use super::error::{Answer, ApiError};
use super::openapi::Created;
use super::params::Segment;
use axum::Json;
use foundation::projects;
use wire::{KeyScope, NewProject, Project, ProjectLinkRequest, ProjectLinkResponse, ProjectList, Repo};

/// `GET /api/projects`: every project with its repositories and links.
pub async fn list(Caller(engine, ctx): Caller) -> Answer<ProjectList> {
    let projects = projects::list(&engine, &ctx).await?;
    Ok(Json(ProjectList { projects }))
}

/// `POST /api/projects`: a new project.
pub async fn create(Caller(engine, ctx): Caller, body: UnreadBody<NewProject>) -> Result<Created<Project>, ApiError> {
    let new = body.read(&ctx, KeyScope::CommonsWrite).await?;
    let project = projects::create(&engine, &ctx, new).await?;
    Ok(Created(project))
}

/// `POST /api/projects/{project}/repos`: a new repository of a project.
pub async fn create_repo(
    Caller(engine, ctx): Caller,
    Segment(project, _): Segment<String>,
    body: UnreadBody<NewProject>,
) -> Result<Created<Repo>, ApiError> {
    let new = body.read(&ctx, KeyScope::CommonsWrite).await?;
    let repo = projects::create_repo(&engine, &ctx, &project, new).await?;
    Ok(Created(repo))
}

/// `POST /api/projects/{project}/links`: links two projects, or removes their link.
pub async fn link(
    Caller(engine, ctx): Caller,
    Segment(project, _): Segment<String>,
    body: UnreadBody<ProjectLinkRequest>,
) -> Answer<ProjectLinkResponse> {
    let request = body.read(&ctx, KeyScope::CommonsWrite).await?;
    let changed = match request.remove {
        true => projects::unlink(&engine, &ctx, &project, &request.project).await?,
        false => projects::link(&engine, &ctx, &project, &request.project).await?,
    };
    Ok(Json(ProjectLinkResponse { changed }))
}
