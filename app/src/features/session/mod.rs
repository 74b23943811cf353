//! Signing in and out, and the signed-in viewer.

mod api;
mod sign_in;

pub use api::{Viewer, current_viewer};
pub use sign_in::SignInPage;
