#[cfg(feature = "ssr")]
use crate::guard::operator;
use crate::{ConsoleError, codec::Text};
use leptos::{prelude::*, server_fn::codec::GetUrl};
use remembrancer::api::{Prompt, SkillList};

/// Every prompt, as agents get them.
#[server(endpoint = "prompts", input = GetUrl, output = Text)]
pub async fn prompts() -> Result<Vec<Prompt>, ConsoleError> {
    operator().await?;
    Ok(remembrancer::prompts::all())
}

/// The skills that the server has.
#[server(endpoint = "skills", input = GetUrl, output = Text)]
pub async fn skills() -> Result<SkillList, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(remembrancer::skills::list(&engine, &ctx).await?)
}
