//! The engine: durable, explained memory for LLM agents.
//!
//! An edge (HTTP handler, server function, command line, worker) builds an [`op::OpContext`] and calls one verb. The verb checks its
//! scope, validates, calls providers outside any transaction, and then opens one transaction for store, outbox and jobs. It returns a
//! wire type of [`api`]. `docs/ARCHITECTURE.md` is the map of the modules.
//!
//! Deliberately absent:
//! - SQL outside a `store` and `db`.
//! - A transaction held across a model call.
//! - A verb without an `OpContext`. (Exceptions: before one exists, and in sweeps across tenants.)
//! - A second tool registry, a second queue.
//! - A clock read, a random id or a secret made outside `clock`.
//! - Content edited by an operator.
//! - A hard delete of a memory, except the erasure of a person.
//! - `.unwrap()` on anything that comes from outside.

pub mod api;

#[cfg(feature = "engine")]
pub mod activity;
#[cfg(feature = "engine")]
pub mod aging;
#[cfg(feature = "engine")]
pub mod audit;
#[cfg(feature = "engine")]
pub mod capture;
#[cfg(feature = "engine")]
pub mod chat;
#[cfg(feature = "engine")]
pub mod clock;
#[cfg(feature = "engine")]
pub mod consolidation;
#[cfg(feature = "engine")]
pub mod context;
#[cfg(feature = "engine")]
pub mod contract;
#[cfg(feature = "engine")]
pub mod db;
#[cfg(feature = "engine")]
mod engine;
#[cfg(feature = "engine")]
pub mod erasure;
#[cfg(feature = "engine")]
mod error;
#[cfg(feature = "engine")]
pub mod guard;
#[cfg(feature = "engine")]
pub mod idempotency;
#[cfg(feature = "engine")]
pub mod identity;
#[cfg(feature = "engine")]
pub mod intake;
#[cfg(feature = "engine")]
pub mod jobs;
#[cfg(feature = "engine")]
pub mod knowledge;
#[cfg(feature = "engine")]
pub mod lifecycle;
#[cfg(feature = "engine")]
pub mod memories;
#[cfg(feature = "engine")]
pub mod models;
#[cfg(feature = "engine")]
pub mod op;
#[cfg(feature = "engine")]
pub mod overview;
#[cfg(feature = "engine")]
pub mod portability;
#[cfg(feature = "engine")]
pub mod profile;
#[cfg(feature = "engine")]
pub mod projects;
#[cfg(feature = "engine")]
pub mod prompts;
#[cfg(feature = "engine")]
pub mod providers;
#[cfg(feature = "engine")]
pub mod quality;
#[cfg(feature = "engine")]
pub mod quote;
#[cfg(feature = "engine")]
pub mod ranking;
#[cfg(feature = "engine")]
pub mod recall;
#[cfg(feature = "engine")]
pub mod search;
#[cfg(feature = "engine")]
pub mod skills;
#[cfg(feature = "engine")]
pub mod telemetry;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(feature = "engine")]
pub mod text;
#[cfg(feature = "engine")]
pub mod tools;
#[cfg(feature = "engine")]
pub mod usage;
#[cfg(feature = "engine")]
pub mod vocabulary;
#[cfg(feature = "engine")]
pub mod workers;

#[cfg(feature = "engine")]
pub use engine::{CACHED_QUERIES, Engine, Settings};
#[cfg(feature = "engine")]
pub use error::{Checks, Error};
#[cfg(feature = "engine")]
pub use op::OpContext;
#[cfg(feature = "engine")]
pub use workers::Workers;
