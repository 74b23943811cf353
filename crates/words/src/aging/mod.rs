//! How a memory ages: how important a message is, how long it is kept, and how its importance decays. Pure.

mod importance;
mod phrases;
mod retention;

pub use importance::{Importance, importance};
pub use retention::{Kept, expiry, retention};

use chrono::{DateTime, Utc};

/// What is left of an importance after a week without a retrieval.
pub const WEEKLY: f64 = 0.95;
/// Seconds of a week.
pub const WEEK: f64 = 7.0 * 86_400.0;

/// importance · 0.95^(weeks since the last retrieval), 0 to 1. A clock that was set back counts as no time.
pub fn decayed(importance: f32, last_retrieved: DateTime<Utc>, now: DateTime<Utc>) -> f64 {
    let weeks = (now - last_retrieved).as_seconds_f64().max(0.0) / WEEK;
    f64::from(importance) * WEEKLY.powf(weeks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::Duration;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn importance_only_falls(importance in 0.0_f32..=1.0, days in -400_i64..4000, more in 0_i64..400) {
            let then = DateTime::UNIX_EPOCH;
            let (early, late) = (then + Duration::days(days), then + Duration::days(days + more));
            let (first, second) = (decayed(importance, then, early), decayed(importance, then, late));
            prop_assert!(second <= first && first <= f64::from(importance) && second >= 0.0);
        }
    }

    #[test]
    fn half_of_it_is_left_after_thirteen_and_a_half_weeks() {
        let now = DateTime::UNIX_EPOCH + Duration::hours(2271);
        assert!((decayed(0.8, DateTime::UNIX_EPOCH, now) - 0.4).abs() < 1e-3);
    }
}
