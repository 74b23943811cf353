//! Answers of the endpoints of OAuth, which no cache may keep, and its errors.

use crate::api::ApiError;
use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use foundation::Error;
use serde_json::{Value, json};

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
    /// As everywhere else in the API: too many requests, or a failure of the server.
    Server(ApiError),
}

impl Refusal {
    pub fn new(code: &'static str, description: impl Into<String>) -> Self {
        Self::Request(code, description.into())
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Server(error.into())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::Request(code, description) => {
                private(StatusCode::BAD_REQUEST, json!({ "error": code, "error_description": description }))
            }
            Self::Server(error) => error.into_response(),
        }
    }
}
