//! Checks on a request before its first statement: refusing too many requests and bad credentials needs no connection.

use crate::limits::{PerMinute, network};
use app::ClientAddress;
use axum::http::request::Parts;
use foundation::identity::{KeyRef, SeenKey};
use foundation::op::Actor;
use foundation::{Error, OpContext};
use moka::future::Cache;
use remembrancer::chat::Bot;
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;
use tokio::sync::Semaphore;
use wire::KeyId;

/// Most credentials that are remembered, for good and bad ones each.
const REMEMBERED: u64 = 10_000;
/// How long a good credential counts as known.
const GOOD_FOR: Duration = Duration::from_secs(60 * 60);
/// How long a refused credential is refused without another lookup.
const BAD_FOR: Duration = Duration::from_secs(60);
/// Unknown credentials that are looked up at once: fewer than the connections that sessions share with them.
const LOOKUPS: usize = 2;
/// How long an unknown credential waits to be looked up.
const LOOKUP_WAIT: Duration = Duration::from_secs(1);

/// SHA-256 of a credential.
type Hash = [u8; 32];

/// The result of looking up a credential: something that acts with an API key.
pub trait Admitted {
    fn context(&self) -> &OpContext;
}

impl Admitted for OpContext {
    fn context(&self) -> &OpContext {
        self
    }
}

impl Admitted for Bot {
    fn context(&self) -> &OpContext {
        &self.ctx
    }
}

/// The limits on requests of each key, and on unknown credentials of each address.
pub struct Gate {
    requests: PerMinute<KeyId>,
    unknown: PerMinute<Option<IpAddr>>,
    good: Cache<Hash, KeyRef>,
    /// With the message of each refusal, and the key if it is one that ended.
    bad: Cache<Hash, (&'static str, Option<KeyRef>)>,
    lookups: Semaphore,
}

impl Gate {
    /// `requests` a minute for each key, and `unknown` a minute for unknown credentials of each address.
    pub fn new(requests: NonZeroU32, unknown: NonZeroU32) -> Self {
        Self {
            requests: PerMinute::new(requests),
            unknown: PerMinute::new(unknown),
            good: Cache::builder().max_capacity(REMEMBERED).time_to_live(GOOD_FOR).build(),
            bad: Cache::builder().max_capacity(REMEMBERED).time_to_live(BAD_FOR).build(),
            lookups: Semaphore::new(LOOKUPS),
        }
    }

    /// Runs `look_up`, which resolves `credential`, unless the credential is known to be bad or a limit is reached.
    ///
    /// A credential that is known to be good passes even if its address sends too many unknown ones: nobody can shut others out by
    /// guessing.
    ///
    /// # Errors
    /// `RateLimited`, `Unauthenticated`, and what `look_up` fails with.
    pub async fn admit<T: Admitted>(
        &self,
        credential: &str,
        parts: &Parts,
        look_up: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let hash: Hash = Sha256::digest(credential).into();
        let seen = seen_key(parts);
        if let Some(key) = self.good.get(&hash).await {
            seen.set(key);
            self.requests.check(&key.1).map_err(|wait| limited("requests", wait))?;
            return self.noted(hash, look_up.await, &seen).await;
        }
        if let Some((refusal, key)) = self.bad.get(&hash).await {
            if let Some(key) = key {
                seen.set(key);
            }
            return Err(Error::Unauthenticated(refusal));
        }
        let address = parts.extensions.get::<ClientAddress>().map(|client| network(client.0));
        self.unknown.check(&address).map_err(|wait| limited("unknown_credentials", wait))?;
        let turn = tokio::time::timeout(LOOKUP_WAIT, self.lookups.acquire()).await;
        let turn = turn.map_err(|_| Error::Unavailable("too many unknown credentials are being looked up".into()))?;
        let found = look_up.await;
        drop(turn);
        let found = self.noted(hash, found, &seen).await?;
        if let Some((_, key)) = key_of(&found) {
            self.requests.check(&key).map_err(|wait| limited("requests", wait))?;
        }
        Ok(found)
    }

    /// Remembers whether a credential is good or bad, and enters the key into `seen`.
    async fn noted<T: Admitted>(&self, hash: Hash, found: Result<T, Error>, seen: &SeenKey) -> Result<T, Error> {
        match &found {
            Ok(found) => {
                if let Some(key) = key_of(found) {
                    seen.set(key);
                    self.good.insert(hash, key).await;
                }
            }
            Err(Error::Unauthenticated(refusal)) => {
                self.good.invalidate(&hash).await;
                self.bad.insert(hash, (*refusal, seen.get())).await;
            }
            _ => {}
        }
        found
    }
}

/// Where the key of a request is entered; [`super::count_use`] counts it.
pub fn seen_key(parts: &Parts) -> SeenKey {
    parts.extensions.get().cloned().unwrap_or_default()
}

fn key_of(found: &impl Admitted) -> Option<KeyRef> {
    let ctx = found.context();
    match ctx.actor {
        Actor::Agent { key_id, .. } => Some((ctx.tenant_id, key_id)),
        Actor::Operator { .. } | Actor::System => None,
    }
}

fn limited(limit: &'static str, wait: Duration) -> Error {
    metrics::counter!("remembrancer_refused_total", "limit" => limit).increment(1);
    Error::RateLimited(wait)
}
