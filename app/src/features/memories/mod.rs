//! Memories: the list, the peek beside it, the page of one memory, the form for a new one, and deleting several at once.

mod api;
mod changed;
mod compare;
mod correct;
mod decide;
mod delete;
mod detail;
mod facts;
mod filters;
mod graph;
mod history;
mod links;
mod list;
mod new;
mod new_input;
mod peek;
mod ranked;
mod reasons;
mod recalled;
mod relate;
mod restore;
mod review;
mod table;
mod url;
mod version;

pub use api::{agent_names, seen};
pub use changed::Changed;
pub use delete::DeletePage;
pub use detail::MemoryPage;
pub use filters::{AgentField, all};
pub use list::MemoriesPage;
pub use new::{NewMemoryLink, NewMemoryPage};
pub use reasons::Reasons;
pub use restore::Restore;
pub use table::{place, state};
pub use url::form as memory_form;
