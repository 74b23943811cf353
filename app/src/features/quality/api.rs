use crate::{ConsoleError, guard::operator};
use remembrancer::quality;
use wire::{Quality, QualityFilter};

/// Counts contexts, answers, observations, profiles and questions by day.
pub async fn measure_quality(filter: QualityFilter) -> Result<Quality, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(quality::measure(&engine, &ctx, &filter).await?)
}
