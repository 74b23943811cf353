use serde::{Deserialize, Serialize};

/// One keyset page: rows, cursors to the pages around it, and how many rows there are in all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "{T}Page")]
pub struct Page<T> {
    pub rows: Vec<T>,
    /// Opaque; pass it as `after` to get the next page. Absent on the last one.
    pub next: Option<String>,
    /// Opaque; pass it as `before` to get the page before this one. Absent on the first.
    pub previous: Option<String>,
    /// How many rows the filter matches, over all pages. Long lists count to 10,000 only: 10,001 means more than 10,000.
    pub total: i64,
}

/// Up to how many rows long lists are counted. A total above it means that there are more, not how many.
pub const TOTAL_MAX: i64 = 10_000;

impl<T> Page<T> {
    /// The same page of something else.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        Page { rows: self.rows.into_iter().map(f).collect(), next: self.next, previous: self.previous, total: self.total }
    }
}
