//! Texts for agents: prompts and skills.

mod api;
mod list;
mod skills;

pub use list::PromptsPage;
