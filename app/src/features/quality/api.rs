use crate::{ConsoleError, guard::operator};
use remembrancer::{
    api::{Quality, QualityFilter},
    quality,
};

/// Counts contexts, answers, observations, profiles and questions by day.
pub async fn measure_quality(filter: QualityFilter) -> Result<Quality, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(quality::measure(&engine, &ctx, &filter).await?)
}
