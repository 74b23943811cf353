use crate::{ConsoleError, guard::operator};
use remembrancer::overview;
use wire::Overview;

/// Reads the numbers of the front page.
pub async fn front_page() -> Result<Overview, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(overview::overview(&engine, &ctx).await?)
}
