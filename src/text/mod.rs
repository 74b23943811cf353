//! Text without meaning: the words that a search matches, and the form under which phrases are compared.

mod normal;
pub mod words;

pub use normal::normal;
