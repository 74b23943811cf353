//! Who did what to whom, when and why.

mod api;
mod list;
mod trail;

pub use list::AuditPage;
pub use trail::Trail;
