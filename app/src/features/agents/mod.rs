//! The agents of the organisation.

mod api;
mod list;

pub use api::agents;
pub use list::AgentsPage;
