#[cfg(feature = "ssr")]
use crate::guard::operator;
use crate::{ConsoleError, codec::Text};
use leptos::{prelude::*, server_fn::codec::GetUrl};
use remembrancer::api::Prompt;

/// Every prompt, as agents get them.
#[server(endpoint = "prompts", input = GetUrl, output = Text)]
pub async fn prompts() -> Result<Vec<Prompt>, ConsoleError> {
    operator().await?;
    Ok(remembrancer::prompts::all())
}
