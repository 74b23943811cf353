//! The process around the engine: HTTP for agents, the console for people, metrics, the command line.
//!
//! Edges hold no logic and no SQL: each builds an `OpContext`, calls one verb and renders what comes back.

pub mod api;
pub mod cli;
pub mod config;
pub mod console;
mod downloads;
mod embedding;
mod forms;
mod hosts;
mod ingestion;
mod installed;
mod limits;
pub mod listener;
mod mcp;
pub mod metrics;
mod oauth;
mod serve;
pub use serve::router;
pub mod sessions;
mod shown;
mod site;
mod sso;
mod streams;
pub mod telemetry;
#[cfg(not(feature = "otlp"))]
#[path = "no_traces.rs"]
pub mod traces;
#[cfg(feature = "otlp")]
pub mod traces;
mod uploads;
pub mod version;

/// What ends a command: a sentence for the person who typed it.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;
