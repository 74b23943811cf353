//! Memory that lives for years: messages of sessions, and sweeps that archive what faded or expired and end its history.

mod forecast;
mod history;
mod matters;
mod messages;
mod sessions;
pub mod store;
mod sweep;

pub use forecast::forecast;
pub use messages::add_messages;
pub use sessions::session_messages;
pub use sweep::{SweepPayload, request_sweep, sweep, sweep_now};
