//! Recalls: the log with replay, the health of recall, the playground, and the diagnosis of a memory.

mod api;
mod bars;
mod candidates;
mod chart;
mod columns;
mod considered;
mod diagnose;
mod fate;
mod gates;
mod health;
mod legend;
mod log;
mod narrow;
mod options;
mod playground;
mod replay;
mod retrieval;
mod url;
mod words;
mod zero_hits;

pub use chart::{recall_columns, spoken};
pub use columns::Columns;
pub use diagnose::DiagnosePage;
pub use health::HealthPage;
pub use legend::{Legend, rate};
pub use log::LogPage;
pub use playground::{PlaygroundPage, Timings};
pub use retrieval::RetrievalPage;
pub use url::why_not;
pub use words::gate_name;
