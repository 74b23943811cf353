//! The filters of a page and its saved views: the bar above a list, and the forms of views.

mod api;
mod bar;
mod filters;

pub use bar::ViewBar;
pub use filters::FilterBar;
