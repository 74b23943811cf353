//! Text without a database and without a model: the words that a search matches and how much they count, the form in which phrases are
//! compared, how two statements relate, what leaves a text before it is stored, how it is quoted when it is read, how it ages; JSON as leaves
//! and back.
//!
//! Everything here is a pure function.

pub mod aging;
pub mod bm25;
pub mod compare;
mod csv;
pub mod dates;
pub mod guard;
pub mod hybrid;
pub mod identifiers;
pub mod lists;
pub mod marks;
pub mod minutes;
mod missed;
pub mod names;
mod normal;
pub mod overlap;
mod pieces;
pub mod quote;
pub mod restated;
pub mod sensitive;
mod shorten;
pub mod stems;
pub mod steps;
pub mod tokens;
pub mod tree;
pub mod weighted;

pub use csv::csv_line;
pub use missed::missed;
pub use normal::normal;
pub use pieces::pieces;
pub use shorten::shorten;
