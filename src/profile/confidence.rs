//! How sure a leaf of a profile is. Derived whenever it is read, never stored. Pure.

use chrono::{DateTime, Utc};

/// The doubt about something that was observed once. Each repetition halves it.
const DOUBT: f64 = 0.3;
/// After so many days without a repetition, confidence is half as high.
const HALF_LIFE_DAYS: f64 = 180.0;

/// How well a number of observations supports a leaf: `1 − 0.3 · 0.5^(n − 1)`, so 0.7, 0.85, 0.925, … It is 0 without any.
pub fn support(observations: i32) -> f64 {
    if observations < 1 { 0.0 } else { 1.0 - DOUBT * 0.5_f64.powi(observations - 1) }
}

/// The confidence in a leaf, above 0 and below or equal to 1:
///
/// `support · support / (support + Σ support of the leaves that contradict it) · 2^(−days / 180)`
///
/// `days` is the time since the leaf was last observed. Repetition raises it; contradiction and age lower it.
pub fn confidence(observations: i32, contradicting: impl IntoIterator<Item = i32>, last_seen: DateTime<Utc>, now: DateTime<Utc>) -> f64 {
    let own = support(observations);
    let against: f64 = contradicting.into_iter().map(support).sum();
    let days = (now - last_seen).num_seconds().max(0) as f64 / 86_400.0;
    let share = if own + against > 0.0 { own / (own + against) } else { 0.0 };
    own * share * (-days / HALF_LIFE_DAYS).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn repetition_raises_and_contradiction_and_age_lower(
            observations in 1_i32..20,
            against in proptest::collection::vec(1_i32..20, 0..4),
            other in 1_i32..20,
            days in 0_i64..2000,
        ) {
            let now = DateTime::from_timestamp(1_780_000_000, 0).unwrap();
            let seen = now - TimeDelta::days(days);
            let of = |observations, against: &[i32], seen| confidence(observations, against.iter().copied(), seen, now);
            let sure = of(observations, &against, seen);
            prop_assert!(sure > 0.0 && sure <= 1.0);
            prop_assert!(of(observations + 1, &against, seen) > sure);
            prop_assert!(of(observations, &[against.clone(), vec![other]].concat(), seen) < sure);
            prop_assert!(of(observations, &against, seen - TimeDelta::days(1)) < sure);
        }
    }

    #[test]
    fn a_clock_that_is_behind_makes_nobody_surer() {
        let now = DateTime::from_timestamp(1_780_000_000, 0).unwrap();
        assert_eq!(confidence(1, [], now + TimeDelta::days(1), now), confidence(1, [], now, now));
        assert!((confidence(1, [], now, now) - 0.7).abs() < 1e-9);
        assert!((confidence(1, [1], now, now) - 0.35).abs() < 1e-9);
    }
}
