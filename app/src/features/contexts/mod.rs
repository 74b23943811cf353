//! Assembled contexts: their log, one entry, two of them compared, and the playground that assembles one.

mod api;
mod bar;
mod compare;
mod entry;
mod list;
mod parts;
mod playground;
mod prompt;
mod url;
mod words;

pub use compare::ContextComparisonPage;
pub use entry::ContextPage;
pub use list::ContextLogPage;
pub use playground::ContextPlaygroundPage;
