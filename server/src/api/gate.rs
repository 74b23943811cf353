//! Checks on a request before its first statement: refusing too many requests and bad credentials needs no connection.

use crate::limits::{PerMinute, network};
use app::ClientAddress;
use axum::http::request::Parts;
use moka::future::Cache;
use remembrancer::api::KeyId;
use remembrancer::chat::Bot;
use remembrancer::op::Actor;
use remembrancer::{Error, OpContext};
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;
use tokio::sync::Semaphore;

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
    good: Cache<Hash, KeyId>,
    /// With the message of each refusal.
    bad: Cache<Hash, &'static str>,
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
        if let Some(key) = self.good.get(&hash).await {
            self.requests.check(&key).map_err(|wait| limited("requests", wait))?;
            return self.noted(hash, look_up.await).await;
        }
        if let Some(refusal) = self.bad.get(&hash).await {
            return Err(Error::Unauthenticated(refusal));
        }
        let address = parts.extensions.get::<ClientAddress>().map(|client| network(client.0));
        self.unknown.check(&address).map_err(|wait| limited("unknown_credentials", wait))?;
        let turn = tokio::time::timeout(LOOKUP_WAIT, self.lookups.acquire()).await;
        let turn = turn.map_err(|_| Error::Unavailable("too many unknown credentials are being looked up".into()))?;
        let found = look_up.await;
        drop(turn);
        let found = self.noted(hash, found).await?;
        if let Some(key) = key_of(&found) {
            self.requests.check(&key).map_err(|wait| limited("requests", wait))?;
        }
        Ok(found)
    }

    /// Remembers whether a credential is good or bad.
    async fn noted<T: Admitted>(&self, hash: Hash, found: Result<T, Error>) -> Result<T, Error> {
        match &found {
            Ok(found) => {
                if let Some(key) = key_of(found) {
                    self.good.insert(hash, key).await;
                }
            }
            Err(Error::Unauthenticated(refusal)) => {
                self.good.invalidate(&hash).await;
                self.bad.insert(hash, refusal).await;
            }
            _ => {}
        }
        found
    }
}

fn key_of(found: &impl Admitted) -> Option<KeyId> {
    match found.context().actor {
        Actor::Agent { key_id, .. } => Some(key_id),
        Actor::Operator { .. } | Actor::System => None,
    }
}

fn limited(limit: &'static str, wait: Duration) -> Error {
    metrics::counter!("remembrancer_refused_total", "limit" => limit).increment(1);
    Error::RateLimited(wait)
}
