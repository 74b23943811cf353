#[cfg(feature = "ssr")]
use crate::guard::operator;
use crate::{ConsoleError, codec::Text};
use leptos::{prelude::*, server_fn::codec::GetUrl};
use remembrancer::api::AgentSummary;
#[cfg(feature = "ssr")]
use remembrancer::overview;

/// Every agent with its counts.
#[server(endpoint = "agents", input = GetUrl, output = Text)]
pub async fn agents() -> Result<Vec<AgentSummary>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(overview::agents(&engine, &ctx).await?)
}
