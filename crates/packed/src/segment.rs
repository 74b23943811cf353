//! Some memories, packed at one time.

use crate::bits::Bits;
use crate::vectors::Vectors;
use crate::words::Words;
use crate::{Place, Row};
use std::collections::{BTreeMap, HashMap};

/// Memories in the order of their ids; a memory's place in it is its slot.
#[derive(Debug, Default)]
pub struct Segment {
    pub ids: Vec<u128>,
    pub written: Vec<i64>,
    pub said: Vec<i64>,
    /// [`i64::MAX`]: never.
    pub expires: Vec<i64>,
    pub lengths: Vec<i32>,
    /// For each memory, its combination of [`Segment::places`].
    pub groups: Vec<u32>,
    pub places: Vec<Place>,
    pub vectors: Vectors,
    pub words: Words,
}

/// A slot that is left out of a merger.
const GONE: u32 = u32::MAX;

impl Segment {
    /// Packs memories, each once.
    pub fn pack(dimension: usize, mut rows: Vec<Row>) -> Self {
        rows.sort_unstable_by_key(|row| row.id);
        let mut segment = Self { vectors: Vectors::new(dimension), ..Self::default() };
        let mut places: HashMap<Place, u32> = HashMap::new();
        let mut lists: BTreeMap<String, Vec<(u32, f32)>> = BTreeMap::new();
        for (slot, row) in (0_u32..).zip(rows) {
            segment.ids.push(row.id.as_u128());
            segment.written.push(row.written);
            segment.said.push(row.said_at);
            segment.expires.push(row.expires_at.unwrap_or(i64::MAX));
            segment.lengths.push(row.length);
            segment.group(&mut places, &row.place);
            for (term, count) in row.terms {
                lists.entry(term).or_default().push((slot, count));
            }
            if let Some((vector, weight)) = row.vector.filter(|(vector, _)| vector.len() == dimension) {
                segment.vectors.push(slot, &vector, weight);
            }
        }
        segment.words = Words::pack(&lists);
        segment
    }

    /// Packs what is left of several segments, whose memories differ.
    pub fn merge(dimension: usize, parts: &[(&Self, &Bits)]) -> Self {
        let mut order: Vec<(u128, usize, usize)> = Vec::new();
        for (part, (segment, dead)) in parts.iter().enumerate() {
            order.extend((0..segment.len()).filter(|slot| !dead.has(*slot)).map(|slot| (segment.ids[slot], part, slot)));
        }
        order.sort_unstable();
        let mut merged = Self { vectors: Vectors::new(dimension), ..Self::default() };
        let mut places: HashMap<Place, u32> = HashMap::new();
        let mut moved: Vec<Vec<u32>> = parts.iter().map(|(segment, _)| vec![GONE; segment.len()]).collect();
        for (new, (id, part, slot)) in (0_u32..).zip(order) {
            let from = parts[part].0;
            moved[part][slot] = new;
            merged.ids.push(id);
            merged.written.push(from.written[slot]);
            merged.said.push(from.said[slot]);
            merged.expires.push(from.expires[slot]);
            merged.lengths.push(from.lengths[slot]);
            merged.group(&mut places, from.place(slot));
            merged.vectors.copy(new, &from.vectors, slot as u32);
        }
        let mut lists: BTreeMap<&str, Vec<(u32, f32)>> = BTreeMap::new();
        for ((segment, _), moved) in parts.iter().zip(&moved) {
            for (term, list) in segment.words.all() {
                let list = list.map(|(slot, count)| (moved[slot as usize], count)).filter(|(slot, _)| *slot != GONE);
                lists.entry(term).or_default().extend(list);
            }
        }
        lists.retain(|_, list| !list.is_empty());
        lists.values_mut().for_each(|list| list.sort_unstable_by_key(|(slot, _)| *slot));
        merged.words = Words::pack(&lists);
        merged
    }

    fn group(&mut self, places: &mut HashMap<Place, u32>, place: &Place) {
        let group = match places.get(place) {
            Some(group) => *group,
            None => {
                let group = self.places.len() as u32;
                self.places.push(place.clone());
                places.insert(place.clone(), group);
                group
            }
        };
        self.groups.push(group);
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn place(&self, slot: usize) -> &Place {
        &self.places[self.groups[slot] as usize]
    }

    /// The slot of a memory.
    pub fn find(&self, id: u128) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    pub fn bytes(&self) -> usize {
        const COLUMNS: usize = size_of::<u128>() + 3 * size_of::<i64>() + size_of::<i32>() + size_of::<u32>();
        self.len() * COLUMNS + self.places.len() * PLACE + self.vectors.bytes() + self.words.bytes()
    }
}

/// About what one combination takes.
const PLACE: usize = 300;
