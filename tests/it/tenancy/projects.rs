//! The queries of projects, repositories and the links between projects.

use super::queries::{Query, queries};
use foundation::projects::store as projects;
use wire::{Project, Repo};

/// In the database of memories, shared by the agents of a tenant; kept apart by tenant.
pub const PROJECTS: &[Query] = queries! {
    "projects::projects" |tx, c| projects::projects(tx, c.tenant).await?.len();
    "projects::repos" |tx, c| projects::repos(tx, c.tenant).await?.len();
    "projects::links" |tx, c| projects::links(tx, c.tenant).await?.len();
    "projects::linked" |tx, c| projects::linked(tx, c.tenant, c.shared.projects.0, c.now).await?.len();
    "projects::unlink" |tx, c| usize::from(projects::unlink(tx, c.tenant, c.shared.projects.0, c.shared.projects.1, c.now).await?);
    "projects::link" |tx, c| {
        sqlx::query("update project_links set valid_to = $2 where tenant_id = $1").bind(c.tenant).bind(c.now).execute(&mut **tx).await?;
        usize::from(projects::link(tx, &c.ctx, c.shared.projects.0, c.shared.projects.1, c.now).await?)
    };
    "projects::insert_project" |tx, c| {
        let (slug, name) = ("intruder".to_owned(), "x".to_owned());
        projects::insert_project(tx, &c.ctx, &Project { id: c.fresh, slug, name, created_at: c.now, repos: vec![], linked: vec![] }).await?;
        0
    };
    "projects::insert_repo" |tx, c| {
        let (slug, name) = ("intruder".to_owned(), "x".to_owned());
        projects::insert_repo(tx, &c.ctx, &Repo { id: c.fresh, project_id: c.shared.projects.0, slug, name, created_at: c.now }).await?;
        0
    };
};
