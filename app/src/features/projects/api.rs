use crate::{
    ConsoleError, Flash,
    guard::{finish, operator},
    query::Query,
    submit::submit,
};
use foundation::{identity, projects as engine};
use leptos::prelude::*;
use uuid::Uuid;
use wire::{NewProject, Project};

/// Every project by id and slug, to choose from.
pub async fn project_names() -> Result<Vec<(Uuid, String)>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(engine::list(&engine, &ctx).await?.into_iter().map(|project| (project.id, project.slug)).collect())
}

/// Every project with its repositories and links, by slug.
pub async fn projects() -> Result<Vec<Project>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(engine::list(&engine, &ctx).await?)
}

/// The names of the admins of the organisation, whom others ask for a role.
pub async fn admins() -> Result<Vec<String>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(identity::admins(&engine, &ctx).await?.into_iter().map(|admin| admin.name).collect())
}

/// Creates a project, then redirects to its page, or back to the list if it is refused.
#[server(endpoint = "create_project")]
pub async fn create_project(#[server(default)] slug: String, #[server(default)] name: String) -> Result<(), ConsoleError> {
    let typed = Query::default().with("slug", &slug).with("name", &name).href("");
    let result = async {
        let (engine, ctx) = operator().await?;
        Ok(engine::create(&engine, &ctx, new_project(&slug, &name)).await?)
    };
    let result = result.await;
    let done = result.as_ref().map(|project| page(project.id)).unwrap_or_default();
    finish(result.map(|project| Flash::done(format!("Created the project {}.", project.slug))), &done, "/projects", &typed).await
}

/// Creates a repository of a project, then redirects to the project.
#[server(endpoint = "create_repo")]
pub async fn create_repo(project: Uuid, #[server(default)] slug: String, #[server(default)] name: String) -> Result<(), ConsoleError> {
    submit(&page(project), Query::default().with("slug", &slug).with("name", &name), |engine, ctx| async move {
        let repo = engine::create_repo(&engine, &ctx, &project.to_string(), new_project(&slug, &name)).await?;
        Ok(Flash::done(format!("Created the repository {}.", repo.slug)))
    })
    .await
}

/// Links two projects or removes their link, then redirects to the first.
#[server(endpoint = "link_projects")]
pub async fn link_projects(project: Uuid, #[server(default)] other: String, #[server(default)] remove: bool) -> Result<(), ConsoleError> {
    submit(&page(project), Query::default(), |engine, ctx| async move {
        let one = project.to_string();
        let changed = match remove {
            true => engine::unlink(&engine, &ctx, &one, &other).await?,
            false => engine::link(&engine, &ctx, &one, &other).await?,
        };
        let done = Flash::done(match (changed, remove) {
            (true, false) => "The projects are linked. The memories of each are relevant to the other.",
            (true, true) => "The link is removed.",
            (false, false) => "The projects are already linked.",
            (false, true) => "The link is already removed.",
        });
        let back = [("project", one), ("other", other), ("remove", (!remove).to_string())];
        Ok(if changed { done.undone_by("link_projects", back) } else { done })
    })
    .await
}

fn page(project: Uuid) -> String {
    format!("/projects/{project}")
}

/// A project or repository; without a name it is called by its slug.
fn new_project(slug: &str, name: &str) -> NewProject {
    let slug = slug.trim().to_owned();
    let name = Some(name.trim()).filter(|name| !name.is_empty()).map_or_else(|| slug.clone(), str::to_owned);
    NewProject { slug, name }
}
