//! The record: remembering, revising, linking, forgetting, restoring, and lists.

pub(crate) mod access;
mod archive;
mod batch;
mod browse;
mod correct;
mod forget;
mod history;
mod late;
mod link;
pub mod model;
mod pin;
mod quota;
pub(crate) mod remember;
mod review;
mod revise;
pub mod store;
pub(crate) mod writing;

pub(crate) use archive::archive;
pub use batch::remember_batch;
pub use browse::{browse, detail, recalls, rows_by_id};
pub(crate) use browse::{check as check_filter, slugs, with_slug};
pub use correct::{correct, undo_correction};
pub(crate) use forget::forget_once;
pub use forget::{delete, forget, restore, undo};
pub use history::{compare, history, record};
pub(crate) use history::{reviewed, trust};
pub use late::embed_late;
pub(crate) use link::{contradictions, post_settling, reinstate};
pub use link::{link, settle_links, unlink};
pub use pin::set_pinned;
pub(crate) use quota::{lock_episodes, make_room};
pub use remember::remember;
pub use review::review;
pub(crate) use revise::{Cause, revise_from};
pub use revise::{revise, upsert_profile_fact};
