//! A search and the result of its memory side: the types that all of its steps share.

use super::scope::Scoping;
use super::store::{Reach, Statistics};
use crate::api::Ranking;
use crate::models::Floors;
use crate::ranking::Order;
use crate::vocabulary::Moment;

/// A search: what for, where, and how the result is ranked.
pub struct Question<'a> {
    pub query: &'a str,
    pub ranking: Ranking,
    pub reach: Reach<'a>,
    /// Most candidates of each side.
    pub most: i64,
    /// Whether shared knowledge is searched, too.
    pub knowledge: bool,
    /// Floors other than the model's.
    pub floors: Option<Floors>,
    /// The project that the search is for.
    pub scoping: Scoping,
    /// Present: searches what was known at `reach.now`, not what is known now.
    pub past: Option<Past>,
}

/// How the past is searched.
pub struct Past {
    pub vocabulary: Moment,
    /// Parts that could not run then; they are left out again.
    pub without: Vec<String>,
    /// Whether memories that are deleted or expired now are among the results: for operators only.
    pub with_deleted: bool,
    /// What BM25 counted then, where the log has it. Otherwise it is counted again, among what is in reach.
    pub statistics: Option<Statistics>,
}

impl Question<'_> {
    /// Whether a part runs: in the past only what could run then.
    pub fn runs(&self, part: &str) -> bool {
        self.past.as_ref().is_none_or(|past| !past.without.iter().any(|without| without == part))
    }
}

/// The memory side of a search.
#[derive(Default)]
pub struct MemorySide {
    pub order: Order,
    pub statistics: Statistics,
    /// How many passed and how many were scored; absent where all of them are among the candidates.
    pub counts: Option<(i64, i64)>,
}
