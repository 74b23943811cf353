//! Rate limits per key or address, in bounded memory.

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

/// Most keys that are counted. If more were active lately, all counts start again: memory matters more than one minute's count.
const MOST: usize = 10_000;

/// A limit of events per minute for each key; a burst may use it all at once.
pub struct PerMinute<K: Hash + Eq + Clone> {
    quota: Quota,
    counts: RwLock<DefaultKeyedRateLimiter<K>>,
}

impl<K: Hash + Eq + Clone> PerMinute<K> {
    pub fn new(events: NonZeroU32) -> Self {
        let quota = Quota::per_minute(events);
        Self { quota, counts: RwLock::new(RateLimiter::keyed(quota)) }
    }

    /// Counts an event of a key.
    ///
    /// # Errors
    /// How long to wait, if the limit is reached.
    pub fn check(&self, key: &K) -> Result<(), Duration> {
        if self.len() >= MOST {
            let mut counts = self.counts.write().unwrap_or_else(PoisonError::into_inner);
            counts.retain_recent();
            if counts.len() >= MOST {
                *counts = RateLimiter::keyed(self.quota);
            }
        }
        let counts = self.counts.read().unwrap_or_else(PoisonError::into_inner);
        counts.check_key(key).map_err(|until| until.wait_time_from(DefaultClock::default().now()))
    }

    fn len(&self) -> usize {
        self.counts.read().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// The network of an address: a host of IPv4, or the /64 of IPv6, in which one client can choose its addresses.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_own_count_and_many_keys_take_no_more_memory() {
        let limits = PerMinute::new(NonZeroU32::new(2).unwrap());
        assert!(limits.check(&0).is_ok() && limits.check(&0).is_ok());
        assert!(limits.check(&0).unwrap_err() > Duration::ZERO);
        assert!(limits.check(&1).is_ok());
        for key in 0..3 * MOST {
            limits.check(&key).ok();
            assert!(limits.len() <= MOST);
        }
    }

    #[test]
    fn one_client_cannot_pass_for_many_by_its_addresses() {
        let network = |text: &str| network(text.parse().unwrap()).to_string();
        assert_eq!(network("192.0.2.7"), "192.0.2.7");
        assert_eq!(network("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
    }
}
