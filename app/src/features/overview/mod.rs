//! The front page.

mod api;
mod page;
mod silence;
mod tile;

pub use page::OverviewPage;
