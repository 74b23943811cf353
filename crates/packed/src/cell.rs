//! The live memories of one owner, and what a search counts and finds among them.

use crate::bits::Bits;
use crate::segment::Segment;
use crate::words::List;
use crate::{Place, Row};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use uuid::Uuid;

/// A segment, and which of its memories are out of date.
#[derive(Clone, Debug)]
struct Part {
    segment: Arc<Segment>,
    dead: Arc<Bits>,
}

impl Part {
    fn alive(&self) -> usize {
        self.segment.len() - self.dead.ones()
    }
}

/// The live memories of one owner as one snapshot of the database had them.
#[derive(Clone, Debug)]
pub struct Cell {
    dimension: usize,
    /// What transactions from this one on wrote is read again.
    mark: i64,
    parts: Vec<Part>,
    /// Memories that are not live, by the transaction that wrote them, as far as they are read again.
    gone: HashMap<u128, i64>,
    documents: i64,
    terms: i64,
    /// Memories without a term.
    wordless: i64,
}

/// The times that narrow a search, in microseconds.
#[derive(Clone, Debug)]
pub struct Times {
    pub now: i64,
    pub said: Range<i64>,
}

impl Times {
    /// Narrow nothing: for texts that do not expire.
    pub const ANY: Self = Self { now: 0, said: i64::MIN..i64::MAX };
}

/// What a search says of the places of a cell, part by part: see [`Cell::places`].
#[derive(Debug)]
pub struct Places(Vec<Vec<u8>>);

/// Which memories of a cell a search may find, and how many these are, without those that it is not for.
#[derive(Debug)]
pub struct Mask {
    parts: Vec<Vec<u8>>,
    pub documents: i64,
    pub terms: i64,
}

/// Not found; found; found, but for another search than this: see [`Cell::places`].
const OUT: u8 = 0;
const FITS: u8 = 1;
const APART: u8 = 2;

/// A word of a question in a memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Occurrence {
    /// The word's place in the question.
    pub place: usize,
    pub id: Uuid,
    /// How often the memory has it.
    pub count: f32,
    /// How many terms the memory has.
    pub length: i32,
    /// Whether the search is for other memories.
    pub apart: bool,
}

impl Cell {
    /// Nothing yet, of a snapshot in which every transaction before `mark` had ended.
    pub fn new(dimension: usize, mark: i64) -> Self {
        Self { dimension, mark, parts: vec![], gone: HashMap::new(), documents: 0, terms: 0, wordless: 0 }
    }

    pub fn mark(&self) -> i64 {
        self.mark
    }

    /// How many memories it has, and how many terms these have.
    pub fn counts(&self) -> (i64, i64) {
        (self.documents, self.terms)
    }

    /// The same without memories that have no term.
    pub fn worded(&self) -> (i64, i64) {
        (self.documents - self.wordless, self.terms)
    }

    /// Those of some memories that were written since this cell was read, by the transactions that wrote them last.
    pub fn unknown(&self, written: impl Iterator<Item = (Uuid, i64)>) -> Vec<(Uuid, i64)> {
        written.filter(|(id, by)| self.written(id.as_u128()) != Some(*by)).collect()
    }

    fn written(&self, id: u128) -> Option<i64> {
        self.find(id).map(|(part, slot)| self.parts[part].segment.written[slot]).or_else(|| self.gone.get(&id).copied())
    }

    fn find(&self, id: u128) -> Option<(usize, usize)> {
        let alive = |(at, part): (usize, &Part)| part.segment.find(id).filter(|slot| !part.dead.has(*slot)).map(|slot| (at, slot));
        self.parts.iter().enumerate().rev().find_map(alive)
    }

    /// The same cell after a later snapshot, with its mark: `changed` memories are replaced by those of `rows`, which has the live ones.
    pub fn with(&self, mark: i64, changed: &[(Uuid, i64)], rows: Vec<Row>) -> Self {
        let mut cell = self.clone();
        cell.mark = mark;
        for (id, by) in changed {
            let id = id.as_u128();
            cell.remove(id);
            cell.gone.insert(id, *by);
        }
        for row in &rows {
            cell.remove(row.id.as_u128());
            cell.gone.remove(&row.id.as_u128());
            cell.documents += 1;
            cell.terms += i64::from(row.length);
            cell.wordless += i64::from(row.length == 0);
        }
        cell.gone.retain(|_, by| *by >= mark);
        if !rows.is_empty() {
            let segment = Segment::pack(self.dimension, rows);
            let dead = Arc::new(Bits::new(segment.len()));
            cell.parts.push(Part { segment: Arc::new(segment), dead });
        }
        cell.tidy();
        cell
    }

    fn remove(&mut self, id: u128) {
        if let Some((part, slot)) = self.find(id) {
            let Part { segment, dead } = &mut self.parts[part];
            self.documents -= 1;
            self.terms -= i64::from(segment.lengths[slot]);
            self.wordless -= i64::from(segment.lengths[slot] == 0);
            Arc::make_mut(dead).set(slot);
        }
    }

    /// Merges the last two parts while they are of about one size, so that there are few, and a memory is packed again only as often as its part
    /// doubles. A part that is mostly out of date is packed again, too.
    fn tidy(&mut self) {
        self.parts.retain(|part| part.alive() > 0);
        let mut at = 0;
        while at < self.parts.len() {
            if self.parts[at].alive() * 2 < self.parts[at].segment.len() {
                self.merge(at, at + 1);
            }
            at += 1;
        }
        while let [.., before, last] = self.parts.as_slice()
            && last.alive() * 2 >= before.alive()
        {
            let parts = self.parts.len();
            self.merge(parts - 2, parts);
        }
    }

    fn merge(&mut self, from: usize, until: usize) {
        let parts: Vec<(&Segment, &Bits)> =
            self.parts[from..until].iter().map(|part| (part.segment.as_ref(), part.dead.as_ref())).collect();
        let segment = Segment::merge(self.dimension, &parts);
        let dead = Arc::new(Bits::new(segment.len()));
        drop(self.parts.splice(from..until, [Part { segment: Arc::new(segment), dead }]));
    }

    /// Asks a search about each place once. `fits` says true for what the search is for, false for what it may find besides, and nothing for
    /// what it refuses.
    pub fn places(&self, fits: impl Fn(&Place) -> Option<bool>) -> Places {
        let of_place = |place: &Place| fits(place).map_or(OUT, |fits| if fits { FITS } else { APART });
        Places(self.parts.iter().map(|part| part.segment.places.iter().map(of_place).collect()).collect())
    }

    /// Which memories a search may find: those that did not expire, were said within its times, and whose place it does not refuse.
    pub fn mask(&self, times: &Times, Places(places): &Places) -> Mask {
        let mut mask = Mask { parts: Vec::with_capacity(self.parts.len()), documents: 0, terms: 0 };
        for (Part { segment, dead }, places) in self.parts.iter().zip(places) {
            let mut marks = vec![OUT; segment.len()];
            for (slot, mark) in marks.iter_mut().enumerate() {
                if segment.expires[slot] > times.now && times.said.contains(&segment.said[slot]) && !dead.has(slot) {
                    *mark = places[segment.groups[slot] as usize];
                    if *mark == FITS {
                        mask.documents += 1;
                        mask.terms += i64::from(segment.lengths[slot]);
                    }
                }
            }
            mask.parts.push(marks);
        }
        mask
    }

    /// The words of a question in the memories of a mask, part by part in the order of memory and word.
    pub fn words(&self, mask: &Mask, terms: &[String], mut each: impl FnMut(Occurrence)) {
        for (Part { segment, .. }, marks) in self.parts.iter().zip(&mask.parts) {
            let mut lists: Vec<Cursor<'_>> = Vec::new();
            for (place, term) in terms.iter().enumerate() {
                lists.extend(segment.words.list(term).and_then(|list| Cursor::new(place, list)));
            }
            while let Some(slot) = lists.iter().map(|cursor| cursor.slot).min() {
                let mark = marks[slot as usize];
                lists.retain_mut(|cursor| {
                    if cursor.slot != slot {
                        return true;
                    }
                    if mark != OUT {
                        let (id, length) = (Uuid::from_u128(segment.ids[slot as usize]), segment.lengths[slot as usize]);
                        each(Occurrence { place: cursor.place, id, count: cursor.count, length, apart: mark == APART });
                    }
                    cursor.step()
                });
            }
        }
    }

    /// Every vector of the memories of a mask that are `apart` or not: its part and its place among the vectors there.
    pub(crate) fn vectors<'a>(&'a self, mask: &'a Mask, apart: bool) -> impl Iterator<Item = (&'a Segment, usize)> {
        let wanted = if apart { APART } else { FITS };
        self.parts.iter().zip(&mask.parts).flat_map(move |(part, marks)| {
            let segment = part.segment.as_ref();
            (0..segment.vectors.len()).filter(move |at| marks[segment.vectors.slot(*at)] == wanted).map(move |at| (segment, at))
        })
    }

    /// About what it takes of memory, shared segments included.
    pub fn bytes(&self) -> usize {
        let parts: usize = self.parts.iter().map(|part| part.segment.bytes() + part.dead.bytes()).sum();
        size_of::<Self>() + parts + self.gone.len() * 2 * size_of::<(u128, i64)>()
    }
}

/// A list of slots, and where reading it has come to.
struct Cursor<'a> {
    place: usize,
    slot: u32,
    count: f32,
    rest: List<'a>,
}

impl<'a> Cursor<'a> {
    fn new(place: usize, mut rest: List<'a>) -> Option<Self> {
        rest.next().map(|(slot, count)| Self { place, slot, count, rest })
    }

    /// Moves on; false at the end.
    fn step(&mut self) -> bool {
        match self.rest.next() {
            Some((slot, count)) => {
                (self.slot, self.count) = (slot, count);
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests;
