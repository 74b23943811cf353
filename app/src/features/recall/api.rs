use crate::ConsoleError;
#[cfg(feature = "ssr")]
use crate::guard::operator;
use leptos::{prelude::*, server_fn::codec::GetUrl};
use remembrancer::api::{HealthFilter, Page, Playground, PlaygroundRequest, RecallHealth, ZeroHit};
#[cfg(feature = "ssr")]
use remembrancer::recall;

/// How often recall found nothing.
#[server(endpoint = "measure_recall", input = GetUrl)]
pub async fn measure_recall(#[server(default)] filter: HealthFilter) -> Result<RecallHealth, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(recall::health(&engine, &ctx, &filter).await?)
}

/// One page of recalls that found nothing, newest first.
#[server(endpoint = "zero_hits", input = GetUrl)]
pub async fn zero_hits(#[server(default)] filter: HealthFilter) -> Result<Page<ZeroHit>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(recall::zero_hits(&engine, &ctx, &filter).await?)
}

/// What an agent would be told, and everything about how that came to be. Leaves no trace.
#[server(endpoint = "try_recall", input = GetUrl)]
pub async fn try_recall(request: PlaygroundRequest) -> Result<Playground, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(recall::playground(&engine, &ctx, &request).await?)
}
