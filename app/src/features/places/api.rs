use super::{
    pages::{actions, pages},
    target::targets,
};
use crate::{ConsoleError, guard::signed_in, islands::Target};
use leptos::{prelude::*, server_fn::codec::GetUrl};
use remembrancer::overview;

/// Pages and actions for the operator whose name contains `q`, all of them if it is empty, and what else it names or is in, at most five of
/// each kind.
#[server(endpoint = "places", input = GetUrl)]
pub async fn find_places(#[server(default)] q: String) -> Result<Vec<Target>, ConsoleError> {
    let (engine, ctx, operator) = signed_in().await?;
    let named = overview::places(&engine, &ctx, &q).await?;
    let offered = pages(&q, &operator.roles).into_iter().chain(actions(&q, &operator.roles));
    Ok(offered.chain(targets(named, &q)).collect())
}
