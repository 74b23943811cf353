//! What an operator keeps under a name: the bar above a filtered list, and the forms behind it.

mod api;
mod bar;

pub use bar::ViewBar;
