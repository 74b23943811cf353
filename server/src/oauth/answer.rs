//! Answers of the endpoints of OAuth, which no cache may keep, and its errors.

use crate::api::ApiError;
use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use foundation::Error;
use serde_json::{Value, json};
use wire::ErrorCode;

/// What an endpoint answers.
pub type Answered = Result<Response, Refusal>;

/// An answer that no cache keeps.
pub fn private(status: StatusCode, body: Value) -> Response {
    (status, [(header::CACHE_CONTROL, "no-store")], Json(body)).into_response()
}

/// Why a request is refused.
pub enum Refusal {
    /// In the form of OAuth: a code that programs know, and a sentence.
    Request(&'static str, String),
    /// Too many requests, or a failure of the server.
    Server(Error),
}

impl Refusal {
    pub fn new(code: &'static str, description: impl Into<String>) -> Self {
        Self::Request(code, description.into())
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Server(error)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::Request(code, description) => {
                private(StatusCode::BAD_REQUEST, json!({ "error": code, "error_description": description }))
            }
            Self::Server(error) => failure(error),
        }
    }
}

/// A failure with the status and the headers that it has in the API, in the form of OAuth. Its cause is logged here, because the layer that
/// logs those of the API writes their form.
fn failure(error: Error) -> Response {
    let description = error.message();
    if matches!(error.code(), ErrorCode::Internal | ErrorCode::Unavailable) {
        tracing::error!(error = error.chain(), "request failed");
    }
    let (parts, _) = ApiError::from(error).into_response().into_parts();
    let code = match parts.status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => "temporarily_unavailable",
        status if status.is_client_error() => "invalid_request",
        _ => "server_error",
    };
    let mut response = private(parts.status, json!({ "error": code, "error_description": description }));
    if let Some(wait) = parts.headers.get(header::RETRY_AFTER) {
        response.headers_mut().insert(header::RETRY_AFTER, wait.clone());
    }
    response
}
