//! The arithmetic of a comparison: latencies, medians of ratios, and whether a reference was steady enough. Pure.

use crate::percentile;
use serde::Serialize;

/// A comparison with a reference that spread by more than this is discarded.
pub const SPREAD_MAX: f64 = 0.25;

/// What one side did in one round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slice {
    /// Milliseconds of each operation.
    pub times: Vec<f64>,
    /// How long the round took, with all operations side by side.
    pub seconds: f64,
    /// Operations that the server refused.
    pub failed: usize,
}

impl Slice {
    /// Adds what another caller did at the same time.
    pub fn add(&mut self, other: Self) {
        self.times.extend(other.times);
        self.failed += other.failed;
    }

    /// The median latency in milliseconds.
    pub fn p50(&self) -> f64 {
        percentile(&self.times, 0.5)
    }

    /// The latency in milliseconds that one of twenty exceeds.
    pub fn p95(&self) -> f64 {
        percentile(&self.times, 0.95)
    }

    /// Operations a second.
    pub fn rate(&self) -> f64 {
        if self.seconds > 0.0 { self.times.len() as f64 / self.seconds } else { 0.0 }
    }
}

/// What one side did in all rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    pub operations: usize,
    pub p50_ms: f64,
    pub p95_ms: f64,
    pub p99_ms: f64,
    /// The median of the rounds.
    pub per_second: f64,
    pub failed: usize,
}

impl Summary {
    /// Of the rounds of one side.
    pub fn of(slices: &[Slice]) -> Self {
        let times: Vec<f64> = slices.iter().flat_map(|slice| slice.times.iter().copied()).collect();
        Self {
            operations: times.len(),
            p50_ms: percentile(&times, 0.5),
            p95_ms: percentile(&times, 0.95),
            p99_ms: percentile(&times, 0.99),
            per_second: median(&slices.iter().map(Slice::rate).collect::<Vec<_>>()),
            failed: slices.iter().map(|slice| slice.failed).sum(),
        }
    }
}

/// The median; of an even number of values, the mean of the two in the middle. 0 for no values.
pub fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.get(middle) {
        None => 0.0,
        Some(upper) if values.len() % 2 == 1 => *upper,
        Some(upper) => f64::midpoint(values[middle - 1], *upper),
    }
}

/// How far the rounds of a reference lie apart: the distance between their quartiles, as a share of their median. Infinite if that is 0.
pub fn spread(rounds: &[f64]) -> f64 {
    let middle = median(rounds);
    if middle > 0.0 { (percentile(rounds, 0.75) - percentile(rounds, 0.25)) / middle } else { f64::INFINITY }
}

/// The median over the rounds of what `of` makes of ours and the references of a round.
fn over(ours: &[f64], references: &[Vec<f64>], of: impl Fn(f64, &[f64]) -> f64) -> f64 {
    let round = |(round, ours): (usize, &f64)| of(*ours, &references.iter().filter_map(|all| all.get(round).copied()).collect::<Vec<_>>());
    median(&ours.iter().enumerate().map(round).collect::<Vec<_>>())
}

/// The median of the ratios of ours to the sum of the references, round by round.
pub fn ratio(ours: &[f64], references: &[Vec<f64>]) -> f64 {
    over(ours, references, |ours, references| ours / references.iter().sum::<f64>())
}

/// The median of what ours has beyond the sum of the references.
pub fn rest(ours: &[f64], references: &[Vec<f64>]) -> f64 {
    over(ours, references, |ours, references| ours - references.iter().sum::<f64>())
}

/// The median of the ratios of what ours has beyond the other references to the last one.
pub fn above(ours: &[f64], references: &[Vec<f64>]) -> f64 {
    over(ours, references, |ours, references| {
        references.split_last().map_or(f64::NAN, |(last, before)| (ours - before.iter().sum::<f64>()) / last)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let hundred: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!([0.5, 0.95, 0.99, 1.0].map(|share| percentile(&hundred, share)), [50.0, 95.0, 99.0, 100.0]);
        assert_eq!([0.5, 0.99].map(|share| percentile(&[7.0], share)), [7.0, 7.0]);
        assert_eq!(percentile(&[], 0.5), 0.0);
    }

    #[test]
    fn the_median_of_an_even_number_is_between_two() {
        assert_eq!(median(&[9.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 9.0, 2.0]), 3.0);
        assert_eq!(median(&[]), 0.0);
    }

    #[test]
    fn a_ratio_is_taken_round_by_round() {
        // The machine became slower by half in the middle: the ratio did not.
        let (ours, reference) = ([3.0, 3.0, 4.5, 4.5], vec![2.0, 2.0, 2.4, 2.4]);
        let expected = f64::midpoint(1.5, 4.5 / 2.4);
        assert!((ratio(&ours, std::slice::from_ref(&reference)) - expected).abs() < 1e-9);
        let both = [reference, vec![1.0; 4]];
        assert!((ratio(&ours, &both) - f64::midpoint(1.0, 4.5 / 3.4)).abs() < 1e-9);
        // 3 - 3 and 4.5 - 3.4; (3 - 2) / 1 and (4.5 - 2.4) / 1.
        assert!((rest(&ours, &both) - 0.55).abs() < 1e-9 && (above(&ours, &both) - 1.55).abs() < 1e-9);
    }

    #[test]
    fn rounds_spread_between_their_quartiles() {
        assert_eq!(spread(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 9.0]), 0.0, "one slow round is no spread");
        assert!(spread(&[1.0, 1.0, 1.3, 1.0, 1.3, 1.3, 1.0, 1.3]) > SPREAD_MAX);
        assert!(spread(&[0.0; 8]).is_infinite(), "nothing was measured");
    }

    #[test]
    fn a_summary_adds_up_its_rounds() {
        let mut first = Slice { times: vec![1.0, 3.0], seconds: 2.0, failed: 0 };
        first.add(Slice { times: vec![2.0, 2.0], seconds: 0.0, failed: 1 });
        let second = Slice { times: vec![10.0], seconds: 1.0, failed: 0 };
        assert_eq!((first.p50(), first.p95(), first.rate()), (2.0, 3.0, 2.0));
        let summary = Summary::of(&[first, second]);
        let expected = Summary { operations: 5, p50_ms: 2.0, p95_ms: 10.0, p99_ms: 10.0, per_second: 1.5, failed: 1 };
        assert_eq!(summary, expected);
        assert_eq!((Slice::default().rate(), Summary::of(&[]).operations), (0.0, 0));
    }
}
