//! Projects, repositories and links between projects. They belong to the tenant and tell the memories of one project from those of another.

pub mod store;

use crate::audit::{self, NewEntry};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::idempotency::Once;
use crate::identity;
use crate::intake::Admitted;
use crate::op::{Actor, OpContext};
use db::{DbError, Tx};
use uuid::Uuid;
use verb::verb;
use wire::{KeyScope, NewProject, OperatorRole, Project, ProjectRef, Repo};

/// Allows agents that may write to the commons, and operators.
fn may_write(ctx: &OpContext) -> Result<(), Error> {
    match &ctx.actor {
        Actor::Agent { .. } => ctx.require(KeyScope::CommonsWrite),
        Actor::Operator { .. } | Actor::System => ctx.require_role(OperatorRole::Operator),
    }
}

fn check(new: &NewProject) -> Result<(), Error> {
    identity::check_slug(&new.slug)?;
    Checks::default().text("name", &new.name, 200).done()
}

/// Every project of the tenant by slug, with its repositories and links.
///
/// # Errors
/// `Forbidden` without `memory:read` or, for operators, the role `viewer`.
#[verb]
pub async fn list(engine: &Engine, ctx: &OpContext) -> Result<Vec<Project>, Error> {
    ctx.require_reader()?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let mut projects = store::projects(&mut tx, ctx.tenant_id).await?;
    let repos = store::repos(&mut tx, ctx.tenant_id).await?;
    let links = store::links(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    for project in &mut projects {
        project.repos = repos.iter().filter(|repo| repo.project_id == project.id).cloned().collect();
        let other = |&(one, other): &(Uuid, Uuid)| match project.id {
            id if id == one => Some(other),
            id if id == other => Some(one),
            _ => None,
        };
        project.linked = links.iter().filter_map(other).collect();
        project.linked.sort_unstable();
    }
    Ok(projects)
}

/// Makes a project.
///
/// # Errors
/// `Forbidden` without `commons:write` or, for operators, the role `operator`; `Invalid` and `Conflict` for its slug.
#[verb]
pub async fn create(engine: &Engine, ctx: &OpContext, new: NewProject) -> Result<Project, Error> {
    may_write(ctx)?;
    let new = Admitted::new(new)?;
    check(&new)?;
    let once = Once::new(engine, ctx, "create_project", &new)?;
    let new = new.into_inner();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let project = Project {
        id: engine.clock().id(),
        slug: new.slug,
        name: new.name,
        created_at: engine.clock().now(),
        repos: vec![],
        linked: vec![],
    };
    store::insert_project(&mut tx, ctx, &project).await.map_err(|error| name_conflict(error, "project", &project.slug))?;
    leave(engine, ctx, &mut tx, "project.created", project.id, format!("project {} created", project.slug)).await?;
    once.commit(tx, &project, &[]).await?;
    engine.relay().wake();
    Ok(project)
}

/// Makes a repository of a project, which is named by id or slug.
///
/// # Errors
/// As [`create`], and `NotFound` for the project.
#[verb]
pub async fn create_repo(engine: &Engine, ctx: &OpContext, project: &str, new: NewProject) -> Result<Repo, Error> {
    may_write(ctx)?;
    let new = Admitted::id("project", project)?.with(Admitted::new(new)?);
    check(&new.1)?;
    let once = Once::new(engine, ctx, "create_repo", &new)?;
    let (_, new) = new.into_inner();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let project_id = find(&mut tx, ctx, project).await?;
    let repo = Repo { id: engine.clock().id(), project_id, slug: new.slug, name: new.name, created_at: engine.clock().now() };
    store::insert_repo(&mut tx, ctx, &repo).await.map_err(|error| name_conflict(error, "repository", &repo.slug))?;
    leave(engine, ctx, &mut tx, "repo.created", repo.id, format!("repository {} created", repo.slug)).await?;
    once.commit(tx, &repo, &[]).await?;
    engine.relay().wake();
    Ok(repo)
}

/// Links two projects: the memories of each become relevant to the other. Whether they were not linked before.
///
/// # Errors
/// As [`create_repo`]; `Invalid` for a link to itself.
#[verb]
pub async fn link(engine: &Engine, ctx: &OpContext, project: &str, other: &str) -> Result<bool, Error> {
    relate(engine, ctx, project, other, true).await
}

/// Removes such a link; whether there was one.
///
/// # Errors
/// As [`link`].
#[verb]
pub async fn unlink(engine: &Engine, ctx: &OpContext, project: &str, other: &str) -> Result<bool, Error> {
    relate(engine, ctx, project, other, false).await
}

async fn relate(engine: &Engine, ctx: &OpContext, project: &str, other: &str, linked: bool) -> Result<bool, Error> {
    may_write(ctx)?;
    let request = Admitted::id("project", project)?.with(Admitted::id("project", other)?).with(Admitted::new(linked)?);
    let once = Once::new(engine, ctx, "link_projects", &request)?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let (one, two) = (find(&mut tx, ctx, project).await?, find(&mut tx, ctx, other).await?);
    if one == two {
        return Err(Error::invalid("project", "is the same project: it cannot be linked to itself"));
    }
    let (first, second) = (one.min(two), one.max(two));
    let changed = if linked {
        store::link(&mut tx, ctx, first, second, engine.clock().now()).await?
    } else {
        store::unlink(&mut tx, ctx.tenant_id, first, second, engine.clock().now()).await?
    };
    if changed {
        let (action, word) = if linked { ("project.linked", "linked to") } else { ("project.unlinked", "no longer linked to") };
        let other = store::projects(&mut tx, ctx.tenant_id).await?.into_iter().find(|project| project.id == two);
        let other = other.map_or_else(|| two.to_string(), |project| project.slug);
        leave(engine, ctx, &mut tx, action, one, format!("{word} {other}")).await?;
    }
    once.commit(tx, &changed, &[]).await?;
    engine.relay().wake();
    Ok(changed)
}

/// The project and the repository that an id or a slug names. An id need not be registered: memories may carry any.
///
/// # Errors
/// `Invalid` for a slug that names none, or a repository of another project.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn named(
    engine: &Engine,
    ctx: &OpContext,
    project: Option<&str>,
    repo: Option<&str>,
) -> Result<(Option<Uuid>, Option<Uuid>), Error> {
    if project.is_none() && repo.is_none() {
        return Ok((None, None));
    }
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let projects = store::projects(&mut tx, ctx.tenant_id).await?;
    let repos = store::repos(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    let by_slug = |slug: &str| projects.iter().find(|project| project.slug == slug).map(|project| project.id);
    let unknown = |field: &str, name: &str| Error::invalid(field, format!("does not name a {field}: {name}"));
    let project = match project {
        None => None,
        Some(name) => Some(name.parse().ok().or_else(|| by_slug(name)).ok_or_else(|| unknown("project", name))?),
    };
    let Some(name) = repo else { return Ok((project, None)) };
    let id = name.parse::<Uuid>().ok();
    match (repos.iter().find(|repo| Some(repo.id) == id || repo.slug == name), id) {
        (Some(repo), _) if project.is_some_and(|project| project != repo.project_id) => {
            Err(Error::invalid("repo", format!("belongs to another project: {name}")))
        }
        (Some(repo), _) => Ok((Some(repo.project_id), Some(repo.id))),
        (None, Some(id)) => Ok((project, Some(id))),
        (None, None) => Err(unknown("repo", name)),
    }
}

/// The id of the project that a request names in its field `project_id`. An id need not be registered: memories may carry any.
///
/// # Errors
/// `Invalid` for a slug that names none.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn id_of(engine: &Engine, ctx: &OpContext, project: Option<&ProjectRef>) -> Result<Option<Uuid>, Error> {
    let slug = match project {
        None => return Ok(None),
        Some(ProjectRef::Id(id)) => return Ok(Some(*id)),
        Some(ProjectRef::Slug(slug)) => slug,
    };
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let projects = store::projects(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    let found = projects.into_iter().find(|project| project.slug == *slug);
    found.map(|project| Some(project.id)).ok_or_else(|| Error::invalid("project_id", format!("does not name a project: {slug}")))
}

/// A project by id or slug.
async fn find(tx: &mut Tx, ctx: &OpContext, name: &str) -> Result<Uuid, Error> {
    let projects = store::projects(tx, ctx.tenant_id).await?;
    let id = name.parse::<Uuid>().ok();
    let found = projects.into_iter().find(|project| Some(project.id) == id || project.slug == name);
    found.map(|project| project.id).ok_or(Error::NotFound("project"))
}

async fn leave(engine: &Engine, ctx: &OpContext, tx: &mut Tx, action: &str, id: Uuid, message: String) -> Result<(), Error> {
    let kind = action.split('.').next().unwrap_or_default();
    let entry = NewEntry::new(engine, ctx, action, kind, id, message);
    audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry).await
}

fn name_conflict(error: DbError, what: &str, slug: &str) -> Error {
    match error {
        DbError::Unique { .. } => Error::Conflict(format!("the {what} {slug} exists already")),
        error => error.into(),
    }
}
