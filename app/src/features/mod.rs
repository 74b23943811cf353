//! One module for each thing the console shows: its server functions (`api`) and its pages.

pub mod agents;
pub mod audit;
pub mod memories;
pub mod session;
