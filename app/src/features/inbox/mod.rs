//! The inbox: candidates beside the sentences that they come from, the decisions about them, the quarantine, and the policy.

mod about_candidate;
mod api;
mod candidate;
mod focus;
mod input;
mod page;
mod policy;
mod policy_input;
mod quarantine;
mod quote;
mod review;
mod statement;
mod suggestions;
mod table;
mod url;
mod verdicts;
mod words;

pub use api::{Quoted, quotes_of, read_quotes};
pub use page::InboxPage;
pub use policy::PolicyPage;
pub use quarantine::QuarantinePage;
pub use quote::{Evidence, ShortQuote};
pub use review::ReviewPage;
pub use suggestions::SuggestionsPage;
pub use verdicts::kinds;
