//! Knowledge over HTTP: documents in, index pages out.

use super::caller::Caller;
use super::{Api, input, respond};
use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use remembrancer::api::{IngestRequest, Scope};
use remembrancer::knowledge::{self, Extent, Ingestion};
use remembrancer::{Error, tools};
use serde::Deserialize;
use serde_json::json;

/// Largest body of an ingestion, in bytes: a document of 10 MB, as JSON.
pub const BODY_MAX: usize = 24 * 1024 * 1024;
/// Documents per request.
const DOCUMENTS_MAX: usize = 100;

/// `POST /api/kb/documents`: takes documents in. Others of the collection stay as they are.
pub async fn ingest(State(api): State<Api>, Caller(ctx): Caller, headers: HeaderMap, body: Result<Bytes, BytesRejection>) -> Response {
    let id = Some(ctx.request_id);
    if let Err(error) = ctx.require(Scope::KbWrite) {
        return respond::error(&error, id);
    }
    let request: IngestRequest = match input::json(&headers, body, BODY_MAX, id).map(tools::read) {
        Ok(Ok(request)) => request,
        Ok(Err(error)) => return respond::error(&error, id),
        Err(refusal) => return *refusal,
    };
    if !(1..=DOCUMENTS_MAX).contains(&request.documents.len()) {
        let message = format!("has {} entries; it may have 1 to {DOCUMENTS_MAX}", request.documents.len());
        return respond::error(&Error::invalid("documents", message), id);
    }
    let ingestion = Ingestion {
        collection: request.collection,
        files: request.documents.into_iter().map(|document| (document.path, document.content.into_bytes())).collect(),
        extent: Extent::Part { gone: vec![] },
        revision: None,
        dry_run: request.dry_run,
        failures: vec![],
    };
    match knowledge::ingest(&api.engine, &ctx, ingestion, &|_, _| {}).await {
        Ok(report) => Json(report).into_response(),
        Err(error) => respond::error(&error, id),
    }
}

/// Which page of the index.
#[derive(Deserialize)]
pub struct Which {
    path: Option<String>,
}

/// `GET /api/kb/index`: every index page, or the Markdown of the one at `path`.
pub async fn index(State(api): State<Api>, Caller(ctx): Caller, Query(which): Query<Which>) -> Response {
    let id = Some(ctx.request_id);
    let pages = match knowledge::index(&api.engine, &ctx).await {
        Ok(pages) => pages,
        Err(error) => return respond::error(&error, id),
    };
    match which.path {
        None => Json(json!({ "pages": pages })).into_response(),
        Some(path) => match pages.into_iter().find(|page| page.path == path) {
            Some(page) => ([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], page.content).into_response(),
            None => respond::error(&Error::NotFound("page"), id),
        },
    }
}
