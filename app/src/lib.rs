//! The console: the operators' pages in a browser.
//!
//! Every page is rendered on the server and works without JavaScript. The URL determines what a page shows; every change is a form that posts
//! to a server function, which redirects to a page. What runs in the browser are the [`islands`], a crate of their own, and
//! `public/console.js`, which hydrates them and shows the next page without loading the document again. Pages are compiled for the server alone.

#![recursion_limit = "256"]

mod app;
mod error;
mod features;
mod flash;
mod form;
mod form_token;
mod guard;
mod icon;
mod ids;
mod layout;
mod once;
mod query;
mod submit;
mod text;
mod ui;

pub use app::{App, Assets, shell};
pub use error::ConsoleError;
pub use flash::Flash;
pub use form_token::{FORM_TOKEN, form_token, is_form_token};
pub use guard::{
    ClientAddress, Console, PUBLIC_SERVER_FUNCTIONS, SESSION_ADMISSION, SESSION_FLASH, SIGN_IN, SignInLimiter, changed_cookie, cookie,
    cookie_line, may_lag, open_in, own_path, server_functions, theme_cookie, theme_of, who_cookie, zone_of,
};
pub use islands;
pub use query::Query;

// Islands know nothing of the engine, so they repeat its limits.
const _: () = assert!(islands::SOURCE_MAX == wire::SOURCE_MAX && islands::TOPIC_MAX == wire::TOPIC_MAX);
