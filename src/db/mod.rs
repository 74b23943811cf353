//! Connections to the three databases.

pub mod embedded;
