use super::api::{browse_memories, search_memories};
use crate::ConsoleError;
use leptos::prelude::*;
use remembrancer::api::{MemoryFilter, MemoryId, MemoryRow, Page, SearchResults};
use serde::{Deserialize, Serialize};

/// The content of the list: a page of all memories, or the hits of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Listing {
    Browsed(Page<MemoryRow>),
    Searched(SearchResults),
}

/// The listing as it loads; the list shows it, and the peek steps through it.
pub type ListingResource = Resource<Result<Listing, ConsoleError>>;

impl Listing {
    /// Searches if the filter has a query, and browses otherwise.
    ///
    /// # Errors
    /// Those of the server functions.
    pub async fn load(filter: MemoryFilter) -> Result<Self, ConsoleError> {
        match filter.q {
            Some(_) => search_memories(filter).await.map(Self::Searched),
            None => browse_memories(filter).await.map(Self::Browsed),
        }
    }

    /// The memories from top to bottom.
    pub fn ids(&self) -> Vec<MemoryId> {
        match self {
            Self::Browsed(page) => page.rows.iter().map(|row| row.id).collect(),
            Self::Searched(results) => results.hits.iter().map(|hit| hit.memory.id).collect(),
        }
    }
}
