//! The one error shape on HTTP.

use axum::Json;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use remembrancer::Error;
use remembrancer::api::{ErrorBody, ErrorCode, ErrorDetail, RequestId};
use std::any::Any;
use uuid::Uuid;

/// An engine's error, logged here if it is ours (5xx) and nowhere else.
pub fn error(error: &Error, request_id: Option<RequestId>) -> Response {
    let request_id = request_id.unwrap_or(RequestId(Uuid::nil()));
    let detail = error.detail(request_id);
    if detail.code.status() >= 500 {
        tracing::error!(%request_id, %error, "request failed");
    }
    let mut response = detailed(detail);
    if let Error::RateLimited(wait) = error {
        // Rounded up: who comes back after this many seconds is served.
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
    }
    if detail_is_unauthenticated(error) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

fn detail_is_unauthenticated(error: &Error) -> bool {
    error.code() == ErrorCode::Unauthenticated
}

fn detailed(detail: ErrorDetail) -> Response {
    let status = StatusCode::from_u16(detail.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(ErrorBody { error: detail })).into_response()
}

/// An error of HTTP itself, which the engine does not know.
pub fn refused(code: ErrorCode, message: &str, request_id: Option<RequestId>) -> Response {
    let request_id = request_id.unwrap_or(RequestId(Uuid::nil()));
    detailed(ErrorDetail { code, message: message.into(), request_id, fields: vec![] })
}

/// An address under `/api` that is none.
pub async fn no_such_route(request: Request) -> Response {
    refused(ErrorCode::NotFound, "no such address", request.extensions().get().copied())
}

/// A method that an address does not have.
pub async fn method_not_allowed(request: Request) -> Response {
    refused(ErrorCode::MethodNotAllowed, "this address does not take this method", request.extensions().get().copied())
}

/// A handler panicked: a bug of ours, told in the usual shape.
pub fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let what = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    tracing::error!(panic = what.unwrap_or("?"), "a handler panicked");
    refused(ErrorCode::Internal, "something went wrong here", None)
}
