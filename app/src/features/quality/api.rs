#[cfg(feature = "ssr")]
use crate::guard::operator;
use crate::{ConsoleError, codec::Text};
use leptos::{prelude::*, server_fn::codec::GetUrl};
use remembrancer::api::{Quality, QualityFilter};
#[cfg(feature = "ssr")]
use remembrancer::quality;

/// Counts contexts, answers, observations, profiles and questions by day.
#[server(endpoint = "measure_quality", input = GetUrl, output = Text)]
pub async fn measure_quality(#[server(default)] filter: QualityFilter) -> Result<Quality, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(quality::measure(&engine, &ctx, &filter).await?)
}
