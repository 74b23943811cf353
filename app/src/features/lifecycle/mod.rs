//! How memories age: limits of agents, what expires and fades, sweeps.

mod api;
mod chart;
mod page;
mod policy;

pub use page::LifecyclePage;
