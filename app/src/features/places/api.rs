use super::{pages::pages, target::target};
use crate::{ConsoleError, guard::operator, islands::Target};
use leptos::{prelude::*, server_fn::codec::GetUrl};
use remembrancer::overview;

/// Pages whose name contains `q`, all of them if it is empty, and what else it names, at most five of each kind.
#[server(endpoint = "places", input = GetUrl)]
pub async fn find_places(#[server(default)] q: String) -> Result<Vec<Target>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let named = overview::places(&engine, &ctx, &q).await?;
    Ok(pages(&q).chain(named.into_iter().map(target)).collect())
}
