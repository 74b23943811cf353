//! Capture: raw material is stored as a source, an explicit capture queues it, and a worker extracts candidates from it. Nothing is read
//! unless somebody captures it, and no caller waits for extraction.

mod by_hand;
pub mod chat_model;
mod events;
pub mod extractor;
mod input;
mod lists;
mod media;
mod observe;
mod progress;
mod request;
mod run;
mod source;
mod speakers;
mod stand_in;
pub mod store;
mod synthesise;

pub use by_hand::{Added, Selection, add_candidate};
pub use events::{event_counts, events, retry};
pub use extract::parts::StoredTurn;
pub use input::place_input;
pub(crate) use input::reviewed;
pub use lists::{source, sources};
pub use observe::{correct_entry, record_observation, update_connection_context, update_user_context};
pub use request::{capture_conversation, capture_session, capture_text, ingest, paste};
pub use run::extract_source;
pub(crate) use run::transcript;
pub use source::{Paste, add_source};
pub use speakers::{RenamedSpeaker, rename_speaker};
pub use synthesise::synthesise;
