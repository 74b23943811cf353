#[cfg(feature = "ssr")]
use crate::guard::operator;
use crate::{ConsoleError, codec::Text};
use leptos::{prelude::*, server_fn::codec::GetUrl};
use remembrancer::api::{ContextComparison, ContextDetail, ContextEntry, ContextFilter, ContextId, ContextPreview, Page, PreviewRequest};
#[cfg(feature = "ssr")]
use remembrancer::context;

/// One page of the context log, newest first.
#[server(endpoint = "list_contexts", input = GetUrl, output = Text)]
pub async fn list_contexts(#[server(default)] filter: ContextFilter) -> Result<Page<ContextEntry>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(context::entries(&engine, &ctx, &filter).await?)
}

/// One context of the log.
#[server(endpoint = "read_context", input = GetUrl, output = Text)]
pub async fn read_context(id: ContextId) -> Result<ContextDetail, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(context::entry(&engine, &ctx, id).await?)
}

/// Two contexts side by side, or one and today's assembly. Nothing is logged or counted.
#[server(endpoint = "compare_contexts", input = GetUrl, output = Text)]
pub async fn compare_contexts(#[server(default)] ids: Vec<ContextId>) -> Result<ContextComparison, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(context::compare(&engine, &ctx, &ids).await?)
}

/// Assembles a context as an agent. Nothing is logged or counted.
#[server(endpoint = "try_context", input = GetUrl, output = Text)]
pub async fn try_context(request: PreviewRequest) -> Result<ContextPreview, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(context::preview(&engine, &ctx, request).await?)
}
