//! The caller of a request: authentication as a value that an extractor returns.

use super::Api;
use super::error::ApiError;
use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use remembrancer::api::{KeyId, RequestId};
use remembrancer::op::Actor;
use remembrancer::{Error, OpContext, identity};
use std::num::NonZeroU32;

/// How many keys are kept before those without recent requests are dropped.
const KEYS_KEPT: usize = 10_000;

/// A bucket of requests for each API key.
pub struct Limiter(DefaultKeyedRateLimiter<KeyId>);

impl Limiter {
    /// So many requests a minute, all at once if they like.
    pub fn per_minute(requests: NonZeroU32) -> Self {
        Self(RateLimiter::keyed(Quota::per_minute(requests)))
    }

    /// Counts a request of the key behind a context, or says when to come back.
    pub(super) fn check(&self, ctx: &OpContext) -> Result<(), Error> {
        let Actor::Agent { key_id, .. } = &ctx.actor else { return Ok(()) };
        if self.0.len() > KEYS_KEPT {
            self.0.retain_recent();
        }
        self.0.check_key(key_id).map_err(|until| Error::RateLimited(until.wait_time_from(DefaultClock::default().now())))
    }
}

/// The context of a request with a valid API key that is within its limit.
pub struct Caller(pub OpContext);

impl FromRequestParts<Api> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, ApiError> {
        let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let key = match header.split_once(' ') {
            Some((scheme, key)) if scheme.eq_ignore_ascii_case("bearer") => key.trim(),
            _ => return Err(Error::Unauthenticated("send an API key as `Authorization: Bearer rmb_…`").into()),
        };
        let ctx = identity::authenticate(&api.engine, key, request_id(parts)?).await?;
        api.limiter.check(&ctx)?;
        Ok(Self(ctx))
    }
}

/// The id that the request was given when it arrived.
pub fn request_id(parts: &Parts) -> Result<RequestId, Error> {
    parts.extensions.get().copied().ok_or_else(|| Error::internal("the request has no id: a layer is missing"))
}
