//! The caller of a request: authentication as a value that an extractor returns.

use super::Api;
use super::error::ApiError;
use super::gate::seen_key;
use super::openapi::{Describe, Operation, Refusal};
use axum::extract::{FromRequestParts, Request};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use foundation::intake::Admitted;
use foundation::op::IdempotencyKey;
use foundation::{Engine, Error, OpContext, idempotency, identity};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wire::{RequestId, SessionRef, UserRef};

/// The header in which the caller's runtime names the user of a call. A model writes arguments, but no headers.
pub const USER: &str = "x-remembrancer-user";

/// The header in which the host of a coding agent names the session of a call.
pub const SESSION: &str = "x-remembrancer-session";

/// The header with the idempotency key of a request.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// The header of a repeated answer.
pub const REPLAYED: &str = "idempotent-replayed";

/// The engine, and the context of a request with a valid API key that is within its limit.
pub struct Caller(pub Engine, pub OpContext);

impl FromRequestParts<Api> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, ApiError> {
        let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let key = match header.split_once(' ') {
            Some((scheme, key)) if scheme.eq_ignore_ascii_case("bearer") => key.trim(),
            _ => return Err(Error::Unauthenticated("send an API key as `Authorization: Bearer rmb_…`").into()),
        };
        let seen = seen_key(parts);
        let look_up = identity::authenticate_seen(&api.engine, key, request_id(parts)?, &seen);
        let ctx = api.gate.admit(key, parts, look_up).await?;
        let only_reads = matches!(parts.method, Method::GET | Method::HEAD);
        let ctx = OpContext { idempotency: idempotency_key(parts)?, only_reads, session: session(parts)?, ..ctx };
        let Some(named) = header_text(parts, USER)? else { return Ok(Self(api.engine.current(), ctx)) };
        // A proxy that adds a header to one that the client sent may write both into one.
        if named.contains(',') {
            return Err(Error::invalid(USER, "has a comma, so it may be two headers in one: a proxy must replace it").into());
        }
        let user: UserRef = named.parse().map_err(|message: String| Error::invalid(USER, message))?;
        let ctx = identity::named_by_caller(&api.engine, ctx, &user).await?;
        Ok(Self(api.engine.current(), ctx))
    }
}

/// Whether the answer to a request is a repeated one.
#[derive(Clone, Default)]
struct Replayed(Arc<AtomicBool>);

/// Middleware for routes that accept an `Idempotency-Key`. It marks repeated answers; the verb stores the key in the transaction of its
/// change.
pub async fn idempotent(mut request: Request, next: Next) -> Response {
    let replayed = Replayed::default();
    request.extensions_mut().insert(replayed.clone());
    let mut response = next.run(request).await;
    if replayed.0.load(Ordering::Relaxed) {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

/// The idempotency key of a request that may have one.
fn idempotency_key(parts: &Parts) -> Result<Option<Arc<IdempotencyKey>>, Error> {
    let Some(Replayed(replayed)) = parts.extensions.get() else { return Ok(None) };
    let mut sent = parts.headers.get_all(IDEMPOTENCY_KEY).iter();
    match (sent.next(), sent.next()) {
        (None, _) => Ok(None),
        (Some(_), Some(_)) => Err(Error::invalid("Idempotency-Key", "is sent twice")),
        (Some(key), None) => Ok(Some(Arc::new(IdempotencyKey::new(idempotency::parse(key.as_bytes())?, Arc::clone(replayed))))),
    }
}

/// The session of a coding agent that a request belongs to.
fn session(parts: &Parts) -> Result<Option<Arc<SessionRef>>, Error> {
    let Some(named) = header_text(parts, SESSION)? else { return Ok(None) };
    let session: SessionRef = named.parse().map_err(|message: String| Error::invalid(SESSION, message))?;
    Admitted::id(SESSION, &session.id)?;
    Ok(Some(Arc::new(session)))
}

/// The text of a header that is sent at most once.
fn header_text<'a>(parts: &'a Parts, name: &'static str) -> Result<Option<&'a str>, Error> {
    let mut sent = parts.headers.get_all(name).iter();
    match (sent.next(), sent.next()) {
        (None, _) => Ok(None),
        (Some(_), Some(_)) => Err(Error::invalid(name, "is sent twice: a proxy must replace it, not add to it")),
        (Some(value), None) => std::str::from_utf8(value.as_bytes()).map(Some).map_err(|_| Error::invalid(name, "is not UTF-8")),
    }
}

impl Describe for Caller {
    fn describe(operation: &mut Operation) {
        operation.shared_parameter("User");
        operation.refuses_invalid();
        for refusal in [Refusal::Unauthenticated, Refusal::Forbidden, Refusal::RateLimited, Refusal::Unavailable] {
            operation.refuses(refusal);
        }
    }
}

/// The id that the request got when it arrived.
pub fn request_id(parts: &Parts) -> Result<RequestId, Error> {
    parts.extensions.get().copied().ok_or_else(|| Error::internal("the request has no id: a layer is missing"))
}
