//! What runs in the browser. An island is rendered on the server with the page around it, and hydrated by `public/console.js`; its arguments
//! travel in an attribute. Everything an island shows works, or stays invisible, without JavaScript. Nothing here depends on the engine or on
//! a page, so a change of these does not change what the browser loads.

mod api;
mod clock;
mod copy;
mod dom;
mod file;
mod go_to;
mod help;
pub mod icon;
mod keys;
mod selection;
mod term_field;
pub mod text;
mod theme;

pub use api::{PLACES, SET_THEME, TERM_NAMES, Target};
pub use clock::{Clock, ZONE_COOKIE};
pub use copy::CopyButton;
pub use file::ChooseFile;
pub use go_to::GoTo;
pub use keys::Keys;
pub use selection::{SelectAll, Selected};
pub use term_field::TermField;
pub use theme::ThemeSwitch;

/// Largest source, in bytes; the same as the engine's.
pub const SOURCE_MAX: usize = 16 * 1024 * 1024;
/// Longest topic, in characters; the same as the engine's.
pub const TOPIC_MAX: usize = 256;
