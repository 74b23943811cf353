//! What a search finds in cells. Words and counts are exact; what is near in meaning is proposed, and the database compares it.

use super::LARGE;
use crate::Error;
use crate::heavy::off_thread_if;
use crate::index::WordMatches;
use packed::{Cell, Mask, Place, Places, Sought, Times, nearest};
use std::collections::HashSet;
use std::hash::Hash;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;
use uuid::Uuid;
use words::bm25::{Posting, Statistics};

/// Searches cells; many texts on a thread of its own.
///
/// # Errors
/// `Internal` if the search ends early.
pub async fn search<T: Send + 'static>(
    cells: Vec<Arc<Cell>>,
    times: Times,
    fits: impl Fn(&Place) -> Option<bool>,
    find: impl FnOnce(&Masked) -> T + Send + 'static,
) -> Result<T, Error> {
    let is_large = is_large(cells.iter());
    let with_places = |cell: Arc<Cell>| {
        let places = cell.places(&fits);
        (cell, places)
    };
    let cells: Vec<(Arc<Cell>, Places)> = cells.into_iter().map(with_places).collect();
    off_thread_if(is_large, move || find(&Masked::new(cells, &times))).await
}

/// Whether a search of cells takes milliseconds.
fn is_large<'a>(cells: impl Iterator<Item = &'a Arc<Cell>>) -> bool {
    cells.map(|cell| cell.counts().0).sum::<i64>() > LARGE
}

/// Cells, and what a search may find in each.
pub struct Masked(Vec<(Arc<Cell>, Mask)>);

impl Masked {
    fn new(cells: Vec<(Arc<Cell>, Places)>, times: &Times) -> Self {
        let masked = |(cell, places): (Arc<Cell>, Places)| {
            let mask = cell.mask(times, &places);
            (cell, mask)
        };
        Self(cells.into_iter().map(masked).collect())
    }

    /// What the search is for: how many texts, and how many terms they have.
    pub fn statistics(&self) -> Statistics {
        let sum = |count: fn(&Mask) -> i64| -> i64 { self.0.iter().map(|(_, mask)| count(mask)).sum() };
        Statistics { documents: sum(|mask| mask.documents), terms: sum(|mask| mask.terms) }
    }

    /// The same of all texts that have a term, whatever the search may find.
    pub fn all(&self) -> Statistics {
        let sum = |count: fn((i64, i64)) -> i64| -> i64 { self.0.iter().map(|(cell, _)| count(cell.worded())).sum() };
        Statistics { documents: sum(|(documents, _)| documents), terms: sum(|(_, terms)| terms) }
    }

    /// The words of a question in the texts that may be found, with the statistics that weigh them.
    pub fn words<Id: Copy + Eq + Hash>(&self, terms: &[String], id: fn(Uuid) -> Id, statistics: Statistics) -> WordMatches<Id> {
        let (mut postings, mut apart) = (Vec::new(), HashSet::new());
        for (cell, mask) in &self.0 {
            cell.words(mask, terms, |word| {
                let (id, term) = (id(word.id), i32::try_from(word.place).unwrap_or(i32::MAX));
                postings.push(Posting { term, id, tf: word.count, length: word.length });
                if word.apart {
                    apart.insert(id);
                }
            });
        }
        WordMatches { postings, apart, statistics }
    }

    /// The search by words and the search by meaning: side by side if there are many texts, because each reads all of them.
    pub fn both<W: Send, N>(&self, by_words: impl FnOnce() -> W + Send, by_meaning: impl FnOnce() -> N) -> (W, N) {
        if !is_large(self.0.iter().map(|(cell, _)| cell)) {
            return (by_words(), by_meaning());
        }
        thread::scope(|scope| {
            let by_words = scope.spawn(by_words);
            let near = by_meaning();
            (by_words.join().unwrap_or_else(|panic| resume_unwind(panic)), near)
        })
    }

    /// The texts that may be nearest, unless these are too many.
    pub fn nearest(&self, sought: &Sought<'_>) -> Option<Vec<Uuid>> {
        let masked: Vec<(&Cell, &Mask)> = self.0.iter().map(|(cell, mask)| (cell.as_ref(), mask)).collect();
        nearest(&masked, sought)
    }

    /// The same by their cosine alone.
    pub fn nearest_by_cosine(&self, vector: &[f32], most: usize) -> Option<Vec<Uuid>> {
        self.nearest(&Sought { vector, most, at_least: f64::NEG_INFINITY, rank: &|cosine, _| cosine, apart: false })
    }
}
