//! Shared knowledge: documents of the organisation, ingested from Markdown, found by every agent.

mod ingest;
mod lists;
mod past;
mod search;
pub mod store;
mod tree;

pub(crate) use ingest::is_found;
pub use ingest::{Extent, Ingestion, embed_document, ingest, upload};
pub use lists::{collections, component, document, documents, full_text, index, runs, topology};
pub use search::{CandidateQuery, PreparedQuery, RankedChunk, candidates, hit, search};
pub(crate) use search::{explain, passages, searched_text};
pub use tree::{Tree, index_pages, read};
