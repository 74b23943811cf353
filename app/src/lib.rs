//! The console: what people see of the memory in a browser.
//!
//! Every page is rendered on the server, readable and operable there without JavaScript, and hydrated afterwards. What a page shows is
//! told by its URL. Anything that changes something is a form that posts to a server function and is redirected to a page.

#![recursion_limit = "256"]

mod app;
mod error;
mod features;
mod flash;
#[cfg(feature = "ssr")]
mod guard;
mod ids;
mod layout;
mod query;
mod ui;

pub use app::{App, shell};
pub use error::ConsoleError;
pub use flash::Flash;
#[cfg(feature = "ssr")]
pub use guard::{ClientAddress, Console, PUBLIC_SERVER_FUNCTIONS, SESSION_OPERATOR, SignInLimiter, server_functions, theme_cookie};
