//! The vocabulary in force, as the engine holds it: terms and aliases, snapshots of them, the term that a phrase means, and plans that
//! change it.

mod message;
mod model;
mod plan;
mod snapshot;
pub mod store;

pub use message::message;
pub use model::{Alias, Plan, State, TermName, effect};
pub use plan::{NewTerm, Planner};
pub use snapshot::{Moment, Resolved, Snapshot, Snapshots};
