//! Sessions of coding agents: the list, and what one was given and what was captured from it.

mod api;
mod detail;
mod list;
mod url;
mod words;

pub use detail::SessionPage;
pub use list::SessionsPage;
