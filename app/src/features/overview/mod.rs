//! The front page.

mod api;
mod attention;
mod last_day;
mod page;

pub use api::review_numbers;
pub use page::OverviewPage;
