//! A search and the result of its memory side: the types that all of its steps share.

use super::scope::Scoping;
use super::store::Reach;
use crate::ranking::Order;
use crate::vocabulary::Moment;
use chrono::{DateTime, Utc};
use foundation::registry::Floors;
use std::collections::HashSet;
use wire::{DegradedPart, MemoryId, Ranking};
use words::bm25::{Postings, Statistics};

/// A search: the query, the memories in reach, and how to rank the result.
pub struct Question<'a> {
    pub query: &'a str,
    pub ranking: Ranking,
    pub reach: Reach<'a>,
    /// Most candidates of each side.
    pub most: i64,
    /// Whether shared knowledge is searched, too.
    pub knowledge: bool,
    /// Whether every scored memory is kept, not only the best and the nearest below the floor.
    pub all_scored: bool,
    /// Floors other than the model's.
    pub floors: Option<Floors>,
    /// Whether to count the memories that may be found, and those of them that reach the floor: for pages, because it takes time.
    pub counted: bool,
    /// Present: searches what was known at `reach.now`, not what is known now.
    pub past: Option<Past>,
}

/// How the past is searched.
pub struct Past {
    pub vocabulary: Moment,
    /// Parts that could not run then; they are left out again.
    pub without: Vec<DegradedPart>,
    /// Whether the results include memories that are deleted or expired by now: for operators only.
    pub with_deleted: bool,
    /// The numbers that BM25 used then, if the log has them. Otherwise the memories in reach are counted again.
    pub statistics: Option<Statistics>,
}

impl Past {
    /// What was known at a moment, as far as the caller may still read it.
    pub fn at(moment: DateTime<Utc>) -> Self {
        Self { vocabulary: Moment::At(moment), without: vec![], with_deleted: false, statistics: None }
    }
}

/// What cannot be rebuilt of the past.
#[derive(Debug, Default)]
pub struct Lost {
    /// A sentence each.
    pub reasons: Vec<String>,
    /// Memories whose version of that time does not record title, summary, category, subject, confidence and the day on which they were
    /// said.
    pub unrecorded: HashSet<MemoryId>,
}

/// What decides how the memories of a question are ranked, for the thread that ranks them.
pub struct Measure {
    pub query: String,
    pub ranking: Ranking,
    pub scoping: Scoping,
    pub now: DateTime<Utc>,
    pub most: usize,
    pub all_scored: bool,
    pub statistics: Option<Statistics>,
}

impl Question<'_> {
    /// How the memories in reach are ranked.
    pub fn measure(&self) -> Measure {
        Measure {
            query: self.query.to_owned(),
            ranking: self.ranking,
            scoping: self.reach.scoping.clone(),
            now: self.reach.now,
            most: usize::try_from(self.most).unwrap_or(usize::MAX),
            all_scored: self.all_scored,
            statistics: self.past.as_ref().and_then(|past| past.statistics),
        }
    }

    /// Whether a part runs: in the past, only parts that could run then. Without a balance nothing was embedded.
    pub fn runs(&self, part: DegradedPart) -> bool {
        let lost = |without: &DegradedPart| {
            *without == part || part == DegradedPart::Embedding && matches!(without, DegradedPart::Balance | DegradedPart::Language)
        };
        self.past.as_ref().is_none_or(|past| !past.without.iter().any(lost))
    }
}

/// The memory side of a search.
#[derive(Default)]
pub struct MemorySide {
    pub order: Order,
    /// What the words of the question are worth among the searched memories.
    pub postings: Postings<MemoryId>,
    pub statistics: Statistics,
    /// How many memories were scored, and how many of them were not relevant enough.
    pub scored: i64,
    pub below_floor: i64,
    pub totals: Option<Totals>,
}

/// The numbers of all memories behind an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    /// Memories that may be found.
    pub memories: i64,
    /// Those of them that are known to reach the floor.
    pub passed: i64,
    /// More may reach it: counting them would take a second look at every vector.
    pub more: bool,
}
