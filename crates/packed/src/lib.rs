//! Memories packed for a search: vectors, words and the columns that narrow, in arrays instead of rows. Pure: no SQL, no clock, no task.
//!
//! A [`Cell`] has the live memories of one agent and one user, or of one agent and nobody; or the chunks of an organisation's documents in
//! force, which are packed as if they were memories. It does not change: a change makes another cell, which shares most of its segments, so
//! readers take no lock. A [`Cache`] keeps cells within a number of bytes and may drop any of them.
//!
//! Nothing here decides an answer alone. Words and counts are exact. Of vectors there are only approximations with proven bounds: [`nearest`]
//! returns all memories that may be among the nearest, and the database compares these.

mod bits;
mod cache;
mod cell;
mod nearest;
mod query;
mod segment;
mod vectors;
mod words;

pub use cache::{Cache, Key};
pub use cell::{Cell, Mask, Occurrence, Places, Times};
pub use nearest::{Sought, nearest};

use uuid::Uuid;

/// A live memory, or a chunk, as a search reads it.
#[derive(Clone, Debug)]
pub struct Row {
    pub id: Uuid,
    /// The transaction that wrote it.
    pub written: i64,
    pub place: Place,
    /// When it was said, in microseconds.
    pub said_at: i64,
    /// When it expires, in microseconds.
    pub expires_at: Option<i64>,
    /// How many terms it has.
    pub length: i32,
    /// Each of its terms, with how often it has the term.
    pub terms: Vec<(String, f32)>,
    /// Its vector, with its weight by age.
    pub vector: Option<(Vec<f32>, f64)>,
}

/// The columns that narrow a search, besides times. Many memories share one combination, so a filter is asked once for each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    pub kind: String,
    /// Of a chunk's document; empty for memories, which alone have the columns below.
    pub collection: String,
    pub scope: String,
    pub status: String,
    pub retention: String,
    pub platform: Option<String>,
    pub project: Option<Uuid>,
    pub repo: Option<Uuid>,
}
