//! Memory that lives for years: messages of sessions, and sweeps that archive what faded or expired.

mod forecast;
mod messages;
pub mod store;
mod sessions;
mod sweep;

pub use forecast::forecast;
pub use messages::add_messages;
pub use sweep::{SweepPayload, request_sweep, sweep, sweep_now};
pub use sessions::session_messages;
