//! People: what agents know about each person, why, and how it changed.

mod api;
mod connections;
mod history;
mod leaf;
mod list;
mod path;
mod person;
mod tree;

pub use leaf::matter_name;
pub use list::PeoplePage;
pub use path::PersonPath;
pub use person::PersonPage;
