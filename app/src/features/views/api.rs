use crate::{
    ConsoleError, Flash,
    guard::{operator, own_path},
    query::Query,
    submit::submit,
};
use foundation::identity;
use leptos::prelude::*;
use wire::{SavedView, ViewId, ViewPage, ViewSharing};

/// The operator's views of a page, by name, then those that others share.
pub async fn saved_views(page: ViewPage) -> Result<Vec<SavedView>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(identity::views(&engine, &ctx, page).await?)
}

/// Saves a view, then redirects to `done`.
#[server(endpoint = "save_view")]
pub async fn save_view(
    page: ViewPage,
    #[server(default)] name: String,
    #[server(default)] query: String,
    #[server(default)] done: String,
) -> Result<(), ConsoleError> {
    submit(own_path(&done, "/memories"), Query::default().with("view", "new").with("name", &name), |engine, ctx| async move {
        let view = identity::save_view(&engine, &ctx, page, &name, &query).await?;
        Ok(Flash::done(format!("Saved the view “{}”.", view.name)))
    })
    .await
}

#[server(endpoint = "rename_view")]
pub async fn rename_view(id: ViewId, #[server(default)] name: String, #[server(default)] done: String) -> Result<(), ConsoleError> {
    submit(own_path(&done, "/memories"), Query::default().with("view", id).with("name", &name), |engine, ctx| async move {
        identity::rename_view(&engine, &ctx, id, &name).await?;
        Ok(Flash::done(format!("Renamed the view to “{}”.", name.trim())))
    })
    .await
}

#[server(endpoint = "delete_view")]
pub async fn delete_view(id: ViewId, #[server(default)] done: String) -> Result<(), ConsoleError> {
    submit(own_path(&done, "/memories"), Query::default(), |engine, ctx| async move {
        let view = identity::delete_view(&engine, &ctx, id).await?;
        let back = [("page", view.page.to_string()), ("name", view.name), ("query", view.query)];
        Ok(Flash::done("The view was deleted. The items it showed are unchanged.").undone_by("save_view", back))
    })
    .await
}

/// Changes who sees a view, then redirects to `done`.
#[server(endpoint = "share_view")]
pub async fn share_view(id: ViewId, sharing: ViewSharing, #[server(default)] done: String) -> Result<(), ConsoleError> {
    submit(own_path(&done, "/memories"), Query::default(), |engine, ctx| async move {
        identity::share_view(&engine, &ctx, id, sharing).await?;
        Ok(Flash::done(match sharing {
            ViewSharing::Private => "Only the person who saved the view sees it now.",
            ViewSharing::Shared => "Everybody in the organisation finds the view under “Manage views…”.",
            ViewSharing::Pinned => "The view is a link above the list for everybody in the organisation.",
        }))
    })
    .await
}
