//! Projects with their repositories, and the links between projects.

mod api;
mod detail;
mod list;
mod select;

pub use api::project_names;
pub use detail::ProjectPage;
pub use list::ProjectsPage;
pub use select::{ProjectName, ProjectSelect, name_of};
