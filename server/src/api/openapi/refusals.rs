//! The refusals of operations. All have the one error shape, and each is described once, as a component.

use axum::http::StatusCode;
use serde_json::{Map, Value, json};

/// Why an operation may be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Invalid,
    InvalidEntry,
    Unauthenticated,
    Forbidden,
    NotFound,
    Conflict,
    TooLarge,
    UnsupportedMediaType,
    KeyReused,
    RateLimited,
    Unavailable,
}

impl Refusal {
    const ALL: [Self; 11] = [
        Self::Invalid,
        Self::InvalidEntry,
        Self::Unauthenticated,
        Self::Forbidden,
        Self::NotFound,
        Self::Conflict,
        Self::TooLarge,
        Self::UnsupportedMediaType,
        Self::KeyReused,
        Self::RateLimited,
        Self::Unavailable,
    ];

    pub fn status(self) -> StatusCode {
        match self {
            Self::Invalid => StatusCode::BAD_REQUEST,
            Self::InvalidEntry | Self::KeyReused => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Conflict => StatusCode::CONFLICT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Invalid => "A field, a parameter or a header is missing, malformed or out of bounds. `fields` names it.",
            Self::InvalidEntry => {
                "A field, a parameter or a header is missing, malformed or out of bounds; `fields` names it. Or the `Idempotency-Key` was \
                 used with a different request."
            }
            Self::Unauthenticated => "The credential is missing, unknown, expired or revoked.",
            Self::Forbidden => "The key lacks a scope, or is bound to another user.",
            Self::NotFound => "It does not exist, or this key may not see it.",
            Self::Conflict => {
                "The current state does not allow it. Or the stored answer for this `Idempotency-Key` was erased, because it contained \
                 something that was deleted since."
            }
            Self::TooLarge => "The body is larger than the limit.",
            Self::UnsupportedMediaType => "The operation does not accept the media type of the body.",
            Self::KeyReused => "The `Idempotency-Key` was used with a different request.",
            Self::RateLimited => "Too many requests with this key. Wait as long as `Retry-After` says.",
            Self::Unavailable => "A database is out of reach, or the server is stopping. Try again.",
        }
    }

    fn name(self) -> String {
        format!("{self:?}")
    }

    /// The response of an operation that may be refused like this.
    pub fn reference(self) -> Value {
        json!({ "$ref": format!("#/components/responses/{}", self.name()) })
    }
}

/// A response with the header that every response has.
pub fn response(description: &str, content: Value) -> Value {
    let mut response = json!({
        "description": description,
        "headers": { "X-Request-Id": { "$ref": "#/components/headers/RequestId" } },
    });
    if content != json!({}) {
        response["content"] = content;
    }
    response
}

/// The description of every refusal. `error` is the schema of the body.
pub fn components(error: &Value) -> Map<String, Value> {
    let describe = |refusal: Refusal| {
        let mut response = response(refusal.description(), json!({ "application/json": { "schema": error } }));
        let header = match refusal {
            Refusal::RateLimited | Refusal::Unavailable => Some(("Retry-After", "RetryAfter")),
            Refusal::Unauthenticated => Some(("WWW-Authenticate", "WwwAuthenticate")),
            _ => None,
        };
        if let Some((name, component)) = header {
            response["headers"][name] = json!({ "$ref": format!("#/components/headers/{component}") });
        }
        (refusal.name(), response)
    };
    Refusal::ALL.into_iter().map(describe).collect()
}
