//! Recalls: the log with replay, the health of recall, and the playground.

mod api;
mod bars;
mod candidates;
mod considered;
mod days;
mod health;
mod log;
mod playground;
mod replay;
mod retrieval;
mod url;
mod words;
mod zero_hits;

pub use health::HealthPage;
pub use log::LogPage;
pub use playground::PlaygroundPage;
pub use retrieval::RetrievalPage;
