//! Text without meaning: the words that a search matches, and the form in which phrases are compared.

mod normal;
mod shorten;
pub mod tokens;
pub mod words;

pub use normal::normal;
pub use shorten::shorten;
