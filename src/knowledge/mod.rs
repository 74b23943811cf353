//! Shared knowledge: documents of the organisation, ingested from Markdown, text and HTML, found by every agent.

mod cached;
mod found;
mod ingest;
mod lists;
mod past;
mod search;
pub mod store;

pub use documents::folder::{Tree, index_pages, read};
pub(crate) use found::embedded_text;
pub use found::{is_found, searched_text};
pub use ingest::{Extent, Ingestion, embed_document, ingest, retire, upload};
pub use lists::{collections, component, document, documents, full_text, index, markdown, runs, topology};
pub use search::{CandidateQuery, PreparedQuery, RankedChunk, candidates, hit, search};
pub(crate) use search::{explain, passages};
