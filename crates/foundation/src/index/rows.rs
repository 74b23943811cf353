//! Words of texts: one row for each word of each text.

use sqlx::postgres::PgRow;
use sqlx::{Decode, FromRow, Postgres, Row, Type};
use std::collections::{BTreeMap, HashSet};
use std::hash::Hash;
use uuid::Uuid;
use words::bm25::{Posting, Statistics};

/// How many rows share the counts of texts and terms of one owner, so that writers rarely wait for each other.
pub const SLOTS: i16 = 16;

/// The row of its owner's counts that a text is counted in.
pub fn slot(id: Uuid) -> i16 {
    // The last bits of a version 7 UUID are random.
    i16::try_from(id.as_u128() % SLOTS.unsigned_abs() as u128).unwrap_or_default()
}

/// The rows of the words of some texts, by column.
#[derive(Debug)]
pub struct WordRows<Id> {
    pub ids: Vec<Id>,
    pub terms: Vec<String>,
    /// How often the text has the term.
    pub counts: Vec<f32>,
    /// How many terms the text has.
    pub lengths: Vec<i32>,
}

impl<Id: Copy> FromIterator<(Id, BTreeMap<String, u32>)> for WordRows<Id> {
    fn from_iter<Texts: IntoIterator<Item = (Id, BTreeMap<String, u32>)>>(texts: Texts) -> Self {
        let mut rows = Self { ids: vec![], terms: vec![], counts: vec![], lengths: vec![] };
        for (id, terms) in texts {
            let length = i32::try_from(terms.values().sum::<u32>()).unwrap_or(i32::MAX);
            for (term, count) in terms {
                rows.ids.push(id);
                rows.terms.push(term);
                rows.counts.push(count as f32);
                rows.lengths.push(length);
            }
        }
        rows
    }
}

/// What a search found by words, not yet scored, or by how much that was another at some moment: the columns of [`match_columns`], and `documents` and `terms` of the texts that it searched.
#[derive(Debug)]
pub struct WordMatches<Id> {
    /// The words of the question in the texts that may be found.
    pub postings: Vec<Posting<Id>>,
    /// Those of these texts that the search is not for: of other kinds, or of another project.
    pub apart: HashSet<Id>,
    pub statistics: Statistics,
}

impl<Id: Eq + Hash> WordMatches<Id> {
    /// Adds what a search of other texts found.
    pub fn add(&mut self, others: Self) {
        self.postings.extend(others.postings);
        self.apart.extend(others.apart);
        self.statistics.documents += others.statistics.documents;
        self.statistics.terms += others.statistics.terms;
    }
}

/// The columns of [`WordMatches`] as arrays, because a row for each word of each text would cost more than its data: the place of the word in the
/// question, the text's id, how often it has the word, its length, and whether the search is for other texts.
pub fn match_columns([place, id, count, length, apart]: [&str; 5]) -> String {
    [("places", place), ("ids", id), ("counts", count), ("lengths", length), ("apart", apart)]
        .map(|(name, column)| format!("coalesce(array_agg({column}), '{{}}') as {name}"))
        .join(", ")
}

impl<'r, Id: Copy + Eq + Hash> FromRow<'r, PgRow> for WordMatches<Id>
where
    Vec<Id>: Decode<'r, Postgres> + Type<Postgres>,
{
    fn from_row(row: &'r PgRow) -> Result<Self, sqlx::Error> {
        let (places, ids): (Vec<i32>, Vec<Id>) = (row.try_get("places")?, row.try_get("ids")?);
        let (counts, lengths): (Vec<f32>, Vec<i32>) = (row.try_get("counts")?, row.try_get("lengths")?);
        let apart: Vec<bool> = row.try_get("apart")?;
        let apart = ids.iter().zip(apart).filter_map(|(id, apart)| apart.then_some(*id)).collect();
        let rows = places.into_iter().zip(ids).zip(counts.into_iter().zip(lengths));
        let postings = rows.map(|((term, id), (tf, length))| Posting { term, id, tf, length }).collect();
        let statistics = Statistics { documents: row.try_get("documents")?, terms: row.try_get("terms")? };
        Ok(Self { postings, apart, statistics })
    }
}
