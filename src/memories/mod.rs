//! The record: remembering, forgetting, restoring, and looking at what is there.

mod browse;
mod forget;
mod late;
pub mod model;
mod remember;
pub mod store;

pub use browse::{browse, detail};
pub(crate) use browse::{check as check_filter, slugs, with_slug};
pub use forget::{delete, forget, restore};
pub use late::embed_late;
pub use remember::remember;
