//! Loud silence: how often recall finds nothing, why, and a place to try.

mod api;
mod bars;
mod candidates;
mod days;
mod health;
mod playground;
mod url;
mod words;
mod zero_hits;

pub use health::HealthPage;
pub use playground::PlaygroundPage;
