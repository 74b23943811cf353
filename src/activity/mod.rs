//! What agents report about their work: actions with their outcomes, and the outputs of workflow steps. Every agent of the organisation finds
//! them in `search_my_memories`; rows of a user only for that user. They can be erased, unlike the audit log, which holds no content.

mod find;
mod model;
mod record;
pub mod store;
mod suggest;

pub(crate) use find::{ReportSearch, ScoredReport, find};
pub use model::{Body, NewReport, Report, Reports};
pub use record::{record_action, record_steps};
pub(crate) use suggest::{SuggestedAction, suggest};
