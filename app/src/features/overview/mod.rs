//! The front page.

mod api;
mod attention;
mod last_day;
mod page;

pub use page::OverviewPage;
