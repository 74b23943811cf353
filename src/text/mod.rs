//! Text without meaning: the words that a search matches, the form in which phrases are compared, how two statements relate, minutes,
//! and pieces.

pub mod compare;
mod csv;
pub mod marks;
pub mod minutes;
mod normal;
mod pieces;
mod shorten;
pub(crate) mod steps;
pub mod tokens;
pub mod words;

pub use csv::csv_line;
pub use normal::normal;
pub use pieces::pieces;
pub use shorten::shorten;
