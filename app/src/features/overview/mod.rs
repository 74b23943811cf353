//! The front page.

mod api;
mod capture;
mod page;
mod silence;
mod tile;

pub use page::OverviewPage;
pub use silence::{Days, Legend};
