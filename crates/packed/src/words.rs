//! The words of a segment: for each term the slots that have it, as differences, with how often.

use std::collections::BTreeMap;

/// Postings by term. The terms are sorted, and each list of slots rises.
#[derive(Debug, Default)]
pub struct Words {
    terms: Vec<Box<str>>,
    /// Where the list of each term begins; at the end, where the last one ends.
    starts: Vec<usize>,
    bytes: Vec<u8>,
    /// What the terms take.
    size: usize,
}

impl Words {
    /// Packs lists whose slots rise.
    pub fn pack<T: AsRef<str>>(lists: &BTreeMap<T, Vec<(u32, f32)>>) -> Self {
        let mut words = Self { terms: Vec::with_capacity(lists.len()), ..Self::default() };
        for (term, list) in lists {
            words.terms.push(term.as_ref().into());
            words.size += term.as_ref().len() + size_of::<Box<str>>() + ALLOCATION;
            words.starts.push(words.bytes.len());
            let mut last = 0;
            for (slot, count) in list {
                put(&mut words.bytes, slot - last);
                put_count(&mut words.bytes, *count);
                last = *slot;
            }
        }
        words.starts.push(words.bytes.len());
        words.bytes.shrink_to_fit();
        words
    }

    /// The slots that have a term, with how often.
    pub fn list(&self, term: &str) -> Option<List<'_>> {
        let at = self.terms.binary_search_by(|one| one.as_ref().cmp(term)).ok()?;
        Some(self.at(at))
    }

    /// Every term with its slots.
    pub fn all(&self) -> impl Iterator<Item = (&str, List<'_>)> {
        self.terms.iter().enumerate().map(|(at, term)| (term.as_ref(), self.at(at)))
    }

    fn at(&self, at: usize) -> List<'_> {
        List { rest: &self.bytes[self.starts[at]..self.starts[at + 1]], slot: 0 }
    }

    pub fn bytes(&self) -> usize {
        self.size + self.starts.len() * size_of::<usize>() + self.bytes.len()
    }
}

/// What the allocator adds to a small piece.
const ALLOCATION: usize = 16;

/// Reads one packed list.
#[derive(Clone, Debug)]
pub struct List<'a> {
    rest: &'a [u8],
    slot: u32,
}

impl Iterator for List<'_> {
    type Item = (u32, f32);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        self.slot += take(&mut self.rest);
        Some((self.slot, take_count(&mut self.rest)))
    }
}

/// Seven bits a byte, lowest first; the highest bit says that more follow.
fn put(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(rest: &mut &[u8]) -> u32 {
    let (mut number, mut shift) = (0_u32, 0);
    while let Some((byte, tail)) = rest.split_first() {
        *rest = tail;
        number |= u32::from(byte & 0x7F) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            break;
        }
    }
    number
}

/// The highest count that is packed as a number. Every whole number up to it is one in `f32`, too.
const COUNT_MAX: f32 = 8_388_608.0;

/// A count is a whole number: twice the number is packed. Any other follows a 1 as its four bytes, so that nothing is rounded.
fn put_count(bytes: &mut Vec<u8>, count: f32) {
    if count.fract() == 0.0 && (1.0..=COUNT_MAX).contains(&count) {
        put(bytes, (count as u32) << 1);
    } else {
        put(bytes, 1);
        bytes.extend(count.to_bits().to_le_bytes());
    }
}

fn take_count(rest: &mut &[u8]) -> f32 {
    let number = take(rest);
    if number & 1 == 0 {
        return (number >> 1) as f32;
    }
    match rest.split_first_chunk::<4>() {
        Some((bits, tail)) => {
            *rest = tail;
            f32::from_bits(u32::from_le_bytes(*bits))
        }
        None => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lists() -> impl Strategy<Value = BTreeMap<String, BTreeMap<u32, f32>>> {
        let count = prop_oneof![(1_u32..300).prop_map(|count| count as f32), any::<f32>()];
        proptest::collection::btree_map("[a-z]{1,6}", proptest::collection::btree_map(any::<u32>(), count, 1..40), 0..20)
    }

    proptest! {
        #[test]
        fn what_was_packed_is_read_back(lists in lists()) {
            let lists: BTreeMap<String, Vec<(u32, f32)>> =
                lists.into_iter().map(|(term, list)| (term, list.into_iter().collect())).collect();
            let words = Words::pack(&lists);
            for (term, list) in &lists {
                let read: Vec<(u32, u32)> = words.list(term).unwrap().map(|(slot, count)| (slot, count.to_bits())).collect();
                let put: Vec<(u32, u32)> = list.iter().map(|(slot, count)| (*slot, count.to_bits())).collect();
                prop_assert_eq!(read, put);
            }
            prop_assert_eq!(words.all().count(), lists.len());
            prop_assert!(words.list("none of them").is_none());
        }
    }
}
