//! The clock of an evaluation: it shows the times of the file.

use chrono::{DateTime, Utc};
use remembrancer::clock::Clock;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// How far each look moves it, in microseconds, so that no two things happen at once.
const STEP: i64 = 1000;

/// A clock that stands at the time of a line and moves a millisecond with every look.
#[derive(Debug)]
pub(super) struct FileClock {
    micros: AtomicI64,
    ids: AtomicU64,
}

impl FileClock {
    /// A clock that begins at a time.
    pub fn new(at: DateTime<Utc>) -> Self {
        Self { micros: AtomicI64::new(at.timestamp_micros()), ids: AtomicU64::new(0) }
    }

    /// Moves to a time, if the line has one.
    pub fn set(&self, at: Option<DateTime<Utc>>) {
        if let Some(at) = at {
            self.micros.store(at.timestamp_micros(), Ordering::Relaxed);
        }
    }
}

impl Clock for FileClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_micros(self.micros.fetch_add(STEP, Ordering::Relaxed)).unwrap_or_default()
    }
    /// Eight digits: contexts hold these ids, and eight random letters have now more and now fewer tokens.
    fn short_id(&self) -> String {
        format!("{:08}", self.ids.fetch_add(1, Ordering::Relaxed))
    }
}
