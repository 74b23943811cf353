//! What all searches by words and by meaning share. Memories, sections of documents, documents of profiles and reports keep their words and
//! vectors in tables of their own, which are alike.

mod rows;
mod vectors;

pub use rows::{SLOTS, WordMatches, WordRows, match_columns, slot};
pub use vectors::{Operand, VectorTable, Vectors};
