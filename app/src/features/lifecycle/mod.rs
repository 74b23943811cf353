//! How memories age: limits of agents, what expires and fades, sweeps.

mod api;
mod chart;
mod edit;
mod page;
mod policy_input;

pub use edit::LifecyclePolicyPage;
pub use page::LifecyclePage;
