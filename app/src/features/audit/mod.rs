//! The audit log, and the audit trail of one thing.

mod api;
mod chain;
mod list;

pub use list::{AuditPage, Trail};
