//! Request bodies. A caller that lacks the scope learns nothing about its body, so a body is read after the scope was checked.

use super::error::ApiError;
use super::openapi::{Describe, Operation};
use axum::body::{BodyDataStream, Bytes};
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use foundation::{Error, OpContext};
use remembrancer::tools;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::marker::PhantomData;
use wire::KeyScope;

/// Largest body of a request, in bytes: content has at most 16 KiB, and JSON may write each byte as six.
pub const BODY_MAX: usize = 128 * 1024;
/// The media type of lines of JSON.
pub const NDJSON: &str = "application/x-ndjson";

/// The body of a request, not yet read: a `T` in JSON.
pub struct UnreadBody<T> {
    request: Request,
    most: usize,
    of: PhantomData<T>,
}

impl<S: Send + Sync, T> FromRequest<S> for UnreadBody<T> {
    type Rejection = Infallible;

    async fn from_request(request: Request, _: &S) -> Result<Self, Infallible> {
        Ok(Self { request, most: BODY_MAX, of: PhantomData })
    }
}

impl<T: JsonSchema> Describe for UnreadBody<T> {
    fn describe(operation: &mut Operation) {
        operation.json_body(tools::input::<T>);
    }
}

impl<T> UnreadBody<T> {
    /// The same body with a limit in bytes other than [`BODY_MAX`].
    pub fn at_most(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// Checks the scope, then reads the body as a request in JSON.
    ///
    /// # Errors
    /// `Forbidden` without the scope; otherwise what [`UnreadBody::json`] refuses, and `Invalid` with the field that is wrong.
    pub async fn read(self, ctx: &OpContext, scope: KeyScope) -> Result<T, ApiError>
    where
        T: DeserializeOwned,
    {
        ctx.require(scope)?;
        Ok(tools::read(self.json().await?)?)
    }

    /// Reads the body as JSON, for a caller whose right to send it was already checked.
    ///
    /// # Errors
    /// `TooLarge`, `UnsupportedMediaType`, or `Invalid` for the field `body`.
    pub async fn json(mut self) -> Result<Value, ApiError> {
        let is_json = has_media_type(self.request.headers(), "application/json");
        DefaultBodyLimit::max(self.most).apply(&mut self.request);
        let bytes = Bytes::from_request(self.request, &()).await.map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => ApiError::TooLarge(format!("the body is larger than {} bytes", self.most)),
            _ => Error::invalid("body", "could not be read to its end").into(),
        })?;
        if !is_json {
            return Err(ApiError::UnsupportedMediaType("send the input as application/json".into()));
        }
        serde_json::from_slice(&bytes).map_err(|error| Error::invalid("body", format!("is not JSON: {error}")).into())
    }
}

/// A text, not yet read: plain, Markdown, or messages in JSON.
pub struct UnreadText(Request);

impl<S: Send + Sync> FromRequest<S> for UnreadText {
    type Rejection = Infallible;

    async fn from_request(request: Request, _: &S) -> Result<Self, Infallible> {
        Ok(Self(request))
    }
}

/// The media types of a text.
const TEXTS: [&str; 3] = ["text/plain", "text/markdown", "application/json"];

impl Describe for UnreadText {
    fn describe(operation: &mut Operation) {
        let text = json!({ "type": "string", "minLength": 1, "examples": ["Vera: I moved to Basel in May."] });
        let messages = json!({
            "description": "An export of a chat program, or the messages of a chat API as a list or under `messages`: `role`, `content`, and \
                if known `name` and `created_at`.",
            "anyOf": [{ "type": "array", "minItems": 1 }, { "type": "object", "required": ["messages"] }],
            "examples": [[{ "role": "user", "name": "Vera", "content": "I moved to Basel in May." }]],
        });
        operation.bodies(&[("text/plain", text.clone()), ("text/markdown", text), ("application/json", messages)]);
    }
}

impl UnreadText {
    /// The media type that the caller names, without parameters, unless it says nothing about the bytes.
    pub fn media_type(&self) -> Option<String> {
        let value = self.0.headers().get(header::CONTENT_TYPE)?.to_str().ok()?;
        let media_type = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let vague = media_type.is_empty() || media_type == "application/octet-stream" || media_type == "application/x-www-form-urlencoded";
        (!vague && !TEXTS.contains(&media_type.as_str())).then_some(media_type)
    }

    /// Checks scope and media type, then reads the body. An attachment may have `any` media type.
    ///
    /// # Errors
    /// `Forbidden` without the scope, `UnsupportedMediaType` for another type, `TooLarge` above `most` bytes.
    pub async fn read(mut self, ctx: &OpContext, scope: KeyScope, most: usize, any: bool) -> Result<Vec<u8>, ApiError> {
        ctx.require(scope)?;
        if !any && !TEXTS.iter().any(|media_type| has_media_type(self.0.headers(), media_type)) {
            return Err(ApiError::UnsupportedMediaType(format!(
                "send the source as {}, or any other type with form=attachment",
                TEXTS.join(", ")
            )));
        }
        DefaultBodyLimit::max(most).apply(&mut self.0);
        let bytes = Bytes::from_request(self.0, &()).await.map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => ApiError::TooLarge(format!("the source is larger than {most} bytes: send it in several")),
            _ => Error::invalid("body", "could not be read to its end").into(),
        })?;
        Ok(bytes.to_vec())
    }
}

/// A file of lines of JSON, not yet read.
pub struct UnreadLines(Request);

impl<S: Send + Sync> FromRequest<S> for UnreadLines {
    type Rejection = Infallible;

    async fn from_request(request: Request, _: &S) -> Result<Self, Infallible> {
        Ok(Self(request))
    }
}

impl Describe for UnreadLines {
    fn describe(operation: &mut Operation) {
        operation.body(NDJSON, json!({ "type": "string", "description": "The file as it was exported." }));
    }
}

impl UnreadLines {
    /// Checks scope and media type, then gives the body as it arrives, without a limit.
    ///
    /// # Errors
    /// `Forbidden` without the scope, `UnsupportedMediaType` for another type.
    pub fn stream(self, ctx: &OpContext, scope: KeyScope) -> Result<BodyDataStream, ApiError> {
        ctx.require(scope)?;
        if !has_media_type(self.0.headers(), NDJSON) {
            return Err(ApiError::UnsupportedMediaType(format!("send the file as {NDJSON}")));
        }
        Ok(self.0.into_body().into_data_stream())
    }
}

fn has_media_type(headers: &HeaderMap, media_type: &str) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(media_type)
}
