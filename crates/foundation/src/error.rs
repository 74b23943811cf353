//! The error of a verb that cannot do what it was asked.

use chrono::{DateTime, Datelike, Utc};
use db::{DbError, Illness};
use models::EmbedError;
use std::borrow::Cow;
use std::error::Error as StdError;
use std::time::Duration;
use wire::{BatchError, ErrorCode, ErrorDetail, Exhausted, FieldError, RequestId};

/// A verb's error. The edges turn it into a status and a body; the details of a 5xx stay in the log.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{}", first(.0))]
    Invalid(Vec<FieldError>),
    #[error("{0}")]
    Unauthenticated(&'static str),
    #[error("{0}")]
    Forbidden(String),
    /// The noun that was not found.
    #[error("no such {0}")]
    NotFound(&'static str),
    #[error("{0}")]
    Conflict(String),
    #[error("this Idempotency-Key was used with another request: use a new key for a new request")]
    KeyReused,
    #[error("too many requests; try again in {} s", .0.as_secs().max(1))]
    RateLimited(Duration),
    /// Nothing is wrong with the request: others like it have to end first.
    #[error("{reason}; try again in {} s", .wait.as_secs().max(1))]
    Busy { reason: &'static str, wait: Duration },
    /// A key used up what it may send for some time; the reason says until when.
    #[error("{reason}")]
    OverQuota { reason: String, wait: Duration },
    /// An account has nothing left for a call of a model that cannot be replaced by anything else.
    #[error(transparent)]
    Exhausted(Exhausted),
    #[error("{0}")]
    Unavailable(String),
    /// The server was set up in a way that cannot work: what to change.
    #[error("{0}")]
    Misconfigured(String),
    #[error(transparent)]
    Db(#[from] DbError),
    /// A bug of ours or a broken environment: what failed, and why if something else is the cause.
    #[error("{what}")]
    Internal { what: Cow<'static, str>, source: Option<Box<dyn StdError + Send + Sync>> },
}

fn first(fields: &[FieldError]) -> String {
    match fields {
        [] => "the request is not valid".into(),
        [one] => format!("{} {}", one.field, one.message),
        [one, rest @ ..] => format!("{} {} (and {} more)", one.field, one.message, rest.len()),
    }
}

impl Error {
    /// One field that is wrong, and its limit.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldError::new(field, message)])
    }

    /// A failure of ours that has no other cause.
    pub fn internal(what: impl Into<Cow<'static, str>>) -> Self {
        Self::Internal { what: what.into(), source: None }
    }

    /// A failure of ours with its cause, for `map_err`: `.map_err(Error::failed("the file cannot be read"))`.
    pub fn failed<E: StdError + Send + Sync + 'static>(what: impl Into<Cow<'static, str>>) -> impl FnOnce(E) -> Self {
        let what = what.into();
        move |source| Self::Internal { what, source: Some(Box::new(source)) }
    }

    /// The error with all its causes, for logs and for the events of failed jobs.
    pub fn chain(&self) -> String {
        let (mut text, mut cause) = (self.to_string(), self.source());
        while let Some(error) = cause {
            text = format!("{text}: {error}");
            cause = error.source();
        }
        text
    }

    /// The code that an edge answers with.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Invalid(_) => ErrorCode::Invalid,
            Self::Unauthenticated(_) => ErrorCode::Unauthenticated,
            Self::Forbidden(_) => ErrorCode::Forbidden,
            Self::NotFound(_) | Self::Db(DbError::NotFound) => ErrorCode::NotFound,
            Self::Conflict(_) => ErrorCode::Conflict,
            Self::KeyReused => ErrorCode::KeyReused,
            Self::RateLimited(_) | Self::Busy { .. } | Self::OverQuota { .. } => ErrorCode::RateLimited,
            Self::Exhausted(_) => ErrorCode::BalanceExhausted,
            Self::Unavailable(_) | Self::Db(DbError::Cancelled | DbError::Deadlock(_)) => ErrorCode::Unavailable,
            Self::Db(error) if error.is_away() => ErrorCode::Unavailable,
            Self::Db(_) | Self::Misconfigured(_) | Self::Internal { .. } => ErrorCode::Internal,
        }
    }

    /// When the caller should try again, if that is known.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited(wait) | Self::Busy { wait, .. } | Self::OverQuota { wait, .. } => Some(*wait),
            Self::Db(DbError::Ill { .. }) => Some(Illness::PAUSE),
            _ => None,
        }
    }

    /// The fields that are wrong, if that is what is wrong.
    pub fn fields(&self) -> &[FieldError] {
        match self {
            Self::Invalid(fields) => fields,
            _ => &[],
        }
    }

    /// The message for callers; that of a 5xx has no details.
    pub fn message(&self) -> String {
        match self.code() {
            ErrorCode::Internal => "something went wrong on the server; search its log for the request id".into(),
            ErrorCode::Unavailable => match self {
                Self::Db(DbError::Ill { illness, .. }) => format!("{illness}; try again later, or tell an administrator"),
                _ => "not available at the moment; try again".into(),
            },
            ErrorCode::NotFound if matches!(self, Self::Db(_)) => "not found".into(),
            _ => self.to_string(),
        }
    }

    /// What an item of a batch has as its outcome.
    pub fn in_batch(&self) -> BatchError {
        BatchError { code: self.code(), message: self.message(), fields: self.fields().to_vec() }
    }

    /// The body of the answer.
    pub fn detail(&self, request_id: RequestId) -> ErrorDetail {
        ErrorDetail { code: self.code(), message: self.message(), request_id, fields: self.fields().to_vec() }
    }
}

impl From<FieldError> for Error {
    fn from(error: FieldError) -> Self {
        Self::Invalid(vec![error])
    }
}

impl From<EmbedError> for Error {
    fn from(error: EmbedError) -> Self {
        match error {
            EmbedError::Exhausted(exhausted) => Self::Exhausted(exhausted),
            error => Self::Unavailable(format!("embedding: {error}")),
        }
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        Self::Db(error.into())
    }
}

/// Collects everything that is wrong with a request, so that one error reports it all.
#[derive(Default)]
pub struct Checks(Vec<FieldError>);

/// Whether a text has more than blanks, punctuation and what cannot be seen.
fn says_something(text: &str) -> bool {
    let unseen = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || c.is_ascii_punctuation()
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{206f}' | '\u{3000}'..='\u{3003}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
    };
    !text.chars().all(unseen)
}

impl Checks {
    /// Notes `message` for `field` unless `holds`.
    pub fn that(&mut self, holds: bool, field: &str, message: impl Into<String>) -> &mut Self {
        if !holds {
            self.0.push(FieldError::new(field, message));
        }
        self
    }

    /// A text that is not blank, has no NUL and at most `most` characters.
    pub fn text(&mut self, field: &str, text: &str, most: usize) -> &mut Self {
        self.that(!text.trim().is_empty(), field, "must not be empty")
            .that(text.chars().count() <= most, field, format!("has {} characters; at most {most} are allowed", text.chars().count()))
            .that(!text.contains('\0'), field, "must not contain NUL")
    }

    /// An optional text, with the same limits when it is there.
    pub fn optional_text(&mut self, field: &str, text: Option<&str>, most: usize) -> &mut Self {
        match text {
            Some(text) => self.text(field, text, most),
            None => self,
        }
    }

    /// A text that is not blank, has no NUL and at most `most` bytes.
    pub fn bytes(&mut self, field: &str, text: &str, most: usize) -> &mut Self {
        self.that(!text.trim().is_empty(), field, "must not be empty")
            .that(text.len() <= most, field, format!("has {} bytes; at most {most} are allowed", text.len()))
            .that(!text.contains('\0'), field, "must not contain NUL")
    }

    /// The words of a memory: as [`Checks::bytes`], with at least one letter, digit or symbol.
    pub fn content(&mut self, field: &str, text: &str, most: usize) -> &mut Self {
        self.bytes(field, text, most).that(
            text.trim().is_empty() || says_something(text),
            field,
            "must hold at least one letter, digit or symbol",
        )
    }

    /// A text that may be blank, has no NUL and at most `most` characters.
    pub fn limit(&mut self, field: &str, text: &str, most: usize) -> &mut Self {
        self.that(text.chars().count() <= most, field, format!("has {} characters; at most {most} are allowed", text.chars().count())).that(
            !text.contains('\0'),
            field,
            "must not contain NUL",
        )
    }

    /// A time of the years 1 to 9999, if it is there: beyond them Postgres and RFC 3339 do not agree, and an export could not be read again.
    pub fn time(&mut self, field: &str, at: Option<DateTime<Utc>>) -> &mut Self {
        self.that(at.is_none_or(|at| (1..=9999).contains(&at.year())), field, "must be a time in the years 1 to 9999")
    }

    /// Everything noted, as one error.
    pub fn done(&mut self) -> Result<(), Error> {
        match std::mem::take(&mut self.0) {
            fields if fields.is_empty() => Ok(()),
            fields => Err(Error::Invalid(fields)),
        }
    }
}
