//! The clock of an evaluation: it shows the times of the file.

use chrono::{DateTime, Utc};
use db::clock::Clock;
use std::sync::atomic::{AtomicI64, Ordering};

/// How far each look moves it, in microseconds, so that no two things happen at once.
const STEP: i64 = 1000;

/// A clock that stands at the time of a line and moves a millisecond with every look.
#[derive(Debug)]
pub struct FileClock(AtomicI64);

impl FileClock {
    /// A clock that begins at a time.
    pub fn new(at: DateTime<Utc>) -> Self {
        Self(AtomicI64::new(at.timestamp_micros()))
    }

    /// Moves to a time, if the line has one.
    pub fn set(&self, at: Option<DateTime<Utc>>) {
        if let Some(at) = at {
            self.0.store(at.timestamp_micros(), Ordering::Relaxed);
        }
    }
}

impl Clock for FileClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_micros(self.0.fetch_add(STEP, Ordering::Relaxed)).unwrap_or_default()
    }
}
