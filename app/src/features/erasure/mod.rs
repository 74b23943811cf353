//! Erasure of a person: requests that two admins make together, legal holds, reports.

mod api;
mod erased;
mod list;
mod names;
mod new;
mod report;
mod request;
mod tables;
mod words;

pub use api::erased_by;
pub use erased::{RequestName, SourceErased};
pub use list::ErasuresPage;
pub use new::{NewErasurePage, mentions_of};
pub use request::ErasurePage;

/// What operators without the role see.
const NOT_ALLOWED: &str = "Erasing a person requires the role “admin”. Ask an administrator for it.";
