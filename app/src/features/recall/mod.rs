//! Recalls: the log with replay, the health of recall, the playground, and the diagnosis of a memory.

mod api;
mod bars;
mod candidates;
mod considered;
mod days;
mod diagnose;
mod gates;
mod health;
mod log;
mod options;
mod playground;
mod replay;
mod retrieval;
mod tabs;
mod url;
mod words;
mod zero_hits;

pub use diagnose::DiagnosePage;
pub use health::HealthPage;
pub use log::LogPage;
pub use playground::{PlaygroundPage, Timings};
pub use retrieval::RetrievalPage;
pub use tabs::PlaygroundTabs;
pub use url::why_not;
