//! The frame around every page of somebody who is signed in.

mod account;
mod flash;
mod frame;
mod head;
mod keys;
mod nav;
mod not_found;
mod theme;

pub use frame::{Layout, ViewerResource};
pub use head::PageHead;
pub use not_found::NotFound;
