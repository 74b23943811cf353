//! The process through its router: real Postgres, a fake model.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod authorization;
mod console;
mod contract;
mod errors;
mod harness;
mod knowledge;
mod memory;
mod portability;
mod process;
mod projects;
mod telegram;
