//! Webhooks: the addresses that the server calls when something happens.

mod api;
mod page;
mod words;

pub use page::WebhooksPage;
