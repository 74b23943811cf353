//! Which threshold separates two groups of cosines best, and what it costs. Pure.

use serde::Serialize;

/// The cosine of two vectors; 0 for a vector of zeros.
pub fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let dot = |one: &[f32], other: &[f32]| one.iter().zip(other).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    let lengths = (dot(one, one) * dot(other, other)).sqrt();
    if lengths > 0.0 { dot(one, other) / lengths } else { 0.0 }
}

/// How cosines are distributed: quantiles by the nearest rank, 0 if there are none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Distribution {
    pub count: usize,
    pub p1: f64,
    pub p5: f64,
    pub p25: f64,
    pub p50: f64,
    pub p75: f64,
    pub p95: f64,
    pub p99: f64,
}

impl Distribution {
    /// Of cosines in any order.
    pub fn of(cosines: &[f64]) -> Self {
        let count = cosines.len();
        let quantile = |share: f64| crate::percentile(cosines, share);
        Self {
            count,
            p1: quantile(0.01),
            p5: quantile(0.05),
            p25: quantile(0.25),
            p50: quantile(0.5),
            p75: quantile(0.75),
            p95: quantile(0.95),
            p99: quantile(0.99),
        }
    }
}

/// What a threshold costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cost {
    pub threshold: f64,
    /// How many right ones are below it.
    pub lost: usize,
    /// How many wrong ones reach it.
    pub let_in: usize,
}

/// The cosines that should reach a threshold, and those that should not.
#[derive(Clone, Debug, Default)]
pub struct Sides {
    pub right: Vec<f64>,
    pub wrong: Vec<f64>,
}

impl Sides {
    /// What a threshold costs.
    pub fn cost(&self, threshold: f64) -> Cost {
        let lost = self.right.iter().filter(|cosine| **cosine < threshold).count();
        let let_in = self.wrong.iter().filter(|cosine| **cosine >= threshold).count();
        Cost { threshold, lost, let_in }
    }

    /// The hundredth with the least sum of both shares, lost and let in; of several, the one that is farthest from any cosine. None if either
    /// side is empty.
    pub fn propose(&self) -> Option<Cost> {
        if self.right.is_empty() || self.wrong.is_empty() {
            return None;
        }
        let costs = (0..=100).map(|hundredths| self.cost(f64::from(hundredths) / 100.0));
        costs.min_by(|one, other| {
            let by_margin = || self.margin(other.threshold).total_cmp(&self.margin(one.threshold));
            self.shares(one).total_cmp(&self.shares(other)).then_with(by_margin)
        })
    }

    /// The share of the right ones that are lost, and of the wrong ones that are let in, together.
    fn shares(&self, cost: &Cost) -> f64 {
        cost.lost as f64 / self.right.len() as f64 + cost.let_in as f64 / self.wrong.len() as f64
    }

    /// The distance from a threshold to the nearest cosine.
    fn margin(&self, threshold: f64) -> f64 {
        self.right.iter().chain(&self.wrong).fold(f64::INFINITY, |least, cosine| least.min((cosine - threshold).abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_lies_in_the_middle_of_the_gap() {
        let sides = Sides { right: vec![0.9, 0.7], wrong: vec![0.1, 0.3] };
        assert_eq!(sides.propose(), Some(Cost { threshold: 0.5, lost: 0, let_in: 0 }));
        assert_eq!(sides.cost(0.8), Cost { threshold: 0.8, lost: 1, let_in: 0 });
        assert_eq!(sides.cost(0.3), Cost { threshold: 0.3, lost: 0, let_in: 1 });
    }

    #[test]
    fn where_both_sides_overlap_the_larger_share_decides() {
        // One of four right ones is less than one of two wrong ones.
        let sides = Sides { right: vec![0.2, 0.6, 0.7, 0.8], wrong: vec![0.1, 0.4] };
        assert_eq!(sides.propose(), Some(Cost { threshold: 0.5, lost: 1, let_in: 0 }));
    }

    #[test]
    fn one_side_alone_proposes_nothing() {
        assert_eq!(Sides { right: vec![0.5], wrong: vec![] }.propose(), None);
        assert_eq!(Sides { right: vec![], wrong: vec![0.5] }.propose(), None);
    }

    #[test]
    fn quantiles_are_values_that_occur() {
        let distribution = Distribution::of(&(1..=100).rev().map(|n| f64::from(n) / 100.0).collect::<Vec<_>>());
        assert_eq!((distribution.count, distribution.p1, distribution.p50, distribution.p99), (100, 0.01, 0.5, 0.99));
        let one = Distribution::of(&[0.25]);
        assert_eq!((one.p1, one.p99), (0.25, 0.25));
        assert_eq!(Distribution::of(&[]).p50, 0.0);
    }

    #[test]
    fn a_cosine_does_not_depend_on_lengths() {
        assert!((cosine(&[3.0, 0.0], &[5.0, 5.0]) - 0.5_f64.sqrt()).abs() < 1e-9);
        assert_eq!((cosine(&[1.0, 0.0], &[0.0, 2.0]), cosine(&[0.0, 0.0], &[1.0, 0.0])), (0.0, 0.0));
    }
}
