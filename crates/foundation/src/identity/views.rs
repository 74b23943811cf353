//! An operator's saved views. They change nothing that is remembered, so only sharing one with the organisation, and changing one that is
//! shared, leaves an audit row.

use super::store;
use crate::audit::{self, NewEntry};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::intake::Admitted;
use crate::op::{Actor, OpContext};
use db::DbError;
use verb::verb;
use wire::{OperatorId, OperatorRole, SavedView, VIEW_NAME_MAX, VIEW_QUERY_MAX, VIEWS_MAX, ViewId, ViewPage, ViewSharing};

/// The operator's views of a page, by name, then those that others share.
///
/// # Errors
/// `Forbidden` without the role `viewer`, and for a caller that is not an operator.
#[verb]
pub async fn views(engine: &Engine, ctx: &OpContext, page: ViewPage) -> Result<Vec<SavedView>, Error> {
    let operator = operator(ctx)?;
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let views = store::views(&mut tx, ctx.tenant_id, operator, page).await?;
    tx.commit().await?;
    Ok(views)
}

/// Keeps a page's query string under a name.
///
/// # Errors
/// `Forbidden` as for [`views`]; `Invalid` for a name that is empty, longer than 64 characters or taken, and for a query string that is
/// empty or longer than 2000; `Conflict` when the operator has 50 views already.
#[verb]
pub async fn save_view(engine: &Engine, ctx: &OpContext, page: ViewPage, name: &str, query: &str) -> Result<SavedView, Error> {
    let operator = operator(ctx)?;
    let (name, query) = (&*Admitted::text("name", name.to_owned())?, &*Admitted::text("query", query.to_owned())?);
    let name = check_name(name)?;
    Checks::default().text("query", query, VIEW_QUERY_MAX).done()?;
    let (id, sharing) = (ViewId(engine.clock().id()), ViewSharing::Private);
    let view = SavedView { id, page, name: name.to_owned(), query: query.to_owned(), sharing, by: None };
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    store::lock_views(&mut tx, ctx.tenant_id, operator).await?;
    if store::count_views(&mut tx, ctx.tenant_id, operator).await? >= VIEWS_MAX {
        return Err(Error::Conflict(format!("you already have {VIEWS_MAX} saved views: delete one first")));
    }
    store::insert_view(&mut tx, ctx.tenant_id, operator, &view, engine.clock().now()).await.map_err(name_conflict)?;
    tx.commit().await?;
    Ok(view)
}

/// Gives a view another name.
///
/// # Errors
/// As for [`save_view`]; `Forbidden` for a shared view without the role `reviewer` or `admin`; `NotFound` for a view that is not this
/// operator's.
#[verb]
pub async fn rename_view(engine: &Engine, ctx: &OpContext, id: ViewId, name: &str) -> Result<(), Error> {
    let operator = operator(ctx)?;
    let name = &*Admitted::text("name", name.to_owned())?;
    let name = check_name(name)?;
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    if !store::rename_view(&mut tx, ctx.tenant_id, operator, id, name).await.map_err(name_conflict)? {
        return Err(Error::NotFound("view"));
    }
    let shared = store::sharing(&mut tx, ctx.tenant_id, operator, id).await?.is_some_and(|sharing| sharing != ViewSharing::Private);
    if shared {
        check_sharer(ctx)?;
    }
    tx.commit().await?;
    if shared {
        audit::append(engine, ctx.tenant_id, NewEntry::new(engine, ctx, "view.renamed", "view", id, "shared view renamed")).await?;
    }
    Ok(())
}

/// Changes who sees a view: the operator's own, or one that somebody shares.
///
/// # Errors
/// `Forbidden` without the role `reviewer` or `admin`, and for a caller that is not an operator; `NotFound` for a view of somebody else that
/// is private.
#[verb]
pub async fn share_view(engine: &Engine, ctx: &OpContext, id: ViewId, sharing: ViewSharing) -> Result<(), Error> {
    check_sharer(ctx)?;
    let operator = person(ctx)?;
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let before = store::sharing(&mut tx, ctx.tenant_id, operator, id).await?.ok_or(Error::NotFound("view"))?;
    if before == sharing {
        return Ok(());
    }
    store::share_view(&mut tx, ctx.tenant_id, operator, id, sharing).await?;
    let (action, message) = match sharing {
        ViewSharing::Private => ("view.made_private", "made private"),
        ViewSharing::Shared => ("view.shared", "shared with the organisation"),
        ViewSharing::Pinned => ("view.pinned", "pinned for the organisation"),
    };
    tx.commit().await?;
    Ok(audit::append(engine, ctx.tenant_id, NewEntry::new(engine, ctx, action, "view", id, message)).await?)
}

/// Who may share views, and change a shared one.
fn check_sharer(ctx: &OpContext) -> Result<(), Error> {
    match [OperatorRole::Reviewer, OperatorRole::Admin].into_iter().any(|role| ctx.require_role(role).is_ok()) {
        true => Ok(()),
        false => Err(Error::Forbidden("this needs the role reviewer or admin".into())),
    }
}

/// Deletes a view and returns it. The list that it showed is not touched.
///
/// # Errors
/// `Forbidden` as for [`views`], and for a shared view without the role `reviewer` or `admin`; `NotFound` for a view that is not this
/// operator's.
#[verb]
pub async fn delete_view(engine: &Engine, ctx: &OpContext, id: ViewId) -> Result<SavedView, Error> {
    let operator = operator(ctx)?;
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let view = store::delete_view(&mut tx, ctx.tenant_id, operator, id).await?.ok_or(Error::NotFound("view"))?;
    if view.sharing != ViewSharing::Private {
        check_sharer(ctx)?;
    }
    tx.commit().await?;
    if view.sharing != ViewSharing::Private {
        audit::append(engine, ctx.tenant_id, NewEntry::new(engine, ctx, "view.deleted", "view", id, "shared view deleted")).await?;
    }
    Ok(view)
}

/// The operator whose views they are.
fn operator(ctx: &OpContext) -> Result<OperatorId, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    person(ctx)
}

/// The operator who acts.
fn person(ctx: &OpContext) -> Result<OperatorId, Error> {
    match ctx.actor {
        Actor::Operator { id, .. } => Ok(id),
        _ => Err(Error::Forbidden("only operators have saved views".into())),
    }
}

fn check_name(name: &str) -> Result<&str, Error> {
    let name = name.trim();
    Checks::default()
        .text("name", name, VIEW_NAME_MAX)
        .that(!name.contains(|c: char| c.is_control() && c != '\0'), "name", "must be one line")
        .done()?;
    Ok(name)
}

fn name_conflict(error: DbError) -> Error {
    match error {
        DbError::Unique { .. } => Error::invalid("name", "is already the name of one of your views"),
        other => other.into(),
    }
}
