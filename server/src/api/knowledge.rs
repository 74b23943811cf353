//! Knowledge over HTTP: ingestion of documents, and index pages.

use super::body::UnreadBody;
use super::caller::Caller;
use super::error::{Answer, ApiError};
use super::openapi::{Describe, Operation, Refusal};
use super::params::Query;
use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use foundation::Error;
use remembrancer::knowledge::{self, Extent, Ingestion};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use wire::{IndexResponse, IngestReport, IngestRequest, KeyScope};

/// Largest body of an ingestion, in bytes: a document of 10 MB, as JSON.
pub const BODY_MAX: usize = 24 * 1024 * 1024;
/// Documents per request.
const DOCUMENTS_MAX: usize = 100;

/// `POST /api/kb/documents`: ingests documents. Other documents of the collection stay as they are.
pub async fn ingest(Caller(engine, ctx): Caller, body: UnreadBody<IngestRequest>) -> Answer<IngestReport> {
    let request = body.at_most(BODY_MAX).read(&ctx, KeyScope::KbWrite).await?;
    if !(1..=DOCUMENTS_MAX).contains(&request.documents.len()) {
        let message = format!("has {} entries; it may have 1 to {DOCUMENTS_MAX}", request.documents.len());
        return Err(Error::invalid("documents", message).into());
    }
    let ingestion = Ingestion {
        collection: request.collection,
        files: request.documents.into_iter().map(|document| (document.path, document.content.into_bytes())).collect(),
        extent: Extent::Part { gone: vec![] },
        revision: None,
        dry_run: request.dry_run,
        failures: vec![],
    };
    Ok(Json(knowledge::ingest(&engine, &ctx, ingestion, &|_, _| {}).await?))
}

/// The parameters of `GET /api/kb/index`.
#[derive(Deserialize, JsonSchema)]
pub struct IndexParameters {
    /// The page to get as Markdown, as the list names it. Without it, the answer is the list, in JSON.
    path: Option<String>,
}

/// Every index page, or the Markdown of one.
pub enum Index {
    All(Json<IndexResponse>),
    One(String),
}

impl IntoResponse for Index {
    fn into_response(self) -> Response {
        match self {
            Self::All(pages) => pages.into_response(),
            Self::One(page) => ([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], page).into_response(),
        }
    }
}

impl Describe for Index {
    fn describe(operation: &mut Operation) {
        Json::<IndexResponse>::describe(operation);
        operation.answers(StatusCode::OK, "", &[("text/markdown", json!({ "type": "string" }))]);
        operation.refuses(Refusal::NotFound);
    }
}

/// `GET /api/kb/index`: every index page, or the Markdown of the one at `path`.
pub async fn index(Caller(engine, ctx): Caller, Query(parameters): Query<IndexParameters>) -> Result<Index, ApiError> {
    let pages = knowledge::index(&engine, &ctx).await?;
    let Some(path) = parameters.path else { return Ok(Index::All(Json(IndexResponse { pages }))) };
    let page = pages.into_iter().find(|page| page.path == path).ok_or(Error::NotFound("page"))?;
    Ok(Index::One(page.content))
}
