//! Components and formatters shared by all pages.

mod admins;
mod awaited;
mod badge;
mod bar;
pub mod chart;
pub mod diff;
mod empty;
mod error;
mod fact;
mod field;
mod field_set;
pub mod figure;
mod filtered;
mod labels;
mod pager;
mod panel;
mod post_form;
mod secret;
mod spark;
pub mod svg;
mod table;
mod time;
mod titled;
mod zone;

pub use admins::Admins;
pub use awaited::{awaited, if_any, reading};
pub use badge::{Badge, Canonical, Tone};
pub use bar::{Bar, FullBar, full_of};
pub use diff::{Diff, Sides};
pub use empty::{Empty, EmptyCard, IconLink, NoMatch, NothingLeft, OrPlayground};
pub use error::{ErrorView, or_error, or_missing};
pub use fact::{fact, fact_as};
pub use field::{AreaField, Choice, ReasonField, SearchField, SelectField, TextField, choice};
pub use field_set::FieldSet;
pub use figure::{Chart, ChartLegend, Drawing};
pub use filtered::{Answered, FilterButtons, FilterForm, Filtered, Parsed, check_period, parsed};
pub use labels::Labels;
pub use pager::Pager;
pub use panel::{Panel, Walk, landing, landing_beside, neighbours};
pub use post_form::PostForm;
pub use secret::CopyText;
pub use spark::Spark;
pub use svg::Logo;
pub use table::{
    DataTable, OfSelected, Selectable, Selection, TableCard, Tick, columns, is_reversed, reversing, rows_or, select_all, sorting,
};
pub use time::{Moment, Time};
pub use titled::Titled;
pub use zone::Zone;

pub(crate) use crate::{
    icon::{Icon, Shape},
    text,
};
