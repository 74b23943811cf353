//! Components and formatters shared by all pages.

mod again;
mod badge;
mod bar;
mod busy;
pub mod chart;
pub mod diff;
mod empty;
mod error;
mod field;
mod filter_form;
mod filtered;
mod icon;
mod pager;
mod panel;
mod reason;
mod search_field;
mod selection;
mod skeleton;
mod spark;
mod tabs;
pub mod text;
mod time;
mod zone;

pub use again::again_while;
pub use badge::{Badge, Canonical, Tone};
pub use bar::Bar;
pub use busy::busy;
pub use diff::Diff;
pub use empty::Empty;
pub use error::ErrorView;
pub use field::{Choice, SelectField, TextField, choice};
pub use filter_form::FilterForm;
pub use filtered::{Answered, Filtered, Parsed};
pub use icon::{Icon, Shape};
pub use pager::Pager;
pub use panel::{Panel, Walk, landing, landing_beside, neighbours, reveal};
pub use reason::ReasonField;
pub use search_field::SearchField;
pub use selection::{SelectAll, Selection, Tick, ticked};
pub use skeleton::Skeleton;
pub use spark::Spark;
pub use tabs::PageTabs;
pub use time::{Ago, Now, Time};
#[cfg(feature = "ssr")]
pub use zone::ZONE_COOKIE;
pub use zone::Zone;
