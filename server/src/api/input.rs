//! Bodies: JSON or a refusal that says what is wrong.

use super::respond;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use remembrancer::Error;
use remembrancer::api::{ErrorCode, RequestId};
use serde_json::Value;

/// Reads a body as JSON.
pub fn json(headers: &HeaderMap, body: Result<Bytes, BytesRejection>, most: usize, id: Option<RequestId>) -> Result<Value, Box<Response>> {
    let body = match body {
        Ok(body) => body,
        Err(rejection) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            return Err(Box::new(respond::refused(ErrorCode::TooLarge, &format!("the body is larger than {most} bytes"), id)));
        }
        Err(_) => return Err(Box::new(respond::error(&Error::invalid("body", "could not be read to its end"), id))),
    };
    if !is_json(headers) {
        return Err(Box::new(respond::refused(ErrorCode::UnsupportedMediaType, "send the input as application/json", id)));
    }
    serde_json::from_slice(&body).map_err(|error| Box::new(respond::error(&Error::invalid("body", format!("is not JSON: {error}")), id)))
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}
