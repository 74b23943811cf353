//! Prompts for agents.

mod api;
mod list;

pub use list::PromptsPage;
