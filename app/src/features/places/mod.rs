//! Going to anything by its name: the menu that `Ctrl K` opens, and the page that does the same without JavaScript.

mod api;
mod menu;
mod page;
#[cfg(feature = "ssr")]
mod pages;

pub use menu::{Menu, MenuOpen, SearchLink};
pub use page::SearchPage;
