//! Expectations: sets of questions with the memories that should answer them, their runs, and the form that turns a miss into one.

mod api;
mod chart;
mod input;
mod last_runs;
mod link;
mod list;
mod new;
mod set;
mod words;

pub use last_runs::LastRuns;
pub use link::{ShouldHaveBeenFound, form_for};
pub use list::ExpectationsPage;
pub use new::NewExpectationPage;
pub use set::ExpectationSetPage;
