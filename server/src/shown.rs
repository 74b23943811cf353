//! What pages show: no page sends a character that its readers do not see.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::borrow::Cow;
use words::quote;

/// Shows the hidden characters of a page by their names, whichever of its texts holds them.
pub async fn show_hidden_characters(request: Request, next: Next) -> Response {
    let (mut parts, body) = next.run(request).await.into_parts();
    let kind = parts.headers.get(header::CONTENT_TYPE).map(|kind| kind.as_bytes());
    if !kind.is_some_and(|kind| kind.starts_with(b"text/html")) {
        return Response::from_parts(parts, body);
    }
    let page = match to_bytes(body, usize::MAX).await {
        Ok(page) => page,
        Err(error) => {
            tracing::error!(%error, "a page was not rendered to its end");
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
    };
    let shown = match std::str::from_utf8(&page).map(quote::html) {
        Ok(Cow::Owned(shown)) => Some(shown),
        Ok(Cow::Borrowed(_)) | Err(_) => None,
    };
    let body = shown.map_or_else(
        || Body::from(page),
        |shown| {
            parts.headers.remove(header::CONTENT_LENGTH);
            Body::from(shown)
        },
    );
    Response::from_parts(parts, body)
}
