use super::api::{browse_memories, search_memories};
use crate::ConsoleError;
use wire::{MemoryFilter, MemoryId, MemoryRow, Page, SearchResults};

/// The content of the list: a page of all memories, or the hits of a search.
pub enum Listing {
    Browsed(Page<MemoryRow>),
    Searched(SearchResults),
}

impl Listing {
    /// Searches if the filter has a query, and browses otherwise.
    ///
    /// # Errors
    /// Those of the search or of the list.
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
