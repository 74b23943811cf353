use crate::{ConsoleError, codec::Text};
#[cfg(feature = "ssr")]
use crate::{guard::operator, ui::text::visible};
use leptos::{prelude::*, server_fn::codec::GetUrl};
use remembrancer::api::{Component, Document, DocumentDetail, DocumentFilter, DocumentId, IngestRun, Page};
#[cfg(feature = "ssr")]
use remembrancer::knowledge;

/// One page of documents, newest first.
#[server(endpoint = "documents", input = GetUrl, output = Text)]
pub async fn documents(#[server(default)] filter: DocumentFilter) -> Result<Page<Document>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(knowledge::documents(&engine, &ctx, &filter).await?)
}

/// The collections to choose from, by name.
#[server(endpoint = "collections", input = GetUrl, output = Text)]
pub async fn collections() -> Result<Vec<String>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(knowledge::collections(&engine, &ctx).await?)
}

/// Everything about one document.
#[server(endpoint = "read_document", input = GetUrl, output = Text)]
pub async fn read_document(id: DocumentId) -> Result<DocumentDetail, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let mut detail = knowledge::document(&engine, &ctx, id).await?;
    for chunk in &mut detail.chunks {
        chunk.html = visible(&chunk.html);
        // The page shows the HTML alone.
        chunk.content = String::new();
    }
    Ok(detail)
}

/// One page of ingestion runs, newest first.
#[server(endpoint = "ingest_runs", input = GetUrl, output = Text)]
pub async fn ingest_runs(
    #[server(default)] after: Option<String>,
    #[server(default)] before: Option<String>,
) -> Result<Page<IngestRun>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(knowledge::runs(&engine, &ctx, after.as_deref(), before.as_deref()).await?)
}

/// Every component with its dependencies in both directions.
#[server(endpoint = "topology", input = GetUrl, output = Text)]
pub async fn topology() -> Result<Vec<Component>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(knowledge::topology(&engine, &ctx).await?)
}
