//! The Model Context Protocol: the tools of the registry, over streamable HTTP and over standard input and output.
//!
//! Two generations of the protocol are served. Up to 2025-11-25 a client opens a session; from 2026-07-28 on every request stands for
//! itself. `rmcp` speaks both. This module checks what `rmcp` does not: frames, sessions and their keys, limits, panics.

mod arguments;
mod door;
mod forward;
mod frame;
mod http;
mod opening;
mod resources;
mod results;
mod sessions;
mod stdio;
mod toolsets;
mod uri;

pub use forward::forward;
pub use http::{Mcp, handle};
pub use stdio::embedded;
pub use toolsets::Toolsets;

/// Longest message, in bytes.
const MESSAGE_MAX: usize = 256 * 1024;
