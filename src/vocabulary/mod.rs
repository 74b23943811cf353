//! One vocabulary per tenant: a phrase is looked up at every write and every recall, and an unknown one is proposed for review.

mod lookup;

mod recanonicalise;
mod review;

pub mod store;
mod terms;

pub use foundation::terms::{Moment, NewTerm, Plan, Resolved, Snapshot, Snapshots};
pub use lookup::{lookup, near_spellings, propose};
pub use recanonicalise::{embed_terms, recanonicalise};
pub use review::{decide, decisions, hide_unused, preview, preview_undo, proposal, proposals, proposals_by_id, undo};
pub(crate) use terms::define;
pub use terms::{add, change, preview_change, term, term_named, term_names, terms};
