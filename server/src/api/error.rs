//! Errors over HTTP: a handler returns an [`ApiError`], and one layer writes the body, which names the request.

use axum::Json;
use axum::extract::{Extension, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use foundation::Error;
use std::any::Any;
use std::sync::Arc;
use std::time::Duration;
use wire::{ErrorBody, ErrorCode, ErrorDetail, RequestId, SimilarEntry};

/// Seconds after which something that is away may be back.
const AWAY: HeaderValue = HeaderValue::from_static("5");

/// What most handlers answer: a body in JSON.
pub type Answer<T> = Result<Json<T>, ApiError>;

/// Why a request failed: an error of the engine, or a refusal of the HTTP layer.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    #[error(transparent)]
    Engine(#[from] Error),
    #[error("no such address")]
    NoSuchAddress,
    #[error("this address does not support this method")]
    MethodNotAllowed,
    #[error("{0}")]
    TooLarge(String),
    #[error("{0}")]
    UnsupportedMediaType(String),
    /// The body names the entry to update instead, beside the error.
    #[error("an entry says the same; update it instead")]
    SimilarExists(Option<Box<SimilarEntry>>),
    /// The body lists these entries, beside the error.
    #[error("entries about the same subject say something else; update the one that is out of date, or add this one with force")]
    SameSubject(Vec<SimilarEntry>),
}

impl ApiError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Engine(error) => error.code(),
            Self::NoSuchAddress => ErrorCode::NotFound,
            Self::MethodNotAllowed => ErrorCode::MethodNotAllowed,
            Self::TooLarge(_) => ErrorCode::TooLarge,
            Self::UnsupportedMediaType(_) => ErrorCode::UnsupportedMediaType,
            Self::SimilarExists(_) => ErrorCode::SimilarExists,
            Self::SameSubject(_) => ErrorCode::SameSubject,
        }
    }

    fn detail(&self, request_id: RequestId) -> ErrorDetail {
        match self {
            Self::Engine(error) => error.detail(request_id),
            refusal => ErrorDetail { code: refusal.code(), message: refusal.to_string(), request_id, fields: vec![] },
        }
    }

    fn body(&self, request_id: RequestId) -> ErrorBody {
        let (suggestion, same_subject) = match self {
            Self::SimilarExists(suggestion) => (suggestion.as_deref().cloned(), vec![]),
            Self::SameSubject(entries) => (None, entries.clone()),
            _ => (None, vec![]),
        };
        ErrorBody { error: self.detail(request_id), suggestion, same_subject }
    }
}

impl IntoResponse for ApiError {
    /// Status and headers. The error travels along as an extension until [`render`] writes the body.
    fn into_response(self) -> Response {
        let code = self.code();
        let mut response = StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR).into_response();
        if let Self::Engine(error) = &self
            && let Some(wait) = error.retry_after()
        {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(whole_seconds(wait)));
        }
        if code == ErrorCode::Unauthenticated {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}

/// Tells the client of an answer 503 when to come back, unless it says so already.
pub fn add_retry_after(response: &mut Response) {
    if response.status() == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().entry(header::RETRY_AFTER).or_insert(AWAY);
    }
}

/// Rounded up: a caller that retries after this many seconds is served.
fn whole_seconds(wait: Duration) -> u64 {
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}

/// Middleware that writes the body of every [`ApiError`] with the id of its request. A 5xx is logged here and nowhere else.
pub async fn render(Extension(request_id): Extension<RequestId>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    add_retry_after(&mut response);
    let Some(error) = response.extensions_mut().remove::<Arc<ApiError>>() else { return response };
    if let ApiError::Engine(error) = error.as_ref()
        && response.status().is_server_error()
    {
        tracing::error!(%request_id, error = error.chain(), "request failed");
    }
    let (mut parts, _) = response.into_parts();
    // An inner router may have set the length of the body while it was empty.
    parts.headers.remove(header::CONTENT_LENGTH);
    (parts.status, parts.headers, Json(error.body(request_id))).into_response()
}

/// The handler of addresses below `/api` that do not exist.
pub async fn no_such_address() -> ApiError {
    ApiError::NoSuchAddress
}

/// The handler of methods that an address does not have.
pub async fn method_not_allowed() -> ApiError {
    ApiError::MethodNotAllowed
}

/// The response to a request whose handler panicked.
pub fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let message = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    ApiError::from(Error::internal(format!("a handler panicked: {}", message.unwrap_or("no message")))).into_response()
}
