//! The frame around every page for signed-in operators.

mod account;
mod flash;
mod frame;
mod head;
mod keys;
mod nav;
mod not_found;
mod theme;
mod viewer;

pub use frame::Layout;
pub use head::PageHead;
pub use not_found::NotFound;
pub use viewer::ViewerResource;
