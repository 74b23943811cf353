//! The console: the operators' pages in a browser.
//!
//! Every page is rendered on the server, works without JavaScript, and is hydrated afterwards. The URL determines what a page shows.
//! Every change is a form that posts to a server function, which redirects to a page.

#![recursion_limit = "256"]

mod app;
mod codec;
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
pub use guard::{
    ClientAddress, Console, PUBLIC_SERVER_FUNCTIONS, SESSION_ADMISSION, SESSION_FLASH, SignInLimiter, server_functions, theme_cookie,
    theme_of,
};
pub use query::Query;
