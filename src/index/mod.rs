//! What all searches by words and by meaning share. Memories, sections of documents, documents of profiles and reports keep their words and
//! vectors in tables of their own, which are alike.

mod rows;
mod vectors;

pub use rows::{Found, SLOTS, WordRows, found, slot};
pub use vectors::{Operand, VectorTable, Vectors};
