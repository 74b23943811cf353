//! What agents remember: the list, the peek beside it, a memory's page, and deleting several at once.

mod api;
mod compare;
mod decide;
mod delete;
mod detail;
mod facts;
mod filters;
mod graph;
mod history;
mod links;
mod list;
mod peek;
mod ranked;
mod recalled;
mod table;
mod url;

pub use delete::DeletePage;
pub use detail::MemoryPage;
pub use filters::AgentField;
pub use list::MemoriesPage;
