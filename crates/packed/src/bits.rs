//! A set of slots.

/// One bit for each slot of a segment.
#[derive(Clone, Debug)]
pub struct Bits {
    words: Vec<u64>,
    ones: usize,
}

impl Bits {
    /// The empty set of `slots` slots.
    pub fn new(slots: usize) -> Self {
        Self { words: vec![0; slots.div_ceil(64)], ones: 0 }
    }

    pub fn has(&self, slot: usize) -> bool {
        (self.words[slot / 64] >> (slot % 64)) & 1 == 1
    }

    pub fn set(&mut self, slot: usize) {
        if !self.has(slot) {
            self.words[slot / 64] |= 1 << (slot % 64);
            self.ones += 1;
        }
    }

    /// How many slots are in the set.
    pub fn ones(&self) -> usize {
        self.ones
    }

    pub fn bytes(&self) -> usize {
        self.words.len() * 8
    }
}
