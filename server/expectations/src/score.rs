//! The sums of a run.

use wire::Gate;

/// What a recall made of the memories of one expectation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Memories that are left, and those of them that the recall returned.
    pub expected: i32,
    pub found: i32,
    /// The best of their ranks, from 1.
    pub rank: Option<i32>,
    /// The gate that stopped the first one that was not returned.
    pub stopped_by: Option<Gate>,
}

/// The numbers of a run. An expectation without a memory counts in none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scores {
    pub counted: i32,
    /// Those whose memories were all found.
    pub met: i32,
    /// The mean share of expected memories that was found, and the mean of 1 divided by the best rank.
    pub recall: Option<f64>,
    pub mrr: Option<f64>,
}

impl Scores {
    /// Sums up the expectations of a run.
    pub fn of<'a>(all: impl IntoIterator<Item = &'a Measured>) -> Self {
        let (mut counted, mut met, mut recall, mut ranks) = (0, 0, 0.0, 0.0);
        for one in all.into_iter().filter(|one| one.expected > 0) {
            counted += 1;
            met += i32::from(one.found == one.expected);
            recall += f64::from(one.found) / f64::from(one.expected);
            ranks += one.rank.map_or(0.0, |rank| 1.0 / f64::from(rank));
        }
        let mean = |sum: f64| (counted > 0).then(|| sum / f64::from(counted));
        Self { counted, met, recall: mean(recall), mrr: mean(ranks) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(expected: i32, found: i32, rank: Option<i32>) -> Measured {
        Measured { expected, found, rank, stopped_by: None }
    }

    #[test]
    fn what_is_gone_counts_in_no_number() {
        let all = [measured(1, 1, Some(1)), measured(2, 1, Some(4)), measured(1, 0, None), measured(0, 0, None)];
        let scores = Scores::of(&all);
        assert_eq!((scores.counted, scores.met), (3, 1), "the last has no memory, and half of the second is not all of it");
        assert_eq!(scores.recall, Some(0.5));
        assert_eq!(scores.mrr, Some((1.0 + 0.25) / 3.0));
        assert_eq!(Scores::of(&all[3..]), Scores { counted: 0, met: 0, recall: None, mrr: None });
    }
}
