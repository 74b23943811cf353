//! Diversity: a hit counts for less if a better one already says the same (maximal marginal relevance, Carbonell and Goldstein 1998). Pure.

use super::{Scored, factor, part, sum};
use wire::{Criterion, Ranking};

/// How many hits, from the first, are compared with all memories after them.
const COMPARED: usize = 20;
/// The weight of the highest cosine with a better hit.
const REPEATS: f64 = -0.2;
/// Scores that differ by less may be equal: each is a sum that is rounded.
const ROUNDING: f64 = 1e-9;
/// How many numbers of a vector are multiplied at once.
const LANES: usize = 8;

/// Moves memories that repeat better ones down, in a list that is sorted by score. Each of the others loses by its highest cosine with one of
/// the hits so far, and the best of them is the next hit. The first hit stays the first, scores still descend, and the parts of a score still
/// add up to it. A memory without a vector repeats nothing, and nothing repeats it. Only the first `shown` are as they would be among all:
/// memories that cannot become one of them stay where they are.
pub fn spread(ranking: Ranking, scored: &mut [Scored], shown: usize) {
    let within = reach(ranking, scored, shown.max(COMPARED));
    let scored = &mut scored[..within];
    let mut repeats = vec![0.0_f64; scored.len()];
    for place in 0..scored.len().min(COMPARED) {
        let worth = |at: usize| {
            let loss = part(ranking, Criterion::Repeats, repeats[at], REPEATS);
            scored[at].score + loss.value * loss.weight * factor(ranking, scored[at].recency)
        };
        // The first of equals.
        let best = (place..scored.len()).min_by(|a, b| worth(*b).total_cmp(&worth(*a))).unwrap_or(place);
        scored[place..=best].rotate_right(1);
        repeats[place..=best].rotate_right(1);
        let (hits, others) = scored.split_at(place + 1);
        for (other, repeats) in others.iter().zip(&mut repeats[place + 1..]) {
            *repeats = repeats.max(likeness(&hits[place], other));
        }
    }
    for (one, value) in scored.iter_mut().zip(repeats).filter(|(_, value)| *value > 0.0) {
        one.parts.push(part(ranking, Criterion::Repeats, value, REPEATS));
        one.score = sum(&one.parts) * factor(ranking, one.recency);
    }
    // Those after the hits that were compared have lost by different amounts. Stable: equals keep their order.
    scored.sort_by(|a, b| b.score.total_cmp(&a.score));
}

/// How many of a list that is sorted by score can be among the `first`: those whose score is not below what so many keep at least.
fn reach(ranking: Ranking, scored: &[Scored], first: usize) -> usize {
    if scored.len() <= first {
        return scored.len();
    }
    let most = part(ranking, Criterion::Repeats, 1.0, REPEATS);
    let mut kept: Vec<f64> = scored.iter().map(|one| one.score + most.value * most.weight * factor(ranking, one.recency)).collect();
    let (_, bar, _) = kept.select_nth_unstable_by(first - 1, |a, b| b.total_cmp(a));
    let bar = *bar - ROUNDING;
    scored.partition_point(|one| one.score >= bar)
}

fn likeness(one: &Scored, other: &Scored) -> f64 {
    one.vector.as_ref().zip(other.vector.as_ref()).map_or(0.0, |(one, other)| cosine(one, other))
}

/// The cosine of two unit vectors, 0 to 1. Sums of products of half vectors are exact in 64 bits, so equal cosines stay equal.
pub fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let ((one, last), (other, other_last)) = (one.as_chunks::<LANES>(), other.as_chunks::<LANES>());
    let mut sums = [0.0_f64; LANES];
    for (one, other) in one.iter().zip(other) {
        // By number, because iterators of pairs are not compiled to products of several numbers at once.
        sums = std::array::from_fn(|lane| sums[lane] + f64::from(one[lane]) * f64::from(other[lane]));
    }
    let rest: f64 = last.iter().zip(other_last).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
    (sums.iter().sum::<f64>() + rest).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;
    use wire::{MemoryId, Part};

    /// A memory whose vector has this angle, in degrees: 0 and 90 have nothing in common.
    fn scored(number: u128, words: f64, recency: f64, angle: Option<f32>, ranking: Ranking) -> Scored {
        let parts = vec![Part { name: Criterion::Words, value: words, weight: 1.0 }];
        Scored {
            id: MemoryId(Uuid::from_u128(number)),
            semantic: angle.map(|_| 0.5),
            lexical: Some(0.5),
            recency,
            score: sum(&parts) * factor(ranking, recency),
            parts,
            fit: 1.0,
            content: u64::try_from(number).unwrap(),
            vector: angle.map(|angle| vec![angle.to_radians().cos(), angle.to_radians().sin()]),
        }
    }

    /// The numbers of the memories, in their order after the spread.
    fn order(mut list: Vec<Scored>) -> Vec<u128> {
        spread(Ranking::Hybrid, &mut list, usize::MAX);
        list.iter().map(|one| one.id.0.as_u128()).collect()
    }

    fn hybrid(number: u128, words: f64, angle: Option<f32>) -> Scored {
        scored(number, words, 1.0, angle, Ranking::Hybrid)
    }

    #[test]
    fn near_copies_do_not_take_the_places_of_others_that_are_nearly_as_good() {
        let copies = [hybrid(1, 2.0, Some(0.0)), hybrid(2, 1.99, Some(5.0)), hybrid(3, 1.98, Some(10.0))];
        let others = [hybrid(4, 1.9, Some(90.0)), hybrid(5, 1.7, Some(85.0))];
        let list: Vec<Scored> = copies.into_iter().chain(others).collect();
        assert_eq!(order(list.clone()), [1, 4, 2, 3, 5], "a copy still comes before what is much worse");
        let unknown = list.into_iter().map(|one| Scored { vector: None, ..one }).collect::<Vec<_>>();
        let mut same = unknown.clone();
        spread(Ranking::Hybrid, &mut same, usize::MAX);
        assert_eq!(same, unknown, "without vectors nothing changes");
    }

    #[test]
    fn a_hit_loses_for_the_nearest_of_the_better_ones() {
        let mut list = vec![hybrid(1, 2.0, Some(0.0)), hybrid(2, 1.5, Some(90.0)), hybrid(3, 1.0, Some(60.0)), hybrid(4, 0.9, None)];
        spread(Ranking::Hybrid, &mut list, usize::MAX);
        let repeats = |one: &Scored| one.parts.iter().find(|part| part.name == Criterion::Repeats).map(|part| (part.value, part.weight));
        let (value, weight) = repeats(&list[3]).unwrap();
        assert_eq!((list[3].id.0.as_u128(), weight), (3, REPEATS));
        assert!((value - 0.75_f64.sqrt()).abs() < 1e-6, "30 degrees from the second: {value}");
        assert_eq!((repeats(&list[0]), repeats(&list[2])), (None, None));
    }

    #[test]
    fn hits_after_those_that_are_compared_lose_as_well() {
        let mut list: Vec<Scored> = (0..COMPARED as u128 + 5).map(|n| hybrid(n, 2.0 - 0.001 * n as f64, Some(0.0))).collect();
        list.push(hybrid(99, 1.9, Some(90.0)));
        assert_eq!(order(list)[..3], [0, 99, 1]);
    }

    #[test]
    fn vectors_of_any_length_are_compared_as_a_whole() {
        let (mut one, mut other) = (vec![0.0; LANES + 3], vec![0.0; LANES + 3]);
        (one[1], one[LANES + 1]) = (0.6, 0.8);
        (other[1], other[LANES + 1]) = (0.8, 0.6);
        assert!((cosine(&one, &other) - 0.96).abs() < 1e-6);
        let opposite: Vec<f32> = one.iter().map(|number| -number).collect();
        assert_eq!(cosine(&one, &opposite), 0.0);
    }

    proptest! {
        #[test]
        fn the_first_are_the_same_as_among_all(
            decays in any::<bool>(),
            shown in 1_usize..30,
            memories in proptest::collection::vec((0.0_f64..2.0, 0.0_f64..=1.0, proptest::option::of(0.0_f32..180.0)), 1..90),
        ) {
            let ranking = if decays { Ranking::HybridDecay } else { Ranking::Hybrid };
            let of = |(number, (words, recency, angle))| scored(number, words, recency, angle, ranking);
            let mut all: Vec<Scored> = (0..).zip(memories).map(of).collect();
            all.sort_by(|a, b| b.score.total_cmp(&a.score));
            let mut some = all.clone();
            spread(ranking, &mut all, usize::MAX);
            spread(ranking, &mut some, shown);
            let first = |list: &[Scored]| list.iter().take(shown).map(|one| (one.id, one.score, one.parts.len())).collect::<Vec<_>>();
            prop_assert_eq!(first(&some), first(&all));
        }

        #[test]
        fn scores_descend_are_the_sum_of_their_parts_and_the_first_stays(
            decays in any::<bool>(),
            memories in proptest::collection::vec((0.0_f64..2.0, 0.0_f64..=1.0, proptest::option::of(0.0_f32..180.0)), 1..40),
        ) {
            let ranking = if decays { Ranking::HybridDecay } else { Ranking::Hybrid };
            let of = |(number, (words, recency, angle))| scored(number, words, recency, angle, ranking);
            let mut list: Vec<Scored> = (0..).zip(memories).map(of).collect();
            list.sort_by(|a, b| b.score.total_cmp(&a.score));
            let before = list.clone();
            spread(ranking, &mut list, usize::MAX);
            prop_assert_eq!((list.len(), list[0].id, list[0].score), (before.len(), before[0].id, before[0].score));
            prop_assert!(list.windows(2).all(|pair| pair[0].score >= pair[1].score));
            for one in &list {
                prop_assert!((sum(&one.parts) * factor(ranking, one.recency) - one.score).abs() < 1e-9);
                let whole = before.iter().find(|other| other.id == one.id).unwrap();
                prop_assert!(one.score <= whole.score && one.score > whole.score - 0.2 - 1e-9);
            }
        }
    }
}
