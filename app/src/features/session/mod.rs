//! Signing in and out, and who is looking.

mod api;
mod sign_in;

pub use api::{Viewer, current_viewer, set_theme};
pub use sign_in::SignInPage;
