use crate::{ConsoleError, guard::operator};
use remembrancer::overview;
use wire::{Overview, ReviewNumbers};

/// Reads the numbers of the front page.
pub async fn front_page() -> Result<Overview, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(overview::overview(&engine, &ctx).await?)
}

/// How much waits for a person, by the tabs of *Review*.
pub async fn review_numbers() -> Result<ReviewNumbers, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(overview::review_numbers(&engine, &ctx).await?)
}
