//! What calls of models cost, and the limits on it.

mod api;
mod balances;
mod chart;
mod input;
mod page;
mod words;

pub use page::UsagePage;
