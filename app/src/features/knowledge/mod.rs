//! Shared knowledge: documents and their parts, how they came in, and what depends on what.

mod api;
mod cited;
mod document;
mod graph;
mod layered;
mod list;
mod runs;
mod table;
mod tabs;
mod topology;
mod words;

pub use document::DocumentPage;
pub use list::KnowledgePage;
pub use runs::RunsPage;
pub use topology::TopologyPage;
