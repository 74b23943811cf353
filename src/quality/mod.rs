//! Quality: how much of the memories in a prompt an answer uses, and numbers by day from the logs, observations and profiles.

mod answer;
mod numbers;
mod repeat;
pub mod store;

pub use answer::report_answer;
pub use numbers::measure;
pub use repeat::{Question, repeated};
