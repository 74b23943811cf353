//! Signing in and out, one-time links, and the signed-in viewer.

mod api;
mod invitation;
mod sign_in;

pub use api::{Viewer, check_limit, current_viewer};
pub use invitation::InvitationPage;
pub use sign_in::SignInPage;
