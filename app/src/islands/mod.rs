//! What runs in the browser. An island is rendered on the server with the page around it, and hydrated by `public/console.js`; its arguments
//! travel in an attribute. Everything an island shows works, or stays invisible, without JavaScript.

mod api;
mod clock;
mod copy;
mod dom;
mod file;
mod go_to;
mod help;
mod keys;
mod selection;
mod term_field;
mod theme;

pub use api::{SET_THEME, Target};
#[cfg(feature = "ssr")]
pub use api::{find_places, term_names};
pub use clock::Clock;
#[cfg(feature = "ssr")]
pub use clock::ZONE_COOKIE;
pub use copy::CopyButton;
pub use file::ChooseFile;
pub use go_to::GoTo;
pub use keys::Keys;
pub use selection::{SelectAll, Selected};
pub use term_field::TermField;
pub use theme::ThemeSwitch;
