//! Who calls: authentication as a value that an extractor returns.

use super::{Api, respond};
use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::response::Response;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use remembrancer::api::{KeyId, RequestId};
use remembrancer::op::Actor;
use remembrancer::{Error, OpContext, identity};
use std::num::NonZeroU32;
use uuid::Uuid;

/// How many keys are remembered before those that rest are dropped.
const KEYS_KEPT: usize = 10_000;

/// A bucket of requests for each API key.
pub struct Limiter(DefaultKeyedRateLimiter<KeyId>);

impl Limiter {
    /// So many requests a minute, all at once if they like.
    pub fn per_minute(requests: NonZeroU32) -> Self {
        Self(RateLimiter::keyed(Quota::per_minute(requests)))
    }

    /// Counts a request of a key, or says when to come back.
    pub(super) fn check(&self, key: KeyId) -> Result<(), Error> {
        if self.0.len() > KEYS_KEPT {
            self.0.retain_recent();
        }
        self.0.check_key(&key).map_err(|until| Error::RateLimited(until.wait_time_from(DefaultClock::default().now())))
    }
}

/// The context of a request with a valid API key that is within its limit.
pub struct Caller(pub OpContext);

impl FromRequestParts<Api> for Caller {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Response> {
        let request_id = parts.extensions.get::<RequestId>().copied();
        identify(parts, api, request_id).await.map(Self).map_err(|error| respond::error(&error, request_id))
    }
}

async fn identify(parts: &Parts, api: &Api, request_id: Option<RequestId>) -> Result<OpContext, Error> {
    let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let key = match header.split_once(' ') {
        Some((scheme, key)) if scheme.eq_ignore_ascii_case("bearer") => key.trim(),
        _ => return Err(Error::Unauthenticated("send an API key as `Authorization: Bearer rmb_…`")),
    };
    let ctx = identity::authenticate(&api.engine, key, request_id.unwrap_or(RequestId(Uuid::nil()))).await?;
    if let Actor::Agent { key_id, .. } = &ctx.actor {
        api.limiter.check(*key_id)?;
    }
    Ok(ctx)
}
