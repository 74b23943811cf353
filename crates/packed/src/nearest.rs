//! The memories that may be among the nearest: certainly all of those that are, and as few others as the bounds allow.

use crate::cell::{Cell, Mask};
use crate::query::Query;
use crate::segment::Segment;
use crate::vectors::Bounded;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use uuid::Uuid;

/// What to look for.
pub struct Sought<'a> {
    pub vector: &'a [f32],
    /// Among so many nearest.
    pub most: usize,
    /// The least cosine.
    pub at_least: f64,
    /// What the nearest are ordered by, of cosine and weight: it never falls when the cosine rises.
    pub rank: &'a dyn Fn(f64, f64) -> f64,
    /// Among the memories that the search is for, or those besides.
    pub apart: bool,
}

/// More candidates than this are faster compared by a scan of the database.
pub const CANDIDATES_MAX: usize = 2_000;

/// The memories that may be among the nearest, or nothing if these are too many. Whoever compares them exactly finds the same nearest as among
/// all: each one that is left out ranks below `most` others, however its error falls.
pub fn nearest(cells: &[(&Cell, &Mask)], sought: &Sought<'_>) -> Option<Vec<Uuid>> {
    let query = Query::new(sought.vector);
    let all = cells.iter().flat_map(|(cell, mask)| cell.vectors(mask, sought.apart));
    let coarse = left(all, sought, |segment, at| segment.vectors.coarse(at, &query));
    let fine = left(coarse.into_iter(), sought, |segment, at| segment.vectors.fine(at, &query));
    let id = |(segment, at): (&Segment, usize)| Uuid::from_u128(segment.ids[segment.vectors.slot(at)]);
    (fine.len() <= CANDIDATES_MAX).then(|| fine.into_iter().map(id).collect())
}

/// Leaves out what certainly ranks below `most` others.
fn left<'a>(
    vectors: impl Iterator<Item = (&'a Segment, usize)>,
    sought: &Sought<'_>,
    product: impl Fn(&Segment, usize) -> Bounded,
) -> Vec<(&'a Segment, usize)> {
    let (mut bar, mut candidates) = (Bar::new(sought.most), Vec::new());
    for (segment, at) in vectors {
        let Bounded { value, error } = product(segment, at);
        let weight = segment.vectors.weight(at);
        if value + error < sought.at_least {
            continue;
        }
        let highest = (sought.rank)(value + error, weight);
        if highest < bar.height() {
            continue;
        }
        candidates.push((segment, at, highest));
        if value - error >= sought.at_least {
            bar.add((sought.rank)(value - error, weight));
        }
    }
    let height = bar.height();
    candidates.into_iter().filter(|(.., highest)| *highest >= height).map(|(segment, at, _)| (segment, at)).collect()
}

/// The `most` highest of what was added: the lowest of them is the bar, once there are so many.
struct Bar {
    most: usize,
    highest: BinaryHeap<Reverse<Number>>,
}

impl Bar {
    fn new(most: usize) -> Self {
        Self { most, highest: BinaryHeap::new() }
    }

    fn add(&mut self, number: f64) {
        if self.highest.len() < self.most {
            self.highest.push(Reverse(Number(number)));
        } else if number > self.height() {
            self.highest.pop();
            self.highest.push(Reverse(Number(number)));
        }
    }

    fn height(&self) -> f64 {
        if self.most == 0 {
            return f64::INFINITY;
        }
        if self.highest.len() < self.most { f64::NEG_INFINITY } else { self.highest.peek().map_or(f64::NEG_INFINITY, |lowest| lowest.0.0) }
    }
}

#[derive(Clone, Copy)]
struct Number(f64);

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Number {}
