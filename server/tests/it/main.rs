//! The process through its router: real Postgres, a fake model.

mod authorization;
mod console;
mod errors;
mod harness;
mod memory;
mod process;
