//! Bodies and parameters: read, or refused with what is wrong.

use super::respond;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use remembrancer::Error;
use remembrancer::api::{ErrorCode, RequestId, UserId};
use serde_json::Value;
use std::collections::HashMap;
use std::convert::Infallible;
use std::str::FromStr;

/// The parameters of a query. What they mean is for the handler to say, so that a wrong one is refused in our shape.
pub struct Parameters(HashMap<String, String>);

impl<S: Sync> FromRequestParts<S> for Parameters {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(Query::try_from_uri(&parts.uri).map_or_else(|_| HashMap::new(), |Query(parameters)| parameters)))
    }
}

impl Parameters {
    /// A parameter, if it is there.
    ///
    /// # Errors
    /// `Invalid`, naming it, when it cannot be read.
    pub fn read<T: FromStr>(&self, name: &str) -> Result<Option<T>, Error> {
        let read = |text: &String| text.parse().map_err(|_| Error::invalid(name, format!("cannot be “{}”", text.escape_default())));
        self.0.get(name).map(read).transpose()
    }

    /// The person an agent talks to, as `user_id`.
    ///
    /// # Errors
    /// `Invalid` when it is not a UUID.
    pub fn user(&self) -> Result<Option<UserId>, Error> {
        self.read("user_id")
    }
}

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
