use crate::{
    ConsoleError, Flash,
    guard::{finish, operator, own_path},
    query::Query,
};
use leptos::prelude::*;
use remembrancer::identity;
use wire::{SavedView, ViewId, ViewPage};

/// The operator's views of a page, by name.
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
    let result = async {
        let (engine, ctx) = operator().await?;
        let view = identity::save_view(&engine, &ctx, page, &name, &query).await?;
        Ok(Flash::done(format!("Saved the view “{}”.", view.name)))
    };
    let here = own_path(&done, "/memories");
    finish(result.await, here, here, &Query::default().with("view", "new").with("name", &name).href("")).await
}

/// Renames a view.
#[server(endpoint = "rename_view")]
pub async fn rename_view(id: ViewId, #[server(default)] name: String, #[server(default)] done: String) -> Result<(), ConsoleError> {
    let result = async {
        let (engine, ctx) = operator().await?;
        identity::rename_view(&engine, &ctx, id, &name).await?;
        Ok(Flash::done(format!("Renamed the view to “{}”.", name.trim())))
    };
    let here = own_path(&done, "/memories");
    finish(result.await, here, here, &Query::default().with("view", id).with("name", &name).href("")).await
}

/// Deletes a view.
#[server(endpoint = "delete_view")]
pub async fn delete_view(id: ViewId, #[server(default)] done: String) -> Result<(), ConsoleError> {
    let result = async {
        let (engine, ctx) = operator().await?;
        let view = identity::delete_view(&engine, &ctx, id).await?;
        let back = [("page", view.page.to_string()), ("name", view.name), ("query", view.query)];
        Ok(Flash::done("The view was deleted. The items it showed are unchanged.").undone_by("save_view", back))
    };
    let here = own_path(&done, "/memories");
    finish(result.await, here, here, "").await
}
