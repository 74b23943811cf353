//! The front page.

mod api;
mod attention;
mod last_day;
mod page;
mod start;
mod totals;

pub use page::OverviewPage;
