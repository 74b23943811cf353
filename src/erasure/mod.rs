//! Erasure of a person on a legal request. Everywhere else memories are deleted softly; here their rows go.
//!
//! One admin requests it and another confirms it. A job then removes every row of the person in the three databases, as the list of columns
//! (`columns.rs` of `db`) says, and the rows of others that mention the person, as far as an admin chose them. It can be killed at any step and
//! goes on.

mod hold;
mod key;
mod memories;
mod mentions;
mod preview;
mod report;
mod request;
mod rows;
mod run;
pub mod store;
mod turns;

pub use hold::{hold, holds, lift_hold};
pub use key::Key;
pub use preview::preview;
pub use report::{report, verify_report};
pub(crate) use request::waiting;
pub use request::{confirm, request, requests, resume, show, withdraw};
pub use run::{ErasePayload, carry_out};
pub use turns::erased_by;

use foundation::op::Actor;
use foundation::{Error, OpContext};
use wire::{OperatorId, OperatorRole};

/// The admin who acts. The command line names one, too: two people decide, wherever they do it.
///
/// # Errors
/// `Forbidden` without the role `admin`, and for whoever is no operator.
fn admin(ctx: &OpContext) -> Result<OperatorId, Error> {
    ctx.require_role(OperatorRole::Admin)?;
    match &ctx.actor {
        Actor::Operator { id, .. } => Ok(*id),
        _ => Err(Error::Forbidden("this needs an admin who is known by name: sign in to the console, or name the admin with --as".into())),
    }
}
