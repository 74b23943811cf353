//! Consolidation: candidates are compared with what is known, merged or paired, and become durable by a rule or a person.

mod decide;
mod edit;
mod inbox;
mod items;
mod model;
mod place;
mod promote;
mod quarantine;
pub mod store;
mod suggestions;
mod survey;

pub use crate::memories::model::Owner;
pub use decide::{decide, preview};
pub use inbox::{inbox, items, quotes};
pub use items::{ItemsPayload, consolidate, consolidate_items};
pub use model::{NewCandidate, Place, Placed, Ready, Spot};
pub use place::{place_all, prepare};
pub(crate) use promote::merge;
pub use quarantine::{decide_quarantine, quarantine, undo_dismissal};
pub use suggestions::{decide_suggestion, decide_suggestions, merge_suggestions, undo_suggestion, undo_suggestions};
pub use survey::{SurveyPayload, request_survey, suggestions, survey, survey_now};
