//! The clock of tests.

use chrono::{DateTime, Duration, Utc};
use db::clock::{Clock, SystemClock};
use std::sync::atomic::{AtomicI64, Ordering};

/// The system's clock, shifted by a test.
#[derive(Debug, Default)]
pub struct FakeClock {
    /// Microseconds ahead of the system's clock; negative: behind.
    ahead: AtomicI64,
}

impl FakeClock {
    /// Moves the time forward, or back.
    pub fn advance(&self, by: Duration) {
        self.ahead.fetch_add(by.num_microseconds().unwrap_or_default(), Ordering::Relaxed);
    }
}

impl Clock for FakeClock {
    fn now(&self) -> DateTime<Utc> {
        SystemClock.now() + Duration::microseconds(self.ahead.load(Ordering::Relaxed))
    }
}
