//! Expectations: sets of questions with the memories that should answer them. A run asks every question again as the agent and the user
//! see memory now, and records what it found and what stopped the rest (`docs/expectations.md`).

mod evaluate;
mod manage;
mod report;
mod requests;
mod score;
mod state;
pub mod store;

pub use evaluate::{Runner, evaluate};
pub use manage::{delete_set, expect, remove};
pub use report::{list, set, sets, since};
pub use requests::{follow, request_changed, request_run, request_run_by_key};
pub use score::{Measured, Scores};
pub use state::State;
