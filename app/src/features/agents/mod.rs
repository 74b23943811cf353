//! The agents of the organisation, and the page of each.

mod api;
mod block;
mod detail;
mod keys;
mod list;

pub use api::agents;
pub use detail::AgentPage;
pub use list::AgentsPage;
