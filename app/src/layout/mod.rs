//! The frame around every page for signed-in operators.

mod account;
mod flash;
mod frame;
mod head;
mod log_period;
mod nav;
mod not_found;
mod numbers;
mod sections;
mod viewer;

pub use frame::Layout;
pub use head::{Crumb, PageHead};
pub use log_period::LogPeriod;
pub use not_found::NotFound;
pub use numbers::NumbersResource;
pub use sections::{ACTIONS, Page, Section, sections};
pub use viewer::ViewerResource;
