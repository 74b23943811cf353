use crate::{ConsoleError, Flash, guard::operator, query::Query, submit::submit, ui::text::visible};
use leptos::prelude::*;
use remembrancer::knowledge;
use wire::{Component, Document, DocumentDetail, DocumentFilter, DocumentId, IngestRun, Page};

/// One page of documents, newest first.
pub async fn documents(filter: DocumentFilter) -> Result<Page<Document>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(knowledge::documents(&engine, &ctx, &filter).await?)
}

/// The collections to choose from, by name.
pub async fn collections() -> Result<Vec<String>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(knowledge::collections(&engine, &ctx).await?)
}

/// Everything about one document.
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

/// Retires a document, then redirects to its page.
#[server(endpoint = "retire_document")]
pub async fn retire_document(id: DocumentId, #[server(default)] reason: String) -> Result<(), ConsoleError> {
    let page = format!("/knowledge/documents/{id}");
    submit(&page, Query::default().with("retire", id).with("reason", &reason), |engine, ctx| async move {
        knowledge::retire(&engine, &ctx, id, &reason).await?;
        Ok(Flash::done("Retired. Recalls no longer find this document. To bring it back, upload its text as a new version."))
    })
    .await
}

/// One page of ingestion runs, newest first.
pub async fn ingest_runs(after: Option<String>, before: Option<String>) -> Result<Page<IngestRun>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(knowledge::runs(&engine, &ctx, after.as_deref(), before.as_deref()).await?)
}

/// Every component with its dependencies in both directions.
pub async fn topology() -> Result<Vec<Component>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(knowledge::topology(&engine, &ctx).await?)
}
