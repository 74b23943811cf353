//! Saved views: the bar above a filtered list, and its forms.

mod api;
mod bar;

pub use bar::ViewBar;
