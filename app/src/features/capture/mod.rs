//! Capture: what is pasted, the sources that it becomes, and the events that process them.

mod add;
mod api;
mod events;
mod fields;
mod form;
mod input;
mod page;
mod progress;

mod source;
mod sources;
mod speakers;
mod table;
mod turns;
mod url;
mod words;

pub use events::EventsPage;
pub use fields::ProjectField;
pub use page::CapturePage;
pub use source::SourcePage;
pub use sources::SourcesPage;
