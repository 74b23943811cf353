//! What every verb of the engine needs: the context of a call, errors, the handle with its pools and models, who is who, and what is
//! recorded of a change.
//!
//! A verb takes an [`Engine`] and an [`OpContext`], checks its right, and passes every text of a request through the gate ([`intake`]). What
//! it changes is recorded by [`audit`], and what is left to do by [`jobs`].

pub mod audit;
pub mod balances;
pub mod engine;
mod error;
pub mod heavy;
pub mod idempotency;
pub mod identity;
pub mod index;
pub mod intake;
pub mod jobs;
pub mod notices;
pub mod op;
pub mod outbound;
pub mod projects;
mod reading;
pub mod recall_cache;
pub mod registry;
pub mod sessions;
pub mod terms;
#[cfg(feature = "testing")]
pub mod testing;
pub mod usage;
pub mod webhooks;

pub use engine::{CACHED_QUERIES, Engine, Settings};
pub use error::{Checks, Error};
pub use op::OpContext;
