//! How API keys are used: counted in memory, and written every few seconds.

use chrono::{DateTime, Utc};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use wire::{KeyId, TenantId};

pub type KeyRef = (TenantId, KeyId);

/// The key that a request carried. Whoever recognises it enters it, also if the key is refused, and whoever ends the request counts it.
#[derive(Clone, Debug, Default)]
pub struct SeenKey(Arc<Seen>);

#[derive(Debug, Default)]
struct Seen {
    key: OnceLock<KeyRef>,
    is_lapsed: AtomicBool,
}

impl SeenKey {
    /// Enters the key; later ones do not count.
    pub fn set(&self, key: KeyRef) {
        // An error means that it is known.
        let _ = self.0.key.set(key);
    }

    /// Enters that the key is an access token that its client has to renew. The client learns this from the refusal, every hour, so the
    /// request does not count.
    pub fn lapse(&self) {
        self.0.is_lapsed.store(true, Ordering::Relaxed);
    }

    /// The key for which the request counts, if it was recognised.
    pub fn get(&self) -> Option<KeyRef> {
        self.0.key.get().copied().filter(|_| !self.0.is_lapsed.load(Ordering::Relaxed))
    }
}

/// What a key did since it was last written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// All requests.
    pub requests: i64,
    /// Those that were refused.
    pub refused: i64,
    /// The last one that was not refused, and where it came from.
    pub used: Option<(DateTime<Utc>, Option<IpAddr>)>,
    pub refused_at: Option<DateTime<Utc>>,
}

impl Use {
    pub fn request(refused: bool, from: Option<IpAddr>, now: DateTime<Utc>) -> Self {
        match refused {
            true => Self { requests: 1, ..Self::refusal(now) },
            false => Self { requests: 1, used: Some((now, from)), ..Self::default() },
        }
    }

    /// A refusal inside a request that is counted elsewhere.
    pub fn refusal(now: DateTime<Utc>) -> Self {
        Self { refused: 1, refused_at: Some(now), ..Self::default() }
    }

    fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.refused += other.refused;
        self.used = self.used.max(other.used);
        self.refused_at = self.refused_at.max(other.refused_at);
    }
}

/// The uses that are not written yet, by key. In order, so that two servers lock rows in the same one.
#[derive(Default)]
pub struct Uses(Mutex<BTreeMap<KeyRef, Use>>);

impl Uses {
    /// Counts.
    pub fn note(&self, key: KeyRef, what: Use) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().add(what);
    }

    /// Takes all that was counted; who cannot write it notes it again.
    pub fn take(&self) -> BTreeMap<KeyRef, Use> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
