//! The console: the operators' pages in a browser.
//!
//! Every page is rendered on the server and works without JavaScript. The URL determines what a page shows; every change is a form that posts
//! to a server function, which redirects to a page. What runs in the browser are the [`islands`] and `public/console.js`, which hydrates them
//! and shows the next page without loading the document again; everything else is compiled for the server alone.

#![recursion_limit = "256"]

#[cfg(feature = "ssr")]
mod app;
mod codec;
mod error;
#[cfg(feature = "ssr")]
mod features;
#[cfg(feature = "ssr")]
mod flash;
#[cfg(feature = "ssr")]
mod form_token;
#[cfg(feature = "ssr")]
mod guard;
#[cfg_attr(not(feature = "ssr"), expect(dead_code, reason = "islands show few of the icons"))]
mod icon;
#[cfg(feature = "ssr")]
mod ids;
pub mod islands;
#[cfg(feature = "ssr")]
mod layout;
#[cfg_attr(not(feature = "ssr"), expect(dead_code, reason = "islands build one URL"))]
mod query;
#[cfg_attr(not(feature = "ssr"), expect(dead_code, reason = "islands write few kinds of text"))]
mod text;
#[cfg(feature = "ssr")]
mod ui;

#[cfg(feature = "ssr")]
pub use app::{App, Assets, shell};
pub use error::ConsoleError;
#[cfg(feature = "ssr")]
pub use flash::Flash;
#[cfg(feature = "ssr")]
pub use form_token::{FORM_TOKEN, form_token, is_form_token};
#[cfg(feature = "ssr")]
pub use guard::{
    ClientAddress, Console, PUBLIC_SERVER_FUNCTIONS, SESSION_ADMISSION, SESSION_FLASH, SIGN_IN, SignInLimiter, own_path, server_functions,
    theme_cookie, theme_of,
};
#[cfg(feature = "ssr")]
pub use query::Query;
