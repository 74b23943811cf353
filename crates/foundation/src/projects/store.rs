//! All SQL of projects. The rows are the tenant's and carry the commons' id.

use crate::op::OpContext;
use chrono::{DateTime, Utc};
use db::{DbError, Tx, sql};
use uuid::Uuid;
use wire::{Project, Repo, TenantId};

/// Every project by slug, without repositories and links.
pub async fn projects(tx: &mut Tx, tenant: TenantId) -> Result<Vec<Project>, DbError> {
    let rows: Vec<(Uuid, String, String, DateTime<Utc>)> =
        tx.rows(sql!([tenant], "select id, slug, name, created_at from projects where tenant_id = $1 order by slug")).await?;
    let project = |(id, slug, name, created_at)| Project { id, slug, name, created_at, repos: vec![], linked: vec![] };
    Ok(rows.into_iter().map(project).collect())
}

/// Every repository by slug.
pub async fn repos(tx: &mut Tx, tenant: TenantId) -> Result<Vec<Repo>, DbError> {
    let rows: Vec<(Uuid, Uuid, String, String, DateTime<Utc>)> =
        tx.rows(sql!([tenant], "select id, project_id, slug, name, created_at from repos where tenant_id = $1 order by slug")).await?;
    Ok(rows.into_iter().map(|(id, project_id, slug, name, created_at)| Repo { id, project_id, slug, name, created_at }).collect())
}

/// Every pair of projects that are linked now, the lesser id first.
pub async fn links(tx: &mut Tx, tenant: TenantId) -> Result<Vec<(Uuid, Uuid)>, DbError> {
    tx.rows(sql!(
        [tenant],
        "select one_id, other_id from project_links where tenant_id = $1 and valid_to is null order by one_id, other_id"
    ))
    .await
}

/// The projects that were linked to one at a moment.
pub async fn linked(tx: &mut Tx, tenant: TenantId, project: Uuid, at: DateTime<Utc>) -> Result<Vec<Uuid>, DbError> {
    tx.values(sql!(
        [tenant, project, at],
        r"select distinct case when one_id = $2 then other_id else one_id end
            from project_links
           where tenant_id = $1 and (one_id = $2 or other_id = $2) and created_at <= $3 and (valid_to is null or valid_to > $3)
           order by 1"
    ))
    .await
}

pub async fn insert_project(tx: &mut Tx, ctx: &OpContext, project: &Project) -> Result<(), DbError> {
    tx.run(sql!(
        [ctx.tenant_id, ctx.commons_id, project.id, &project.slug, &project.name, project.created_at, ctx.actor.name()],
        "insert into projects (tenant_id, agent_id, id, slug, name, created_at, created_by) values ($1, $2, $3, $4, $5, $6, $7)"
    ))
    .await
}

pub async fn insert_repo(tx: &mut Tx, ctx: &OpContext, repo: &Repo) -> Result<(), DbError> {
    tx.run(sql!(
        [ctx.tenant_id, ctx.commons_id, repo.id, repo.project_id, &repo.slug, &repo.name, repo.created_at, ctx.actor.name()],
        r"insert into repos (tenant_id, agent_id, id, project_id, slug, name, created_at, created_by)
          values ($1, $2, $3, $4, $5, $6, $7, $8)"
    ))
    .await
}

/// Links two projects, the lesser id first; whether they were not linked before.
pub async fn link(tx: &mut Tx, ctx: &OpContext, one: Uuid, other: Uuid, now: DateTime<Utc>) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [ctx.tenant_id, ctx.commons_id, one, other, now, ctx.actor.name()],
        r"insert into project_links (tenant_id, agent_id, one_id, other_id, created_at, created_by)
          values ($1, $2, $3, $4, $5, $6) on conflict do nothing"
    ))
    .await
}

/// Ends a link; it stays for questions about the past. An earlier link of the two that another clock ended later than now ends now, too.
/// Whether there was one.
pub async fn unlink(tx: &mut Tx, tenant: TenantId, one: Uuid, other: Uuid, now: DateTime<Utc>) -> Result<bool, DbError> {
    let ended: Vec<bool> = tx
        .values(sql!(
            [tenant, one, other, now],
            r"with open as (select created_at from project_links where tenant_id = $1 and one_id = $2 and other_id = $3
                 and valid_to is null)
          update project_links set valid_to = greatest(created_at, $4)
           where tenant_id = $1 and one_id = $2 and other_id = $3 and (valid_to is null or (valid_to > $4 and exists (select from open)))
          returning exists (select from open)"
        ))
        .await?;
    Ok(ended.contains(&true))
}
