//! The one error shape: `{"error": {"code", "message", "request_id", "fields"}}`.

use super::{RequestId, SimilarEntry};
use serde::{Deserialize, Serialize};

/// Why a request was refused, in one word; the HTTP status follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// 400: a field is missing, malformed or out of bounds; `fields` names it and its limit.
    Invalid,
    /// 401: no credential, or one that is unknown, expired or revoked.
    Unauthenticated,
    /// 402: the organisation or the user has no credit or quota left for the model that the answer needs; `message` names the account and
    /// says when its quota renews.
    BalanceExhausted,
    /// 403: the credential lacks a scope or role.
    Forbidden,
    /// 404: it does not exist, or this credential may not see it.
    NotFound,
    /// 405: the address exists, but does not support this method.
    MethodNotAllowed,
    /// 409: the current state does not allow the change, for example because somebody else made one first.
    Conflict,
    /// 409: an existing entry says the same and can be updated instead; the field `suggestion`, next to `error`, names it.
    SimilarExists,
    /// 409: entries about the same subject say something else; the field `same_subject`, next to `error`, lists them. Update the one that is
    /// out of date, or send the entry again with `force`.
    SameSubject,
    /// 422: this idempotency key was used with another request.
    KeyReused,
    /// 413: the body is larger than the limit.
    TooLarge,
    /// 415: the operation does not accept the media type of the body; `message` names those that it accepts.
    UnsupportedMediaType,
    /// 429: a limit is reached, for example on the requests of this key or on running exports; `Retry-After` says when to try again.
    RateLimited,
    /// 503: the database or a model is out of reach, or the server is stopping; try again.
    Unavailable,
    /// 500: an error of the server; search its log for the request id.
    Internal,
}

impl ErrorCode {
    /// The HTTP status that carries this code.
    pub fn status(self) -> u16 {
        match self {
            Self::Invalid => 400,
            Self::Unauthenticated => 401,
            Self::BalanceExhausted => 402,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::Conflict | Self::SimilarExists | Self::SameSubject => 409,
            Self::KeyReused => 422,
            Self::TooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::RateLimited => 429,
            Self::Unavailable => 503,
            Self::Internal => 500,
        }
    }
}

/// The text of an error, without the number that the system has for it.
pub fn plain(error: impl std::fmt::Display) -> String {
    error.to_string().split(" (os error").next().unwrap_or_default().to_owned()
}

/// What is wrong with one field of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FieldError {
    /// The field's path, as in `source.platform`.
    pub field: String,
    /// A sentence that names the limit.
    pub message: String,
}

impl FieldError {
    /// A field and what is wrong with it.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}

/// What an error body holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ErrorDetail {
    pub code: ErrorCode,
    pub message: String,
    pub request_id: RequestId,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldError>,
}

/// An error response's body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ErrorBody {
    pub error: ErrorDetail,
    /// Only with `similar_exists`: the entry to update instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<SimilarEntry>,
    /// Only with `same_subject`: the entries about the same subject.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same_subject: Vec<SimilarEntry>,
}

impl From<ErrorDetail> for ErrorBody {
    fn from(error: ErrorDetail) -> Self {
        Self { error, suggestion: None, same_subject: vec![] }
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn people_do_not_read_the_number_of_an_error() {
        let error = std::io::Error::from_raw_os_error(2);
        assert!(error.to_string().contains("(os error 2)"));
        assert_eq!(plain(error), "No such file or directory");
        assert_eq!(plain("no route"), "no route");
    }
}
