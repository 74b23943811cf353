//! The vocabulary in force, as the engine holds it: terms and aliases, snapshots of them, and the term that a phrase means.

mod model;
mod snapshot;
pub mod store;

pub use model::{Alias, Plan, State, TermName, effect};
pub use snapshot::{Moment, Resolved, Snapshot, Snapshots};
