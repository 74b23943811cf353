#[cfg(feature = "ssr")]
use crate::guard::operator;
use crate::{ConsoleError, codec::Text};
use leptos::{prelude::*, server_fn::codec::GetUrl};
use remembrancer::api::Overview;
#[cfg(feature = "ssr")]
use remembrancer::overview;

/// Reads the numbers of the front page.
#[server(endpoint = "overview", input = GetUrl, output = Text)]
pub async fn front_page() -> Result<Overview, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(overview::overview(&engine, &ctx).await?)
}
