use crate::{ConsoleError, guard::operator};
use wire::{Prompt, SkillList};

/// Every prompt, as agents get them.
pub async fn prompts() -> Result<Vec<Prompt>, ConsoleError> {
    operator().await?;
    Ok(remembrancer::prompts::all())
}

pub async fn skills() -> Result<SkillList, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(remembrancer::skills::list(&engine, &ctx).await?)
}
