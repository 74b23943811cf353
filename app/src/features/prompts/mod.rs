//! What agents are told about their memory.

mod api;
mod list;

pub use list::PromptsPage;
