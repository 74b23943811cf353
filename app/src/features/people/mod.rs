//! People: what agents know about each person, why, and how it changed.

mod api;
mod connections;
mod history;
mod known;
mod leaf;
mod list;
mod name;
mod path;
mod person;
mod profile;
mod tree;
mod users;

pub use api::{person_name, person_names, with_names};
pub use leaf::matter_name;
pub use list::PeoplePage;
pub use name::{Person, PersonOf, page};
pub use path::PersonPath;
pub use person::PersonPage;
pub use profile::ProfilePage;
pub use users::UsersPage;
