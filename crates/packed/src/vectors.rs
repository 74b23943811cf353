//! The vectors of a segment, in two bytes a dimension, with bounds on what that loses.
//!
//! A vector is `scale · (high + low / 254)` with `high` and `low` from −127 to 127, and what is left over. The first pass over all vectors
//! reads `high` alone; `low` decides among those that are left. By Cauchy and Schwarz the product of a question with what is left over is at
//! most the product of their lengths, so the length of what is left over, which is kept, bounds the error.

use crate::query::{Query, length};

/// Steps of `low` in one of `high`.
const FINER: f64 = 254.0;

/// How the database adds up may differ by this in each of its dimensions, in products of unit vectors: it adds in 32 bits, in any order. Twice
/// what one rounding can do.
const ROUNDING: f64 = f32::EPSILON as f64;

#[derive(Debug, Default)]
pub struct Vectors {
    dimension: usize,
    /// Their slots, which rise.
    slots: Vec<u32>,
    high: Vec<i8>,
    low: Vec<i8>,
    scales: Vec<f32>,
    /// The length of what `high` alone leaves over.
    coarse: Vec<f32>,
    /// The length of what both leave over.
    fine: Vec<f32>,
    weights: Vec<f64>,
    /// The length of the longest.
    longest: f64,
}

/// A cosine within bounds.
#[derive(Clone, Copy, Debug)]
pub struct Bounded {
    pub value: f64,
    pub error: f64,
}

impl Vectors {
    pub fn new(dimension: usize) -> Self {
        Self { dimension, ..Self::default() }
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn slot(&self, at: usize) -> usize {
        self.slots[at] as usize
    }

    pub fn weight(&self, at: usize) -> f64 {
        self.weights[at]
    }

    /// Adds a vector of a slot after all slots that have one.
    pub fn push(&mut self, slot: u32, vector: &[f32], weight: f64) {
        let most = vector.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
        let scale = if most > 0.0 { most / 127.0 } else { 1.0 };
        let (mut coarse, mut fine) = (Vec::with_capacity(vector.len()), Vec::with_capacity(vector.len()));
        for value in vector {
            let steps = f64::from(*value) / f64::from(scale);
            let high = steps.round().clamp(-127.0, 127.0);
            let low = ((steps - high) * FINER).round().clamp(-127.0, 127.0);
            self.high.push(high as i8);
            self.low.push(low as i8);
            coarse.push((steps - high) * f64::from(scale));
            fine.push((steps - high - low / FINER) * f64::from(scale));
        }
        self.slots.push(slot);
        self.scales.push(scale);
        self.coarse.push(at_least(length(coarse.into_iter())));
        self.fine.push(at_least(length(fine.into_iter())));
        self.weights.push(weight);
        self.longest = self.longest.max(length(vector.iter().map(|value| f64::from(*value))));
    }

    /// Adds the vector of a slot of another segment, if it has one, to a slot after all that have one here.
    pub fn copy(&mut self, slot: u32, from: &Self, of: u32) {
        let Ok(at) = from.slots.binary_search(&of) else { return };
        let range = at * from.dimension..(at + 1) * from.dimension;
        self.high.extend(&from.high[range.clone()]);
        self.low.extend(&from.low[range]);
        self.slots.push(slot);
        self.scales.push(from.scales[at]);
        self.coarse.push(from.coarse[at]);
        self.fine.push(from.fine[at]);
        self.weights.push(from.weights[at]);
        self.longest = self.longest.max(from.longest);
    }

    /// The product with a question by the first byte of each dimension.
    pub fn coarse(&self, at: usize, query: &Query) -> Bounded {
        let high = &self.high[at * self.dimension..(at + 1) * self.dimension];
        let sum: i32 = high.iter().zip(&query.steps).map(|(value, steps)| i32::from(*value) * i32::from(*steps)).sum();
        let left = f64::from(self.coarse[at]);
        let value = f64::from(sum) * f64::from(self.scales[at]) * query.step;
        Bounded { value, error: left * query.norm + query.lost * (self.longest + left) + self.rounding(query) }
    }

    /// The product with a question by both bytes.
    pub fn fine(&self, at: usize, query: &Query) -> Bounded {
        let range = at * self.dimension..(at + 1) * self.dimension;
        let parts = self.high[range.clone()].iter().zip(&self.low[range]).zip(&query.exact);
        let sum: f64 = parts.map(|((high, low), query)| (f64::from(*high) + f64::from(*low) / FINER) * query).sum();
        Bounded { value: sum * f64::from(self.scales[at]), error: f64::from(self.fine[at]) * query.norm + self.rounding(query) }
    }

    /// By how much the product of the database may differ from the exact one, and ours by rounding.
    fn rounding(&self, query: &Query) -> f64 {
        (ROUNDING * (self.dimension + 1) as f64 + 1e-9) * query.norm * self.longest
    }

    pub fn bytes(&self) -> usize {
        self.high.len() + self.low.len() + self.slots.len() * (4 + 4 + 4 + 4 + 8)
    }
}

/// The number in 32 bits, not below it.
fn at_least(number: f64) -> f32 {
    (number * 1.000_001) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_exact_product_is_within_the_bounds(
            vectors in proptest::collection::vec(proptest::collection::vec(-1.0_f32..=1.0, 24), 1..20),
            question in proptest::collection::vec(-1.0_f32..=1.0, 24),
        ) {
            let (mut packed, query) = (Vectors::new(24), Query::new(&question));
            for (slot, vector) in (0..).zip(&vectors) {
                packed.push(slot, vector, 1.0);
            }
            let mut copies = Vectors::new(24);
            for slot in 0..packed.len() as u32 {
                copies.copy(slot, &packed, slot);
            }
            for (at, vector) in vectors.iter().enumerate() {
                let exact: f64 = vector.iter().zip(&question).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                let in_32_bits = vector.iter().zip(&question).map(|(a, b)| a * b).sum::<f32>();
                for bounded in [packed.coarse(at, &query), packed.fine(at, &query), copies.coarse(at, &query), copies.fine(at, &query)] {
                    prop_assert!((bounded.value - exact).abs() <= bounded.error, "{bounded:?} {exact}");
                    prop_assert!((bounded.value - f64::from(in_32_bits)).abs() <= bounded.error, "{bounded:?} {in_32_bits}");
                }
                prop_assert!(packed.fine(at, &query).error <= packed.coarse(at, &query).error);
            }
        }
    }

    #[test]
    fn a_vector_of_zeros_has_no_error() {
        let (mut packed, query) = (Vectors::new(3), Query::new(&[0.0, 0.0, 0.0]));
        packed.push(0, &[0.0, 0.0, 0.0], 1.0);
        assert_eq!((packed.fine(0, &query).value, packed.fine(0, &query).error), (0.0, 0.0));
    }
}
