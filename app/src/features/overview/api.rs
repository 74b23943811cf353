use crate::{
    ConsoleError,
    guard::{operator, signed_in},
};
use remembrancer::overview;
use wire::{OperatorRole, Overview, ReviewNumbers};

/// Reads the numbers of the front page.
pub async fn front_page() -> Result<Overview, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(overview::overview(&engine, &ctx).await?)
}

/// How much waits for a person, by the tabs of *Review*; nothing for those who may not see it. The frame of every page shows these numbers:
/// a refused read would give pages for other roles its status. What others than this process's console change shows some seconds later.
pub async fn review_numbers() -> Result<ReviewNumbers, ConsoleError> {
    let (engine, ctx, operator) = signed_in().await?;
    if !operator.has(OperatorRole::Viewer) {
        return Ok(ReviewNumbers::default());
    }
    if let Some(numbers) = engine.review_numbers().get(&ctx.tenant_id).await {
        return Ok(numbers);
    }
    let numbers = overview::review_numbers(&engine, &ctx).await?;
    engine.review_numbers().insert(ctx.tenant_id, numbers).await;
    Ok(numbers)
}
