//! Text without meaning: the words that a search matches, the form in which phrases are compared, and how two statements relate.

pub mod compare;
mod csv;
mod normal;
mod shorten;
pub mod tokens;
pub mod words;

pub use csv::csv_line;
pub use normal::normal;
pub use shorten::shorten;
