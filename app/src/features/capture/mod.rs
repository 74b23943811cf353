//! Capture: what is pasted, the sources that it becomes, and the events that process them.

mod add;
mod api;
mod events;
mod form;
mod input;
mod modes;
mod page;
mod progress;
mod project_field;

mod source;
mod sources;
mod speakers;
mod table;
mod turns;
mod url;
mod words;
mod zone_field;

pub use api::capture_counts;
pub use events::EventsPage;
pub use page::CapturePage;
pub use project_field::ProjectField;
pub use source::SourcePage;
pub use sources::SourcesPage;
