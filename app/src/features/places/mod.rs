//! Going to anything by its name: the link to it, and the page that does it without JavaScript. The menu of `Ctrl K` is an island.

mod api;
mod link;
mod page;
mod pages;
mod target;

pub use link::SearchLink;
pub use page::SearchPage;
