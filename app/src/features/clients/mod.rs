//! Clients that ask for access with OAuth: the page on which an operator consents.

mod api;
mod asked;
mod page;

pub use page::ConsentPage;
