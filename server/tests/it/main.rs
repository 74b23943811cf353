//! The process through its router: real Postgres, a fake model.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod audit;
mod authorization;
mod backup;
mod bench;
mod bodies;
mod brief;
mod commands;
mod connect;
mod console;
mod context;
mod doctor;
mod documents;
mod doors;
mod erasure;
mod errors;
mod evals;
mod forms;
mod full_disk;
mod gate;
mod harness;
mod health;
mod hooks;
mod idempotency;
mod knowledge;
mod listener;
mod logs;
mod mcp;
mod memory;
mod memory_block;
mod oauth;
mod oauth_documents;
mod openapi;
mod portability;
mod process;
mod projects;
mod quality;
mod servers;
mod shown;
mod telegram;
mod toolsets;
mod traces;
mod typed;
mod usage;
mod users;
