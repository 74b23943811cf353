use crate::{ConsoleError, guard::operator};
use remembrancer::context;
use wire::{ContextComparison, ContextDetail, ContextEntry, ContextFilter, ContextId, ContextPreview, Page, PreviewRequest};

/// One page of the context log, newest first.
pub async fn list_contexts(filter: ContextFilter) -> Result<Page<ContextEntry>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(context::entries(&engine, &ctx, &filter).await?)
}

pub async fn read_context(id: ContextId) -> Result<ContextDetail, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(context::entry(&engine, &ctx, id).await?)
}

/// Two contexts side by side, or one and today's assembly. Nothing is logged or counted.
pub async fn compare_contexts(ids: Vec<ContextId>) -> Result<ContextComparison, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(context::compare(&engine, &ctx, &ids).await?)
}

/// Assembles a context as an agent; nothing without a request. Nothing is logged or counted.
pub async fn try_context(request: Option<PreviewRequest>) -> Result<Option<ContextPreview>, ConsoleError> {
    let Some(request) = request else { return Ok(None) };
    let (engine, ctx) = operator().await?;
    Ok(Some(context::preview(&engine, &ctx, request).await?))
}
