//! One vocabulary per tenant: a phrase is looked up at every write and every recall, and an unknown one is proposed for review.

mod lookup;
mod model;
mod plan;
mod recanonicalise;
mod review;
pub mod snapshot;
pub mod store;
mod terms;

pub(crate) use lookup::post as post_proposal;
pub use lookup::{lookup, propose};
pub use model::Plan;
pub use plan::NewTerm;
pub use recanonicalise::{embed_terms, recanonicalise};
pub use review::{decide, decisions, preview, proposal, proposals, proposals_by_id, undo};
pub use snapshot::{Moment, Resolved, Snapshot, Snapshots};
pub(crate) use terms::define;
pub use terms::{add, change, preview_change, term, term_named, term_names, terms};
