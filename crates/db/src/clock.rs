//! Time, ids and secrets: the only place that reads the clock or makes something random.

use chrono::{DateTime, SubsecRound, Utc};
use rand::distr::{Alphanumeric, SampleString};
use uuid::{NoContext, Timestamp, Uuid};
use wire::SHORT_ID_LENGTH;

/// Where time, ids and secrets come from; tests bring their own.
pub trait Clock: Send + Sync + 'static {
    /// Now, to the microsecond, which is what the database keeps.
    fn now(&self) -> DateTime<Utc>;

    /// A new UUID of version 7, ordered by [`Clock::now`].
    fn id(&self) -> Uuid {
        let now = self.now();
        let seconds = u64::try_from(now.timestamp()).unwrap_or_default();
        Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, now.timestamp_subsec_nanos()))
    }

    /// Eight characters of A–Z a–z 0–9 (218 trillion values) from the system's secure source.
    fn short_id(&self) -> String {
        Alphanumeric.sample_string(&mut rand::rng(), SHORT_ID_LENGTH)
    }

    /// `length` characters of A–Z a–z 0–9 from the system's secure source: 5.95 bits each.
    fn secret(&self, length: usize) -> String {
        Alphanumeric.sample_string(&mut rand::rng(), length)
    }
}

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the Clock that everybody else asks")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_ordered_by_time_and_short_ids_are_short() {
        let clock = SystemClock;
        let first = clock.id();
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert!(first < clock.id());
        let short = clock.short_id();
        assert_eq!(short.len(), 8);
        assert!(short.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    }
}
