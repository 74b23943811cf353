//! A cell after many changes, compared with what the memories are.

use super::*;
use crate::{Sought, nearest};
use proptest::prelude::*;
use std::collections::BTreeMap;

const TERMS: [&str; 4] = ["anchor", "ferry", "harbour", "pier"];

/// A change: a memory, and what it is now; nothing if it is deleted.
type Change = (u8, Option<([u8; 4], [i8; 4], u8)>);

fn change() -> impl Strategy<Value = Change> {
    (0_u8..40, proptest::option::weighted(0.8, (proptest::array::uniform4(0_u8..4), proptest::array::uniform4(any::<i8>()), any::<u8>())))
}

fn id(memory: u8) -> Uuid {
    // The order of ids is not that of the changes.
    Uuid::from_u128(u128::from(memory.reverse_bits()))
}

fn row(memory: u8, written: i64, (counts, vector, place): ([u8; 4], [i8; 4], u8)) -> Row {
    let terms: Vec<(String, f32)> =
        TERMS.iter().zip(counts).filter(|(_, count)| *count > 0).map(|(term, count)| ((*term).to_owned(), f32::from(count))).collect();
    Row {
        id: id(memory),
        written,
        place: Place {
            kind: format!("{}", place % 3),
            scope: "agent".into(),
            status: "active".into(),
            retention: "permanent".into(),
            ..Place::default()
        },
        said_at: i64::from(place),
        expires_at: (place % 5 == 0).then(|| i64::from(place)),
        length: counts.iter().map(|count| i32::from(*count)).sum(),
        terms,
        vector: (place % 7 != 0).then(|| (vector.map(|value| f32::from(value) / 128.0).to_vec(), f64::from(place))),
    }
}

/// The changes, so many at a time as transactions of their own, and the memories after them.
fn changed(changes: &[Change], at_once: usize) -> (Cell, BTreeMap<Uuid, Row>) {
    let (mut cell, mut memories) = (Cell::new(4, 0), BTreeMap::new());
    for (written, changes) in (1_i64..).zip(changes.chunks(at_once)) {
        let last: BTreeMap<u8, _> = changes.iter().copied().collect();
        let listed: Vec<(Uuid, i64)> = last.keys().map(|memory| (id(*memory), written)).collect();
        assert_eq!(cell.unknown(listed.iter().copied()), listed);
        let rows: Vec<Row> = last.iter().filter_map(|(memory, now)| Some(row(*memory, written, (*now)?))).collect();
        for (id, _) in &listed {
            memories.remove(id);
        }
        memories.extend(rows.iter().map(|row| (row.id, row.clone())));
        cell = cell.with(written, &listed, rows);
        assert!(cell.unknown(listed.iter().copied()).is_empty(), "what was read is known");
    }
    (cell, memories)
}

/// Kind 0 is refused and kind 1 is for another search.
fn fits(place: &Place) -> Option<bool> {
    (place.kind != "0").then(|| place.kind == "2")
}

proptest! {
    #[test]
    fn a_cell_has_what_the_memories_are(changes in proptest::collection::vec(change(), 1..200), at_once in 1_usize..60, now in 0_i64..256) {
        let (cell, memories) = changed(&changes, at_once);
        let counts = (memories.len() as i64, memories.values().map(|row| i64::from(row.length)).sum::<i64>());
        prop_assert_eq!(cell.counts(), counts);
        let worded = memories.values().filter(|row| row.length > 0).count() as i64;
        prop_assert_eq!(cell.worded(), (worded, counts.1));
        prop_assert!(cell.parts.len() < 12, "{} parts", cell.parts.len());

        let times = Times { now, said: 10..200 };
        let found: Vec<&Row> = memories
            .values()
            .filter(|row| row.expires_at.is_none_or(|at| at > now) && times.said.contains(&row.said_at) && fits(&row.place).is_some())
            .collect();
        let fitting: Vec<&&Row> = found.iter().filter(|row| row.place.kind == "2").collect();
        let mask = cell.mask(&times, &cell.places(fits));
        prop_assert_eq!(mask.documents, fitting.len() as i64);
        prop_assert_eq!(mask.terms, fitting.iter().map(|row| i64::from(row.length)).sum::<i64>());

        let question = ["ferry".to_owned(), "nowhere".to_owned(), "anchor".to_owned()];
        let mut words = Vec::new();
        cell.words(&mask, &question, |word| words.push(word));
        words.sort_by_key(|word| (word.id, word.place));
        let mut expected = Vec::new();
        for row in &found {
            for (place, term) in question.iter().enumerate() {
                let counts = row.terms.iter().filter(|(one, _)| one == term).map(|(_, count)| *count);
                let apart = row.place.kind == "1";
                expected.extend(counts.map(|count| Occurrence { place, id: row.id, count, length: row.length, apart }));
            }
        }
        prop_assert_eq!(words, expected);

        let vector = [0.5, -0.25, 0.125, 1.0];
        for apart in [false, true] {
            let rank = |cosine: f64, weight: f64| if cosine >= 0.1 { cosine * (1.0 + weight) } else { cosine - 2.0 };
            let sought = Sought { vector: &vector, most: 5, at_least: -0.5, rank: &rank, apart };
            let mut exact: Vec<(f64, Uuid)> = found
                .iter()
                .filter(|row| (row.place.kind == "1") == apart)
                .filter_map(|row| row.vector.as_ref().map(|(values, weight)| (row.id, values, *weight)))
                .map(|(id, values, weight)| (id, values.iter().zip(vector).map(|(a, b)| f64::from(a * b)).sum::<f64>(), weight))
                .filter(|(_, cosine, _)| *cosine >= sought.at_least)
                .map(|(id, cosine, weight)| (rank(cosine, weight), id))
                .collect();
            exact.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
            let candidates = nearest(&[(&cell, &mask)], &sought).unwrap();
            for (_, id) in exact.iter().take(5) {
                prop_assert!(candidates.contains(id), "{exact:?} {candidates:?}");
            }
        }
    }
}

#[test]
fn too_many_that_are_equally_near_are_left_to_the_database() {
    let rows =
        |memories: u16| (0..memories).map(|memory| Row { id: Uuid::from_u128(memory.into()), ..row(1, 1, ([1; 4], [64; 4], 1)) }).collect();
    let times = Times { now: 0, said: i64::MIN..i64::MAX };
    let candidates = |memories| {
        let cell = Cell::new(4, 1).with(1, &[], rows(memories));
        let mask = cell.mask(&times, &cell.places(|_| Some(true)));
        let sought =
            Sought { vector: &[1.0, 0.0, 0.0, 0.0], most: 5, at_least: f64::NEG_INFINITY, rank: &|cosine, _| cosine, apart: false };
        nearest(&[(&cell, &mask)], &sought).map(|candidates| candidates.len())
    };
    assert_eq!((candidates(100), candidates(3_000)), (Some(100), None));
}
