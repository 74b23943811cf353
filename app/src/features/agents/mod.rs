//! The agents of the organisation, and the page of each.

mod api;
mod block;
mod bots;
mod connect;
mod detail;
mod hosts;
mod keys;
mod list;
mod new_key;
mod settings;

pub use api::agents;
pub use connect::{ConnectPage, ConnectedPage};
pub use detail::AgentPage;
pub use list::AgentsPage;
