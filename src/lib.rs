//! The engine: durable, explained memory for LLM agents.
//!
//! An edge (HTTP handler, server function, command line, worker) builds an [`foundation::OpContext`] and calls one verb. The verb checks its
//! scope, validates, calls providers outside any transaction, and then opens one transaction for store, outbox and jobs. It returns a
//! type of [`wire`]. `docs/ARCHITECTURE.md` is the map of the modules.
//!
//! Deliberately absent:
//! - SQL outside a `store`, `index` and the crate `db`.
//! - A transaction held across a model call.
//! - A verb without an `OpContext`. (Exceptions: before one exists, and in sweeps across tenants.)
//! - A second tool registry, a second queue.
//! - A clock read, a random id or a secret made outside `db::clock`.
//! - Content edited by an operator.
//! - A hard delete of a memory, except the erasure of a person.
//! - `.unwrap()` on anything that comes from outside.

pub mod activity;
pub mod capture;
pub mod chat;
pub mod consolidation;
pub mod context;
pub mod erasure;
pub mod knowledge;
pub mod lifecycle;
pub mod memories;
pub mod memory_block;
pub mod model_change;
pub mod overview;
pub mod profile;
pub mod prompts;
pub mod quality;
pub mod ranking;
pub mod recall;
pub mod reindex;
pub mod search;
pub mod skills;
#[cfg(test)]
mod testing;
pub mod tools;
pub mod vocabulary;
pub mod workers;

pub use workers::Workers;
