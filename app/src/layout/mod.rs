//! The frame around every page for signed-in operators.

mod account;
mod flash;
mod frame;
mod head;
mod help;
mod keys;
mod landing;
mod log_period;
mod nav;
mod not_found;
mod numbers;
mod theme;
mod viewer;

pub use frame::Layout;
pub use head::PageHead;
pub use log_period::LogPeriod;
#[cfg(feature = "ssr")]
pub use nav::PAGES;
pub use not_found::NotFound;
pub use numbers::NumbersResource;
pub use viewer::ViewerResource;
