//! Fakes and builders for tests.

mod clock;
mod database;

pub use clock::FakeClock;
pub use database::{PASSWORD, TestDatabases, World, fact, key, nowhere, question, rows_of, workers};
pub use models::fake::Fake;
