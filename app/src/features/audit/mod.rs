//! The audit log, and the audit trail of one thing.

mod api;
mod list;
mod trail;

pub use list::AuditPage;
pub use trail::Trail;
