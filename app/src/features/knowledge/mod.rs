//! Shared knowledge: documents and their chunks, ingestion runs, and the topology.

mod api;
mod cited;
mod document;
mod graph;
mod layered;
mod list;
mod runs;
mod topology;
mod upload;
mod words;

pub use document::DocumentPage;
pub use list::KnowledgePage;
pub use runs::RunsPage;
pub use topology::TopologyPage;
pub use upload::UploadPage;
