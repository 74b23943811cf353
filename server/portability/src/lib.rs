//! Export and import: memory, vocabulary, knowledge and activity as lines of JSON that another installation can import (`docs/EXPORT.md`), or as a
//! folder for people.

mod activity;
mod canonical;
mod export;
mod import;
pub mod lines;
mod markdown;
mod mend;
mod put;
mod read;
mod references;
mod shared;
pub mod store;
mod values;

pub use export::{Selection, Written, export};
pub use import::{ImportOptions, import};
pub use markdown::markdown;
